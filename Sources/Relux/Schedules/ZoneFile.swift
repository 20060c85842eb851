/// The contents of a zone file, version 2 and later; RFC 9636. Bad bytes make no value.
struct ZoneFile {
    private(set) var offsetBefore: Int64 = 0
    private(set) var begins: [Int64] = []
    private(set) var offsets: [Int64] = []
    private(set) var tail: PosixZone?

    private struct Header {
        let isUTCount, isStandardCount, leapCount, beginCount, typeCount, characterCount: Int

        func byteCount(ofTimes size: Int) -> Int {
            beginCount * (size + 1) + typeCount * 6 + characterCount + leapCount * (size + 4) + isStandardCount + isUTCount
        }
    }

    init?(_ bytes: [UInt8]) {
        guard let first = Self.header(bytes, at: 0), bytes[4] >= UInt8(ascii: "2") else { return nil }
        let second = 44 + first.byteCount(ofTimes: 4)
        guard let header = Self.header(bytes, at: second) else { return nil }
        let times = second + 44
        let end = times + header.byteCount(ofTimes: 8)
        guard end <= bytes.count, header.typeCount > 0 else { return nil }
        let (kinds, types) = (times + header.beginCount * 8, times + header.beginCount * 9)
        func offset(ofType type: Int) -> Int64? {
            guard type < header.typeCount else { return nil }
            let offset = Int64(Int32(truncatingIfNeeded: Self.number(bytes, at: types + type * 6, size: 4)))
            return Self.offsets.contains(offset) ? offset : nil
        }
        guard let initial = offset(ofType: 0) else { return nil }
        offsetBefore = initial
        for index in 0..<header.beginCount {
            guard let offset = offset(ofType: Int(bytes[kinds + index])) else { return nil }
            // Some files begin with the beginning of time.
            let begin = max(Self.number(bytes, at: times + index * 8, size: 8), -Self.farthest)
            guard begin <= Self.farthest, begins.last.map({ $0 < begin }) ?? true else { return nil }
            begins.append(begin)
            offsets.append(offset)
        }
        guard end < bytes.count, bytes[end] == UInt8(ascii: "\n") else { return }
        let footer = bytes[(end + 1)...].prefix { $0 != UInt8(ascii: "\n") }
        guard !footer.isEmpty else { return }
        guard let zone = PosixZone(String(decoding: footer, as: UTF8.self)) else { return nil }
        tail = zone
    }

    /// No zone is farther from UTC.
    private static let offsets: ClosedRange<Int64> = -26 * 3_600...26 * 3_600
    /// Over 30,000 years, in seconds.
    private static let farthest: Int64 = 1 << 40

    private static func header(_ bytes: [UInt8], at place: Int) -> Header? {
        guard place + 44 <= bytes.count, bytes[place..<place + 4].elementsEqual("TZif".utf8) else { return nil }
        let counts = (0..<6).map { Int(number(bytes, at: place + 20 + $0 * 4, size: 4)) }
        // Far above what any zone has, and low enough for sums.
        guard counts.allSatisfy({ (0...1 << 20).contains($0) }) else { return nil }
        return Header(
            isUTCount: counts[0], isStandardCount: counts[1], leapCount: counts[2], beginCount: counts[3], typeCount: counts[4], characterCount: counts[5])
    }

