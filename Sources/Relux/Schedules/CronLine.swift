import ReluxWire

/// The times of a cron line: minute, hour, day of the month, month, day of the week, by the local time of a zone.
///
/// Where both days are restricted, either will do. A line that names its hour fires once per local time: in the spring the local times that do
/// not exist fire together right behind the gap, and in the autumn the first of two equal ones counts. A line whose minute or hour begins with `*`
/// goes by the time that passes.
struct CronLine: Sendable, Hashable {
    let text: String
    private let minutes: CronField
    private let hours: CronField
    private let days: CronField
    private let months: CronField
    private let weekdays: CronField

    private static let nicknames = [
        "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
    ]

    /// - Throws: the field, its value, its range and the remedy.
    init(_ text: String) throws(ScheduleFault) {
        guard text.utf8.count <= Self.byteLimit else {
            throw ScheduleFault("a cron line of \(text.utf8.count) bytes is over the limit of \(Self.byteLimit); use several schedules")
        }
        self.text = text
        let line = Self.nicknames[text] ?? text
        let fields = line.split { $0 == " " || $0 == "\t" }
        guard fields.count == 5 else {
            throw ScheduleFault(
                "the cron line \"\(text.cut(to: 80))\" has \(fields.count) field\(fields.count == 1 ? "" : "s"); it takes 5: minute, hour, day of the month,"
                    + " month, day of the week, as in \"0 8 * * MON-FRI\", or one of \(Self.nicknames.keys.sorted().joined(separator: ", "))")
        }
        minutes = try CronField(fields[0], .minute, of: text)
        hours = try CronField(fields[1], .hour, of: text)
        days = try CronField(fields[2], .day, of: text)
        months = try CronField(fields[3], .month, of: text)
        weekdays = try CronField(fields[4], .weekday, of: text)
        guard next(after: 0, in: .utc) != nil else {
            throw ScheduleFault("the cron line \"\(text.cut(to: 80))\" has no time at all: none of its months has such a day; correct day and month")
        }
    }

    /// The journal has it in words.
    private static let byteLimit = 256
    /// How far the search goes: from one 29th of February to the next one may be 8 years.
    private static let horizon = 366 * 9

    /// The first time behind that moment, in seconds since 1970; nil when there is none within years.
    func next(after second: Int64, in zone: TimeZoneRules) -> Int64? {
        minutes.isOpen || hours.isOpen ? nextByPassing(after: second, in: zone) : nextByClock(after: second, in: zone)
    }

    /// Local times, each once.
    private func nextByClock(after second: Int64, in zone: TimeZoneRules) -> Int64? {
        let local = second + zone.segment(at: second).offset
        var (day, time) = local.flooredDivision(by: 86_400)
        // The times of the next local minute and later.
        var minute = Int(time / 60) + 1
        for _ in 0...Self.horizon {
            if matches(day: Int(day)) {
                var next = self.minute(from: minute)
                while let found = next {
                    let moment = zone.moment(ofLocal: day * 86_400 + Int64(found) * 60)
                    if moment > second { return moment }
                    next = self.minute(from: found + 1)
                }
            }
            (day, minute) = (day + 1, 0)
        }
        return nil
    }

    /// Minutes that pass, whatever the clocks on the wall show meanwhile.
    private func nextByPassing(after second: Int64, in zone: TimeZoneRules) -> Int64? {
        var moment = (second.flooredDivision(by: 60).quotient + 1) * 60
        let limit = moment + Int64(Self.horizon) * 86_400
        while moment < limit {
            let segment = zone.segment(at: moment)
            let end = min(segment.end ?? limit, limit)
            while moment < end {
                let (day, time) = (moment + segment.offset).flooredDivision(by: 86_400)
                if matches(day: Int(day)), let found = minute(from: Int(time / 60)) {
                    moment = day * 86_400 + Int64(found) * 60 - segment.offset
                    if moment < end { return moment }
                } else {
                    moment = (day + 1) * 86_400 - segment.offset
                }
            }
            // Old offsets have seconds.
            moment = max(moment, (end + 59).flooredDivision(by: 60).quotient * 60)
        }
        return nil
    }

