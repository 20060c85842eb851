/// Bytes that CBOR carries as bytes (major type 2); `[UInt8]` is an array of integers there.
///
/// With other coders it is an array of integers. Decoding also takes a text in base64, which is what JSON can offer.
public struct ByteString: Sendable, Hashable, Codable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? IndexDecoder else {
            bytes = try decoder.singleValueContainer().decode([UInt8].self)
            return
        }
        let (index, item) = (decoder.index, decoder.item)
        switch index.pointee.items[item].major {
        case CBORMajor.bytes:
            bytes = [UInt8](index.pointee.content(of: item))
        case CBORMajor.text:
            guard let bytes = Base64.decode(index.pointee.content(of: item)) else {
                throw decoder.mismatch(ByteString.self, "bytes, or a text in base64")
            }
            self.bytes = bytes
        default:
            throw decoder.mismatch(ByteString.self, "a byte string")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? TreeEncoder else {
            var container = encoder.singleValueContainer()
            try container.encode(bytes)
            return
        }
        try encoder.tree.pointee.fill(encoder.node) { $0.byteString(bytes) }
    }
}

/// The ciphertext of a secret field. Tools show it as `•••`; on the wire it is a byte string under ``tag``.
///
/// With other coders it is an array of integers.
public struct SealedBytes: Sendable, Hashable, Codable {
    /// The CBOR tag that marks a sealed value.
    public static let tag: UInt64 = 42476

    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? IndexDecoder else {
            bytes = try decoder.singleValueContainer().decode([UInt8].self)
            return
        }
        let (index, item) = (decoder.index, decoder.item)
        let isSealed = index.pointee.items[item].major == CBORMajor.tag && index.pointee.items[item].argument == Self.tag
        guard isSealed, index.pointee.items[item + 1].major == CBORMajor.bytes else {
            throw decoder.mismatch(SealedBytes.self, "sealed bytes (tag \(Self.tag))")
        }
        bytes = [UInt8](index.pointee.content(of: item + 1))
    }

    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? TreeEncoder else {
            var container = encoder.singleValueContainer()
            try container.encode(bytes)
            return
        }
        try encoder.tree.pointee.fill(encoder.node) { writer in
            writer.tag(Self.tag)
            writer.byteString(bytes)
        }
    }
}
