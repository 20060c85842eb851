/// A type whose values travel as payloads: effects and shared snapshots.
///
/// Nobody writes these by hand. By default they are what `Codable` gives; a type that is ``CBORFastCodable`` as well gets its own. The
/// compiler chooses where the type declares its conformance, so that no value is ever cast to find out.
public protocol WireCodable: Codable {
    /// The value's bytes, as ``CBOR`` gives them.
    /// - Throws: what `CBOR.encode` does.
    func encodedCBOR(userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8]
    /// The value that `bytes` hold, all of them.
    /// - Throws: what `CBOR.decode` does.
    init(decodingCBOR bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError)
}

extension WireCodable {
    public func encodedCBOR(userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8] {
        try CBOR.encodeGenerically(self, userInfo: userInfo)
    }

    public init(decodingCBOR bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) {
        self = try CBOR.decodeGenerically(Self.self, from: bytes, userInfo: userInfo)
    }
}

/// A type with a coder of its own that writes the same bytes as its `Codable` conformance, only faster.
///
/// `relux generate` writes the conformance; nobody needs to by hand. It may give up on whatever it likes: when one of the two throws,
/// the generic coder is asked, which takes keys in any order and knows the better message. So what is read fast has to be right, and what
/// is refused fast need not be wrong.
public protocol CBORFastCodable: WireCodable {
    /// Appends exactly one item: the bytes that `CBOR.encode` would give without this conformance.
    func encodeCBOR(into writer: inout CBORWriter) throws(WireError)
    /// Reads exactly one item.
    init(cbor reader: inout CBORReader) throws(WireError)
}

extension WireCodable where Self: CBORFastCodable {
    @inlinable
    public func encodedCBOR(userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) -> [UInt8] {
        try CBOR.encodeFast(self, userInfo: userInfo)
    }

    @inlinable
    public init(decodingCBOR bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable]) throws(WireError) {
        self = try CBOR.decodeFast(Self.self, from: bytes, userInfo: userInfo)
    }
}

// Inlined where the type is known: asked for any type, they would first have to find out what a value of it takes.
extension CBOR {
    /// The type's own coder, then the generic one.
    @inlinable
    package static func encodeFast<T: CBORFastCodable>(
        _ value: T, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws(WireError) -> [UInt8] {
        let bytes = withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { scratch -> [UInt8]? in
            var writer = CBORWriter(scratch, userInfo: userInfo)
            do throws(WireError) { try value.encodeCBOR(into: &writer) } catch { return nil }
            return writer.count <= CBORLimits.byteCount ? writer.bytes : nil
        }
        if let bytes { return bytes }
        return try encodeGenerically(value, userInfo: userInfo)
    }

    /// The type's own coder, then the generic one.
    @inlinable
    package static func decodeFast<T: CBORFastCodable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable]
    ) throws(WireError) -> T {
        if bytes.count <= CBORLimits.byteCount {
            var reader = CBORReader(bytes, userInfo: userInfo)
            do throws(WireError) {
                let value = try T(cbor: &reader)
                if reader.isAtEnd { return value }
            } catch {
                // The generic coder says what is wrong, if anything is.
            }
        }
        return try decodeGenerically(type, from: bytes, userInfo: userInfo)
    }
}
