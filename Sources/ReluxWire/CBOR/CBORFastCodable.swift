/// A type with a coder of its own that writes the same bytes as its `Codable` conformance, only faster.
///
/// Generated code conforms; nobody needs to by hand. ``CBOR`` asks for it at the top level only. Decoding expects keys in the
/// deterministic order; when ``init(cbor:)`` throws, the generic decoder is tried, which takes any order and knows the better message.
public protocol CBORFastCodable: Codable {
    /// Appends exactly one item: the bytes that `CBOR.encode` would give without this conformance.
    func encodeCBOR(into writer: inout CBORWriter)
    /// Reads exactly one item.
    init(cbor reader: inout CBORReader) throws(WireError)
}
