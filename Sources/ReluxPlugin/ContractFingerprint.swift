/// 64-bit FNV-1a over the canonical text of one topic or snapshot. An effect record has the one that its publisher was built with.
///
/// Two builds with equal fingerprints carry the same bytes for the same values. It says nothing of who wrote them:
/// it is a change detector, not a signature. In JSON it is text, 16 hexadecimal digits, since JSON numbers of that
/// size do not survive every reader.
public struct ContractFingerprint: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Source: Fowler, Noll, Vo; FNV-1a with 64 bits, the published offset basis and prime.
    public init(of text: String) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 {
            hash ^= UInt64(byte)
            hash &*= 0x0000_0100_0000_01b3
        }
        rawValue = hash
    }

    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.utf8.count == 16, let value = UInt64(text, radix: 16) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "a contract fingerprint is 16 hexadecimal digits, not '\(text)'")
        }
        rawValue = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
