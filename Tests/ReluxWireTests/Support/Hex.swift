/// Bytes as hex text and back; blanks and `#` comments are ignored.
enum Hex {
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.split(separator: "\n", omittingEmptySubsequences: false)
            .flatMap { $0.prefix { $0 != "#" } }
            .compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    static func text(_ bytes: some Collection<UInt8>) -> String {
        bytes.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: " ")
    }
}
