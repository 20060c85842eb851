/// Durations as the configuration writes them: a whole number and its unit, `100ms`, `30s`, `5m`, `24h`.
package enum DurationText {
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, digits.utf8.count <= 12, let number = Int64(digits) else { return nil }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        switch unit {
        case "ms": return .milliseconds(number)
        case "s": return .seconds(number)
        case "m": return .seconds(number * 60)
        case "h": return .seconds(number * 3600)
        default: return nil
        }
    }

    package static func print(_ duration: Duration) -> String {
        let milliseconds = milliseconds(duration)
        if milliseconds % 1000 != 0 || milliseconds == 0 { return "\(milliseconds)ms" }
        return "\(milliseconds / 1000)s"
    }

    package static func milliseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
