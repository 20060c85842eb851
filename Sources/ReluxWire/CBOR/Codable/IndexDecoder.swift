/// The `Decoder` of ``CBOR``: one item of a ``CBORIndex``.
///
/// Valid only during the `init(from:)` call that it was passed to, as are its containers.
struct IndexDecoder: Decoder, SingleValueDecodingContainer {
    let index: UnsafeMutablePointer<CBORIndex>
    let item: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { index.pointee.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard index.pointee.items[item].major == CBORMajor.map else { throw mismatch(type, "a map") }
        return KeyedDecodingContainer(IndexKeyedContainer<Key>(index: index, map: item))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard index.pointee.items[item].major == CBORMajor.array else { throw mismatch([Any].self, "an array") }
        return IndexUnkeyedContainer(index: index, array: item)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { index.pointee.items[item].initial == CBORSimple.null }

    // One generic method satisfies the requirement for each scalar type too, see `TreeEncoder.encode`.
    @inline(__always)
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try value(type) }

    @inline(__always)
    func value<T: Decodable>(_ type: T.Type) throws -> T {
        if T.self == String.self { return same(try text()) }
        if T.self == Int.self { return same(try integer(Int.self)) }
        if T.self == Bool.self { return same(try bool()) }
        if T.self == Double.self { return same(try double()) }
        if T.self == Float.self { return same(try float()) }
        if T.self == Int64.self { return same(try integer(Int64.self)) }
        if T.self == Int32.self { return same(try integer(Int32.self)) }
        if T.self == Int16.self { return same(try integer(Int16.self)) }
        if T.self == Int8.self { return same(try integer(Int8.self)) }
        if T.self == UInt.self { return same(try integer(UInt.self)) }
        if T.self == UInt64.self { return same(try integer(UInt64.self)) }
        if T.self == UInt32.self { return same(try integer(UInt32.self)) }
        if T.self == UInt16.self { return same(try integer(UInt16.self)) }
        if T.self == UInt8.self { return same(try integer(UInt8.self)) }
        return try T(from: self)
    }

    private func text() throws -> String {
        guard index.pointee.items[item].major == CBORMajor.text else { throw mismatch(String.self, "a text") }
        return index.pointee.text(of: item)
    }

    private func bool() throws -> Bool {
        switch index.pointee.items[item].initial {
        case CBORSimple.true: return true
        case CBORSimple.false: return false
        default: throw mismatch(Bool.self, "true or false")
        }
    }

    @inline(__always)
    private func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
        let argument = index.pointee.items[item].argument
        switch index.pointee.items[item].major {
        case CBORMajor.unsigned:
            if let value = I(exactly: argument) { return value }
        case CBORMajor.negative:
            if let value = Int64(exactly: argument), let value = I(exactly: ~value) { return value }
        default: break
        }
        throw mismatch(type, "an integer from \(I.min) to \(I.max)")
    }

    /// Integers are taken too: writers in other languages, and JSON, do not tell 3 from 3.0.
    private func double() throws -> Double {
        if let value = index.pointee.floatingPoint(of: item) { return value }
        switch index.pointee.items[item].major {
        case CBORMajor.unsigned: return Double(index.pointee.items[item].argument)
        case CBORMajor.negative: return -1 - Double(index.pointee.items[item].argument)
        default: throw mismatch(Double.self, "a number")
        }
    }

    private func float() throws -> Float {
        let value = try double()
        let narrowed = Float(value)
        guard narrowed.isFinite || !value.isFinite else { throw mismatch(Float.self, "a number that fits 32 bits") }
        return narrowed
    }

    func mismatch(_ type: Any.Type, _ expected: String) -> DecodingError {
        let found = index.pointee.kind(of: item)
        let context = DecodingError.Context(codingPath: [], debugDescription: "expected \(expected), found \(found)")
        return decodeNil() ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }
}