    private func matches(day number: Int) -> Bool {
        let day = CivilDay(number: number)
        guard months.contains(day.month) else { return false }
        let (isDay, isWeekday) = (days.contains(day.day), weekdays.contains(day.weekday))
        return days.isOpen || weekdays.isOpen ? isDay && isWeekday : isDay || isWeekday
    }

    /// The first matching minute of a day from that one on; nil when none is left.
    private func minute(from first: Int) -> Int? {
        guard first < 1440 else { return nil }
        for hour in (first / 60)..<24 where hours.contains(hour) {
            for minute in (hour == first / 60 ? first % 60 : 0)..<60 where minutes.contains(minute) { return hour * 60 + minute }
        }
        return nil
    }
}

/// One field of a cron line: the set of values that it takes.
struct CronField: Sendable, Hashable {
    enum Kind: Sendable {
        case minute, hour, day, month, weekday

        fileprivate var name: String {
            switch self {
            case .minute: "minute"
            case .hour: "hour"
            case .day: "day of the month"
            case .month: "month"
            case .weekday: "day of the week"
            }
        }

        fileprivate var range: ClosedRange<Int> {
            switch self {
            case .minute: 0...59
            case .hour: 0...23
            case .day: 1...31
            case .month: 1...12
            // Sunday has two numbers.
            case .weekday: 0...7
            }
        }

        fileprivate var names: [String] {
            switch self {
            case .month: ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
            case .weekday: ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
            default: []
            }
        }
    }
    private var values: UInt64 = 0
    /// It begins with `*`.
    let isOpen: Bool

    func contains(_ value: Int) -> Bool { values & 1 << UInt64(value) != 0 }

    fileprivate init(_ text: Substring, _ kind: Kind, of line: String) throws(ScheduleFault) {
        isOpen = text.first == "*"
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            let range = try Self.range(sides[0], kind, hasStep: sides.count == 2, of: line)
            var step = 1
            if sides.count == 2 {
                guard let number = Self.number(sides[1]), (1...kind.range.upperBound).contains(number) else {
                    throw Self.fault("the step \"\(sides[1])\" is no number from 1 to \(kind.range.upperBound)", kind, line)
                }
                step = number
            }
            for value in stride(from: range.lowerBound, through: range.upperBound, by: step) {
                values |= 1 << UInt64(kind == .weekday && value == 7 ? 0 : value)
            }
        }
    }

    private static func range(_ text: Substring, _ kind: Kind, hasStep: Bool, of line: String) throws(ScheduleFault) -> ClosedRange<Int> {
        if text == "*" { return kind == .weekday ? 0...6 : kind.range }
        let ends = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        let first = try value(ends[0], kind, of: line)
        guard ends.count == 2 else { return hasStep ? first...kind.range.upperBound : first...first }
        let last = try value(ends[1], kind, of: line)
        // Friday to Sunday.
        let end = kind == .weekday && last == 0 && first > 0 ? 7 : last
        guard first <= end else { throw fault("the range \"\(text)\" ends before it begins", kind, line) }
        return first...end
    }

    private static func value(_ text: Substring, _ kind: Kind, of line: String) throws(ScheduleFault) -> Int {
        if let index = kind.names.firstIndex(of: text.uppercased()) { return index + kind.range.lowerBound }
        guard let number = number(text), kind.range.contains(number) else {
            let names = kind.names.isEmpty ? "" : " or \(kind.names[0]) to \(kind.names[kind.names.count - 1])"
            throw fault("\"\(text)\" is not \(kind.range.lowerBound) to \(kind.range.upperBound)\(names)", kind, line)
        }
        return number
    }

    private static func number(_ text: Substring) -> Int? {
        text.utf8.count <= 2 && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
    }

    private static func fault(_ what: String, _ kind: Kind, _ line: String) -> ScheduleFault {
        ScheduleFault("the \(kind.name) of the cron line \"\(line.cut(to: 80))\": \(what.cut(to: 120)); it takes *, numbers, names, a-b, a,b, */n and a-b/n")
    }
}

/// Why a schedule cannot be kept, with the value, the limit and the remedy.
struct ScheduleFault: Error, Hashable, Sendable {
    let message: String

    init(_ message: String) { self.message = message }
}
