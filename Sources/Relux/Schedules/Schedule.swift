import ReluxWire

extension Relux {
    /// Emits an effect at times: every so often, once, or by a cron line.
    ///
    /// ```swift
    /// static var schedules: [Relux.Schedule] {
    ///     [
    ///         .every(.seconds(30), "poll") { _ in Uptime.Business.Effect.check },
    ///         .cron("0 8 * * MON-FRI", in: "Europe/Berlin", "report") { Reports.Business.Effect.write(day: $0.due) },
    ///     ]
    /// }
    /// ```
    /// The effect is the module's own, without a cause. In a cluster its record in the journal is also the schedule's place: each tick is emitted once,
    /// whatever is killed, moved or upgraded. One tick of a schedule is under way at a time, until all recipients have settled it or its deadline has
    /// passed; a tick that comes due meanwhile is a missed one.
    public struct Schedule: Sendable, CustomStringConvertible {
        /// The fate of ticks that came due while the module did not run, or while the tick before was under way.
        public enum Missed: String, Sendable, Hashable, Codable {
            /// They are left out. The latest is emitted all the same if it is less than a minute late.
            case skip
            /// Each is emitted, one after the other, the oldest first; at most the last 1,000.
            case catchUp
            /// The latest is emitted, and says how many it stands for.
            case coalesce
        }

        public let name: String
        public let missed: Missed
        /// How much later than its time a tick may be emitted, at most a day: by a span that follows from the schedule's name and the time, and so is the same again
        /// after a restart. It spreads what many schedules do at one time.
        public let jitter: Duration
        let rule: ScheduleRule
        /// Why it cannot be kept; nil when it can.
        let fault: ScheduleFault?
        let effectType: any Relux.Effect.Type
        let effect: @Sendable (Tick) -> any Relux.Effect
        let site: Site

        /// Each time a whole number of intervals has passed since 1970-01-01 00:00 UTC: `.seconds(3600)` is each full hour.
        ///
        /// - Parameters:
        ///   - interval: whole milliseconds, at least 10.
        ///   - name: unique in the module; letters, digits, `-`, `_` and `.`, at most 64 bytes. The journal knows the schedule by it.
        ///   - jitter: shorter than the interval.
        public static func every<E: Relux.Effect>(
            _ interval: Duration, _ name: String, jitter: Duration = .zero, missed: Missed = .coalesce,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            effect: @escaping @Sendable (Tick) -> E
        ) -> Schedule {
            Schedule(name, .every(interval), jitter, missed, Site(fileID, lineNumber, functionName), effect)
        }

        /// Once. A time that has passed before the module ran for the first time is not made up for.
        public static func at<E: Relux.Effect>(
            _ time: WallTime, _ name: String, jitter: Duration = .zero, missed: Missed = .coalesce,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            effect: @escaping @Sendable (Tick) -> E
        ) -> Schedule {
            Schedule(name, .at(time), jitter, missed, Site(fileID, lineNumber, functionName), effect)
        }

        /// By a cron line of five fields: minute, hour, day of the month, month, day of the week.
        ///
        /// A line that names its hour fires once for each local time: a time that does not exist when summer begins comes right behind the gap, and of two
        /// equal ones when it ends the first counts. A line whose minute or hour begins with `*` goes by the time that passes.
        /// - Parameters:
        ///   - line: with `*`, lists, ranges, steps and English names, or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.
        ///   - zone: a name of the system's time zones, as in `Europe/Berlin`.
        public static func cron<E: Relux.Effect>(
            _ line: String, in zone: String = "UTC", _ name: String, jitter: Duration = .zero, missed: Missed = .coalesce,
            fileID: StaticString = #fileID, functionName: StaticString = #function, lineNumber: UInt = #line,
            effect: @escaping @Sendable (Tick) -> E
        ) -> Schedule {
            let site = Site(fileID, lineNumber, functionName)
            do throws(ScheduleFault) {
                return Schedule(name, .cron(try CronLine(line), try TimeZoneRules(named: zone)), jitter, missed, site, effect)
            } catch {
                return Schedule(name, .never, jitter, missed, site, fault: error, effect)
            }
        }

        private init<E: Relux.Effect>(
            _ name: String, _ rule: ScheduleRule, _ jitter: Duration, _ missed: Missed, _ site: Site, fault: ScheduleFault? = nil,
            _ effect: @escaping @Sendable (Tick) -> E
        ) {
            (self.name, self.rule, self.jitter, self.missed, self.site) = (name, rule, jitter, missed, site)
            self.fault = fault ?? Self.fault(name, rule, jitter)
            effectType = E.self
            self.effect = effect
        }

        private static func fault(_ name: String, _ rule: ScheduleRule, _ jitter: Duration) -> ScheduleFault? {
            let isName = (1...64).contains(name.utf8.count)
                && name.utf8.allSatisfy { byte in
                    let character = Character(UnicodeScalar(byte))
                    return character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
                }
            guard isName else {
                return ScheduleFault("\"\(name.cut(to: 80))\" is no name of a schedule; take 1 to 64 letters, digits, -, _ or .")
            }
            guard jitter >= .zero, jitter <= ScheduleRule.longestJitter else { return ScheduleFault("its jitter is \(jitter); it takes 0 to a day") }
            guard case .every(let interval) = rule else { return nil }
            guard interval >= ScheduleRule.shortest, interval <= ScheduleRule.longest else {
                return ScheduleFault("its interval is \(interval); it takes 10 ms to 100 years")
            }
            guard interval == .milliseconds(interval.wholeMilliseconds) else {
                return ScheduleFault("its interval is \(interval); it takes whole milliseconds")
            }
            guard jitter < interval else { return ScheduleFault("its jitter is \(jitter); it has to be shorter than its interval of \(interval)") }
            return nil
        }

        /// The rule, and what differs from the defaults: `every 30s, jitter 5s, missed: skip`.
        public var description: String {
            rule.description + (jitter == .zero ? "" : ", jitter \(ScheduleRule.text(of: jitter))")
                + (missed == .coalesce ? "" : ", missed: \(missed.rawValue)")
        }
    }

    /// One time of a schedule.
    public struct Tick: Sendable, Hashable, Codable {
        /// The schedule's name.
        public var schedule: String
        /// Its time by the schedule; the effect is emitted at it or later.
        public var due: WallTime
        /// How many ticks before it are left out for it.
        public var missed: Int

        public init(schedule: String, due: WallTime, missed: Int = 0) {
            (self.schedule, self.due, self.missed) = (schedule, due, missed)
        }
    }
}
