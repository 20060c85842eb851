public import Relux

/// Seals secrets well enough to tell keys apart in a test; it protects nothing.
///
/// Sealed form: four bytes that depend on key and plain text, then the plain text XOR the key.
public struct XORSealing: Relux.SecretSealing {
    public struct WrongKey: Error {}
    private let key: [UInt8]

    public init(key: String = "test") { self.key = Array((key.isEmpty ? "test" : key).utf8) }

    public func seal(_ plain: [UInt8]) -> [UInt8] { check(plain) + crypt(plain) }

    /// - Throws: `WrongKey` for what another key has sealed, and for what was changed.
    public func open(_ sealed: [UInt8]) throws -> [UInt8] {
        guard sealed.count >= 4 else { throw WrongKey() }
        let plain = crypt(Array(sealed[4...]))
        guard check(plain) == Array(sealed[..<4]) else { throw WrongKey() }
        return plain
    }

    private func crypt(_ bytes: [UInt8]) -> [UInt8] {
        bytes.enumerated().map { $1 ^ key[$0 % key.count] }
    }

    /// FNV-1a.
    private func check(_ plain: [UInt8]) -> [UInt8] {
        let hash = (key + plain).reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return (0..<4).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
    }
}
