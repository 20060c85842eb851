/// The times of a schedule.
enum ScheduleRule: Sendable, Hashable {
    case every(Duration)
    case at(Relux.WallTime)
    case cron(CronLine, TimeZoneRules)
    /// It has a fault.
    case never

    static let shortest = Duration.milliseconds(10)
    static let longestJitter = Duration.seconds(86_400)
    static let longest = Duration.seconds(100 * 366 * 86_400)

    /// The first time behind that one; nil when there is none.
    func next(after time: Relux.WallTime) -> Relux.WallTime? {
        switch self {
        case .every(let interval):
            let step = max(1, interval.wholeMilliseconds)
            let (next, overflow) = (time.milliseconds.flooredDivision(by: step).quotient + 1).multipliedReportingOverflow(by: step)
            return overflow ? nil : Relux.WallTime(milliseconds: next)
        case .at(let moment): return moment > time ? moment : nil
        case .cron(let line, let zone):
            return line.next(after: time.milliseconds.flooredDivision(by: 1_000).quotient, in: zone).map { Relux.WallTime(milliseconds: $0 * 1_000) }
        case .never: return nil
        }
    }

    /// How far the clock may go back before the times are counted anew from where it stands: until then no time comes twice.
    var patience: Duration {
        if case .every(let interval) = self { return interval }
        return .seconds(3 * 3_600)
    }
}

extension ScheduleRule: CustomStringConvertible {
    /// Exactly, in the largest unit of which it is a whole number.
    static func text(of span: Duration) -> String {
        let milliseconds = span.wholeMilliseconds
        let units: KeyValuePairs<String, Int64> = ["h": 3_600_000, "m": 60_000, "s": 1_000]
        let (name, size) = units.first { milliseconds != 0 && milliseconds % $0.value == 0 }.map { ($0.key, $0.value) } ?? ("ms", 1)
        return "\(milliseconds / size)\(name)"
    }

    var description: String {
        switch self {
        case .every(let interval): "every \(Self.text(of: interval))"
        case .at(let moment): "at \(moment)"
        case .cron(let line, let zone): "cron \(line.text)" + (zone.name == "UTC" ? "" : " \(zone.name)")
        case .never: "never"
        }
    }
}

extension Relux.Schedule {
    /// When the tick of that time is emitted.
    func emission(of due: Relux.WallTime) -> Relux.WallTime {
        let span = jitter.wholeMilliseconds
        guard span > 0 else { return due }
        // FNV-1a: the same in each process.
        var hash = name.utf8.reduce(UInt64(0xcbf2_9ce4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        withUnsafeBytes(of: due.milliseconds.littleEndian) { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 } }
        return due + .milliseconds(Int64((hash >> 16) % UInt64(span + 1)))
    }

    /// Times that have come.
    struct Reached: Equatable {
        var earliest: Relux.WallTime
        var latest: Relux.WallTime
        /// At most ``Relux/Schedule/countLimit``.
        var count: Int
        /// There are more.
        var isCapped = false
    }

    /// How many missed ticks are counted, and made up for.
    static let countLimit = 1_000

    /// The times behind `last` whose ticks are due; nil when none is.
    func reached(after last: Relux.WallTime, by now: Relux.WallTime) -> Reached? {
        guard let first = due(after: last, by: now) else { return nil }
        var reached = Reached(earliest: first, latest: first, count: 1)
        while let next = due(after: reached.latest, by: now) {
            if reached.count == Self.countLimit {
                // Too many to be looked at one by one.
                reached = self.last(by: now).map { Reached(earliest: first, latest: $0, count: Self.countLimit, isCapped: true) } ?? reached
                break
            }
            reached.latest = next
            reached.count += 1
        }
        return reached
    }

    private func due(after last: Relux.WallTime, by now: Relux.WallTime) -> Relux.WallTime? {
        rule.next(after: last).flatMap { emission(of: $0) <= now ? $0 : nil }
    }

    /// The latest time whose tick is due: found from the end, because a module that was away for long has missed very many.
    private func last(by now: Relux.WallTime) -> Relux.WallTime? {
        var window = Duration.milliseconds(max(jitter.wholeMilliseconds, rule.shortestGap.wholeMilliseconds) * 4)
        while window < .seconds(400 * 86_400) {
            var found = due(after: now + (.zero - window), by: now)
            if found != nil {
                while let next = found.flatMap({ due(after: $0, by: now) }) { found = next }
                return found
            }
            window = window * 2
        }
        return nil
    }

    /// The times of the last ``countLimit`` ticks that are due begin behind this one.
    func beginOfLast(by now: Relux.WallTime) -> Relux.WallTime {
        var (low, high) = (Duration.zero, Duration.seconds(400 * 86_400))
        // By halves: the span that has as many as may be made up for.
        for _ in 0..<40 {
            let middle = (low + high) / 2
            var (count, place) = (0, now + (.zero - middle))
            while count <= Self.countLimit, let next = due(after: place, by: now) { (count, place) = (count + 1, next) }
            if count <= Self.countLimit { low = middle } else { high = middle }
        }
        return now + (.zero - low)
    }
}

extension ScheduleRule {
    /// No two times are closer.
    fileprivate var shortestGap: Duration {
        switch self {
        case .every(let interval): interval
        case .at, .never: .seconds(1)
        case .cron: .seconds(60)
        }
    }
}
