extension Relux {
    /// A moment by the machine's clock. People and time servers set that clock, so it may go back: spans are measured by ``NodeClock/now``.
    public struct WallTime: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// Since 1970-01-01 00:00 UTC, leap seconds not counted.
        public var milliseconds: Int64

        public init(milliseconds: Int64) { self.milliseconds = milliseconds }

        /// A moment in UTC. A field over its range counts on: the 32nd of January is the 1st of February.
        public init(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0, _ minute: Int = 0, _ second: Int = 0) {
            let days = Int64(CivilDay(year: year, month: month, day: 1).number + day - 1)
            milliseconds = (days * 86_400 + Int64(hour) * 3_600 + Int64(minute) * 60 + Int64(second)) * 1_000
        }

        public static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

        /// The moment so much later; at the end of the range that end.
        public static func + (time: Self, span: Duration) -> Self {
            let (sum, overflow) = time.milliseconds.addingReportingOverflow(span.wholeMilliseconds)
            return Self(milliseconds: overflow ? (span < .zero ? .min : .max) : sum)
        }

        /// The span from the other moment to this one; negative when this one is earlier.
        public static func - (left: Self, right: Self) -> Duration {
            let (difference, overflow) = left.milliseconds.subtractingReportingOverflow(right.milliseconds)
            return .milliseconds(overflow ? (left < right ? .min : .max) : difference)
        }

        /// As ISO 8601 in UTC: `2026-11-29T08:00:00Z`, with milliseconds where it has any.
        public var description: String {
            let (second, rest) = milliseconds.flooredDivision(by: 1_000)
            let (day, time) = second.flooredDivision(by: 86_400)
            let date = CivilDay(number: Int(day))
            let fraction = rest == 0 ? "" : ".\(rest.padded(to: 3))"
            return "\(Int64(date.year).padded(to: 4))-\(Int64(date.month).padded(to: 2))-\(Int64(date.day).padded(to: 2))T"
                + "\((time / 3_600).padded(to: 2)):\((time / 60 % 60).padded(to: 2)):\((time % 60).padded(to: 2))\(fraction)Z"
        }
    }
}

extension Relux.WallTime: Codable {
    public init(from decoder: any Decoder) throws { milliseconds = try decoder.singleValueContainer().decode(Int64.self) }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}

/// A day of the Gregorian calendar, and its number since 1970-01-01.
struct CivilDay: Hashable, Sendable {
    let year: Int
    /// From 1.
    let month: Int
    let day: Int
    let number: Int

    /// Sunday is 0.
    var weekday: Int { (number % 7 + 11) % 7 }

    /// - Parameter month: over 12 it counts on into the next years.
    init(year: Int, month: Int, day: Int) {
        let (years, index) = (month - 1).flooredDivision(by: 12)
        self.init(number: Self.number(year + years, index + 1) + day - 1)
    }

    init(number: Int) {
        self.number = number
        // 400 years have 146,097 days. From the first guess on the year is at most one too high.
        var year = 1970 + (number * 400).flooredDivision(by: 146_097).quotient
        while Self.number(year, 1) > number { year -= 1 }
        while Self.number(year + 1, 1) <= number { year += 1 }
        var month = 1
        while month < 12, Self.number(year, month + 1) <= number { month += 1 }
        (self.year, self.month) = (year, month)
        day = number - Self.number(year, month) + 1
    }

    static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static let daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334]

    /// The number of the month's first day.
    private static func number(_ year: Int, _ month: Int) -> Int {
        let before = year - 1
        let leaps = before.flooredDivision(by: 4).quotient - before.flooredDivision(by: 100).quotient + before.flooredDivision(by: 400).quotient
        // 477 leap years lie before 1970.
        return (year - 1970) * 365 + leaps - 477 + daysBefore[month - 1] + (month > 2 && isLeap(year) ? 1 : 0)
    }
}

extension FixedWidthInteger {
    /// Rounded down, so that the rest is never negative.
    func flooredDivision(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension Int64 {
    fileprivate func padded(to width: Int) -> String {
        let digits = String(magnitude)
        return (self < 0 ? "-" : "") + String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
    }
}

extension Duration {
    /// Rounded towards zero; at the ends of the range those.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        if overflow { return seconds < 0 ? .min : .max }
        let (sum, isOver) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return isOver ? (seconds < 0 ? .min : .max) : sum
    }
}
