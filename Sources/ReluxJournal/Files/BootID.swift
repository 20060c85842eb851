/// One start of the machine.
package struct BootID: Sendable, Hashable, CustomStringConvertible {
    /// Sixteen bytes.
    package let bytes: [UInt8]

    /// nil unless there are sixteen bytes.
    package init?(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
        guard self.bytes.count == 16 else { return nil }
    }

    /// Sixteen bytes, each written as two hexadecimal digits; dashes are skipped. nil for anything else.
    package init?(parsing text: String) {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }.map { Character(UnicodeScalar($0)) }
        guard digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard let high = digits[index].hexDigitValue, let low = digits[index + 1].hexDigitValue else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        self.bytes = bytes
    }

    package var description: String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
