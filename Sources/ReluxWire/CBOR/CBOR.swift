/// `Codable` values as CBOR (RFC 8949): definite lengths, shortest heads, sorted map keys. Equal values give equal bytes.
///
/// A struct is a map from its coding keys, an enum a map from the case to a map of its labels (`_0` where there is none), an
/// absent optional is left out, `Float` and `Double` keep their width. A `Set`, and a `Dictionary` whose keys are not
/// strings, are arrays sorted by the bytes of their elements.
///
/// Design notes: encoding collects nodes in an arena and assembles them at the end, so containers may be filled in any order, as
/// `Codable` allows. Decoding first checks and indexes all bytes (``CBORIndex``); the containers then only look up. The state of both
/// lies behind a pointer in struct coders because class fields cost a dynamic exclusivity check per value.
public enum CBOR {
    /// The bytes of `value`.
    /// - Throws: `limitExceeded` when it nests deeper than ``CBORLimits/depth``; `codableFailed` with the error that its
    ///   `encode(to:)` threw.
    public static func encode<T: Encodable>(
        _ value: T, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> [UInt8] {
        try encodeGenerically(value, userInfo: userInfo)
    }

    /// As above for an effect or a snapshot, which may have a coder of its own.
    @inlinable
    public static func encode<T: WireCodable>(
        _ value: T, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> [UInt8] {
        try value.encodedCBOR(userInfo: userInfo)
    }

    /// The value that `bytes` hold, all of them.
    /// - Throws: `truncated`, `malformed`, `limitExceeded` for bytes outside the profile; `typeMismatch`, `missingField` when they do not
    ///   fit `type`, naming the field; `codableFailed` with the error that its `init(from:)` threw.
    public static func decode<T: Decodable>(
        _ type: T.Type, from bytes: [UInt8], userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> T {
        try bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            try decodeGenerically(type, from: UnsafeRawBufferPointer(buffer), userInfo: userInfo)
        }
    }

    /// As above for a part of a frame, without copying it.
    public static func decode<T: Decodable>(
        _ type: T.Type, from bytes: ArraySlice<UInt8>, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> T {
        try bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            try decodeGenerically(type, from: UnsafeRawBufferPointer(buffer), userInfo: userInfo)
        }
    }

    /// As above for an effect or a snapshot, which may have a coder of its own.
    @inlinable
    public static func decode<T: WireCodable>(
        _ type: T.Type, from bytes: [UInt8], userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> T {
        try bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            try T(decodingCBOR: UnsafeRawBufferPointer(buffer), userInfo: userInfo)
        }
    }

    /// As above for a part of a frame, without copying it.
    @inlinable
    public static func decode<T: WireCodable>(
        _ type: T.Type, from bytes: ArraySlice<UInt8>, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> T {
        try bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            try T(decodingCBOR: UnsafeRawBufferPointer(buffer), userInfo: userInfo)
        }
    }

    @usableFromInline
    static func encodeGenerically<T: Encodable>(
        _ value: T, userInfo: [CodingUserInfoKey: any Sendable] = [:], keepsDeclaredOrder: Bool = false, depth: UInt8 = 0
    ) throws(WireError) -> [UInt8] {
        let tree = UnsafeMutablePointer<EncodingTree>.allocate(capacity: 1)
        tree.initialize(to: EncodingTree(userInfo: userInfo, keepsDeclaredOrder: keepsDeclaredOrder, depth: depth))
        defer {
            tree.deinitialize(count: 1)
            tree.deallocate()
        }
        do {
            try TreeEncoder(tree: tree, node: 0).value(value)
        } catch {
            throw WireError(encoding: error, of: T.self)
        }
        if let failure = tree.pointee.failure { throw failure }
        return tree.pointee.assembled()
    }

    @usableFromInline
    static func decodeGenerically<T: Decodable>(
        _ type: T.Type, from bytes: UnsafeRawBufferPointer, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(WireError) -> T {
        try value(type, of: try CBORIndex(bytes, userInfo: userInfo))
    }

    /// The value that begins the items of `checked`.
    static func value<T: Decodable>(_ type: T.Type, of checked: CBORIndex) throws(WireError) -> T {
        let index = UnsafeMutablePointer<CBORIndex>.allocate(capacity: 1)
        index.initialize(to: checked)
        defer {
            index.deinitialize(count: 1)
            index.deallocate()
        }
        do {
            return try IndexDecoder(index: index, item: 0).value(type)
        } catch {
            throw WireError(decoding: error, of: T.self)
        }
    }
}
