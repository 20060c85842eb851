/// Bytes as one CBOR byte string instead of an array of numbers.
public struct ByteString: Sendable, Hashable, Codable {
    public var bytes: [UInt8]
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
