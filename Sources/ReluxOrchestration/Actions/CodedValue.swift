public import Relux

/// A value of a context as it crosses processes.
public struct CodedValue: Codable, Sendable, Hashable {
    /// The type's path without its Swift module; the value is nil for whoever asks for another one.
    public let type: String
    /// CBOR.
    public let bytes: ByteString

    init(type: String, bytes: ByteString) {
        self.type = type
        self.bytes = bytes
    }
}