    /// Big endian; four bytes are not extended.
    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int64 {
        bytes[place..<place + size].reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// The rule of a zone for the years behind its table, as in `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixZone: Sendable, Hashable {
    /// A day of each year and a local time on it.
    private struct Change: Sendable, Hashable {
        enum Day: Sendable, Hashable {
            /// Month, week (5 is the last) and weekday.
            case week(Int, Int, Int)
            /// From 1, the 29th of February never counted.
            case julian(Int)
            /// From 0.
            case ordinal(Int)
        }
        let day: Day
        let time: Int64

        /// Seconds since 1970 as if the zone were UTC.
        func local(in year: Int) -> Int64 {
            let number: Int
            switch day {
            case .julian(let day):
                number = CivilDay(year: year, month: 1, day: day + (day > 59 && CivilDay.isLeap(year) ? 1 : 0)).number
            case .ordinal(let day): number = CivilDay(year: year, month: 1, day: 1).number + day
            case .week(let month, let week, let weekday):
                let first = CivilDay(year: year, month: month, day: 1)
                let next = CivilDay(year: year, month: month + 1, day: 1).number
                var day = first.number + (weekday - first.weekday + 7) % 7 + (week - 1) * 7
                while day >= next { day -= 7 }
                number = day
            }
            return Int64(number) * 86_400 + time
        }
    }
    private let standard: Int64
    private let summer: (offset: Int64, begin: Change, end: Change)?

    static func == (left: Self, right: Self) -> Bool {
        left.standard == right.standard && left.summer?.offset == right.summer?.offset && left.summer?.begin == right.summer?.begin
            && left.summer?.end == right.summer?.end
    }

    func hash(into hasher: inout Hasher) { hasher.combine(standard) }

    func segment(at second: Int64) -> TimeZoneRules.Segment {
        guard let summer else { return TimeZoneRules.Segment(offset: standard, end: nil) }
        let year = CivilDay(number: Int(second.flooredDivision(by: 86_400).quotient)).year
        let changes = (year - 1...year + 1).flatMap { year in
            [(summer.begin.local(in: year) - standard, summer.offset), (summer.end.local(in: year) - summer.offset, standard)]
        }.sorted { $0.0 < $1.0 }
        let next = changes.firstIndex { $0.0 > second } ?? changes.count
        return TimeZoneRules.Segment(offset: next == 0 ? standard : changes[next - 1].1, end: next < changes.count ? changes[next].0 : nil)
    }

    /// nil for anything else.
    init?(_ text: String) {
        var rest = text[...]
        guard Self.takeName(&rest), let west = Self.takeTime(&rest) else { return nil }
        guard abs(west) <= 26 * 3_600 else { return nil }
        standard = -west
        guard !rest.isEmpty else {
            summer = nil
            return
        }
        guard Self.takeName(&rest) else { return nil }
        var offset = standard + 3_600
        if let first = rest.first, first != "," {
            guard let west = Self.takeTime(&rest) else { return nil }
            guard abs(west) <= 26 * 3_600 else { return nil }
            offset = -west
        }
        guard let begin = Self.takeChange(&rest), let end = Self.takeChange(&rest), rest.isEmpty else { return nil }
        summer = (offset, begin, end)
    }

    private static func takeName(_ rest: inout Substring) -> Bool {
        if rest.first == "<" {
            guard let end = rest.firstIndex(of: ">") else { return false }
            rest = rest[rest.index(after: end)...]
            return true
        }
        let name = rest.prefix { $0.isASCII && $0.isLetter }
        rest = rest.dropFirst(name.count)
        return name.count >= 3
    }

    private static func takeNumber(_ rest: inout Substring) -> Int? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (1...3).contains(digits.count), let number = Int(digits) else { return nil }
        rest = rest.dropFirst(digits.count)
        return number
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    private static func takeTime(_ rest: inout Substring) -> Int64? {
        var sign: Int64 = 1
        if let first = rest.first, first == "-" || first == "+" {
            sign = first == "-" ? -1 : 1
            rest.removeFirst()
        }
        guard let hours = takeNumber(&rest), hours <= 167 else { return nil }
        var seconds = Int64(hours) * 3_600
        for unit: Int64 in [60, 1] where rest.first == ":" {
            rest.removeFirst()
            guard let number = takeNumber(&rest) else { return nil }
            seconds += Int64(number) * unit
        }
        return sign * seconds
    }

    /// `,Mm.w.d[/time]`, `,Jn[/time]` or `,n[/time]`.
    private static func takeChange(_ rest: inout Substring) -> Change? {
        guard rest.first == "," else { return nil }
        rest.removeFirst()
        let day: Change.Day
        switch rest.first {
        case "M":
            rest.removeFirst()
            var numbers: [Int] = []
            for index in 0..<3 {
                if index > 0 {
                    guard rest.first == "." else { return nil }
                    rest.removeFirst()
                }
                guard let number = takeNumber(&rest) else { return nil }
                numbers.append(number)
            }
            guard (1...12).contains(numbers[0]), (1...5).contains(numbers[1]), (0...6).contains(numbers[2]) else { return nil }
            day = .week(numbers[0], numbers[1], numbers[2])
        case "J":
            rest.removeFirst()
            guard let number = takeNumber(&rest), (1...365).contains(number) else { return nil }
            day = .julian(number)
        default:
            guard let number = takeNumber(&rest), number <= 365 else { return nil }
            day = .ordinal(number)
        }
        guard rest.first == "/" else { return Change(day: day, time: 7_200) }
        rest.removeFirst()
        return takeTime(&rest).map { Change(day: day, time: $0) }
    }
}
