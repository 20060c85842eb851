/// Durations as people write and read them: a number and its unit, `100ms`, `30s`, `5m`, `24h`.
package enum DurationText {
    /// A whole number and a unit; nil for anything else.
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

    /// To the millisecond, from a second on to three digits, in hours or minutes where it is a whole number of them: `0.99999374 seconds`
    /// of a clock is `1s`.
    package static func print(_ duration: Duration) -> String {
        guard duration >= .zero else { return "-" + print(.zero - duration) }
        let rounded = milliseconds(duration + .microseconds(500))
        if rounded < 1000 { return "\(rounded)ms" }
        for (unit, size) in [("h", Int64(3_600_000)), ("m", 60_000)] where rounded % size == 0 && (unit == "h" || rounded >= 5 * size) {
            return "\(rounded / size)\(unit)"
        }
        // 1.25s, 12.5s, 125s
        let digits: Int64 = rounded < 10_000 ? 10 : rounded < 100_000 ? 100 : 1000
        let (whole, rest) = ((rounded + digits / 2) / digits * digits / 1000, (rounded + digits / 2) / digits * digits % 1000)
        if rest == 0 { return "\(whole)s" }
        var fraction = String(1000 + rest).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(whole).\(fraction)s"
    }

    package static func milliseconds(_ duration: Duration) -> Int64 {
        let parts = duration.components
        return parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
    }
}
