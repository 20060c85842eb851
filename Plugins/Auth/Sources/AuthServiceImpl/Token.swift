internal import CSodium
internal import Foundation

/// Session tokens and identifiers from the system's random source.
enum Token {
    /// 32 random bytes in hexadecimal.
    static func make() -> String { hexadecimal(random(32)) }

    /// 16 random bytes in hexadecimal: an account's id.
    static func identifier() -> String { hexadecimal(random(16)) }

    /// The hash that is stored of a token. The token is random, so one unkeyed BLAKE2b is enough: there is nothing to guess.
    static func hash(_ token: String) -> Data {
        var hash = [UInt8](repeating: 0, count: crypto_generichash_bytes())
        let bytes = Array(token.utf8)
        crypto_generichash(&hash, hash.count, bytes, UInt64(bytes.count), nil, 0)
        return Data(hash)
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}
