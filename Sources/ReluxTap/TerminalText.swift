import ReluxWire

/// Text of others for a terminal: what would steer it is shown as an escape.
package enum TerminalText {
    package static func escaped(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: \.isSteering) else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            if scalar.isSteering {
                safe += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }
}

/// Colours, or none.
package struct TerminalStyle: Sendable, Hashable {
    package enum Ink: Int, Sendable { case bold = 1, dim = 2, red = 31, green = 32, yellow = 33, cyan = 36 }

    package let hasColor: Bool

    package init(hasColor: Bool) { self.hasColor = hasColor }

    package static let plain = TerminalStyle(hasColor: false)

    package func callAsFunction(_ text: String, _ ink: Ink) -> String {
        hasColor && !text.isEmpty ? "\u{1b}[\(ink.rawValue)m\(text)\u{1b}[0m" : text
    }
}
