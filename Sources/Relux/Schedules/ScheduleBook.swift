extension Relux {
    /// The schedules of one module: which ticks are due, under way, missed. Pure.
    struct ScheduleBook: Sendable {
        /// Something to do.
        enum Action {
            /// Emit the tick. `place` goes into the journal with the effect.
            case fire(Tick, Schedule, place: SchedulePlace)
            /// Write where the schedule stands.
            case note(SchedulePlace)
            case log(String)
        }

        fileprivate struct Line: Sendable {
            let schedule: Schedule
            private(set) var last: WallTime
            /// The time after `last`; nil when there is none.
            private(set) var next: WallTime?
            var isPaused = false
            /// The clock went back in this life: `last` may be earlier than what the journal has.
            private(set) var isSetBack = false
            /// The tick that neither has been accepted nor refused.
            var asked: Tick?
            /// The effect of its last tick is not settled.
            var isUnsettled = false
            /// Ticks are made up for, and their number is known to be within the limit.
            var isCatchingUp = false
            /// Refusals of the present tick, one after the other.
            var refusals = 0
            /// When a refused tick is tried again, by the node's clock.
            var retry: Duration?

            init(_ schedule: Schedule, last: WallTime, isPaused: Bool) {
                (self.schedule, self.last, self.isPaused) = (schedule, last, isPaused)
                next = schedule.rule.next(after: last)
            }

            mutating func come(to time: WallTime) {
                last = time
                next = schedule.rule.next(after: time)
            }

            mutating func setBack(to time: WallTime) {
                isSetBack = true
                come(to: time)
            }

            var place: SchedulePlace { place(last, next) }

            func place(at time: WallTime) -> SchedulePlace { place(time, schedule.rule.next(after: time)) }

            private func place(_ last: WallTime, _ next: WallTime?) -> SchedulePlace {
                SchedulePlace(
                    name: schedule.name, rule: schedule.description, last: last, next: next, isPaused: isPaused, isRemoved: false, isSetBack: isSetBack)
            }
        }
        /// In the module's order.
        private var lines: [Line] = []

        /// A tick that is that late is a missed one, where those are left out.
        static let lateness = Duration.seconds(60)
        private static let firstRetry = Duration.seconds(1)
        private static let lastRetry = Duration.seconds(60)

        /// A life of the module begins.
        ///
        /// - Parameter places: what the journal has.
        /// - Returns: notes of what it does not have yet.
        mutating func begin(_ schedules: [Schedule], places: [String: SchedulePlace], at now: WallTime) -> [Action] {
            var actions: [Action] = []
            lines = schedules.map { schedule in
                let known = places[schedule.name].flatMap { $0.isRemoved ? nil : $0 }
                let line = Line(schedule, last: known?.last ?? now, isPaused: known?.isPaused ?? false)
                if known != line.place { actions.append(.note(line.place)) }
                if known == nil, case .at(let time) = schedule.rule, time <= now {
                    actions.append(.log("schedule \(schedule.name): \(time) had passed before the module ran for the first time; it is not made up for"))
                }
                return line
            }
            for place in places.values.sorted(by: { $0.name < $1.name }) where !place.isRemoved && !schedules.contains(where: { $0.name == place.name }) {
                actions.append(.note(SchedulePlace(name: place.name, rule: place.rule, last: place.last, next: nil, isRemoved: true)))
            }
            return actions
        }

        /// Returns what is due, and how long it takes until the next look is.
        ///
        /// - Parameter moment: of the node's clock.
        mutating func turn(at now: WallTime, moment: Duration) -> (actions: [Action], next: Duration?) {
            var actions: [Action] = []
            var next: Duration?
            for index in lines.indices {
                actions += turn(index, at: now, moment: moment)
                if let span = lines[index].sleep(at: now, moment: moment) { next = min(next ?? span, span) }
            }
            return (actions, next)
        }

        private mutating func turn(_ index: Int, at now: WallTime, moment: Duration) -> [Action] {
            let line = lines[index]
            guard !line.isPaused, line.asked == nil, !line.isUnsettled, line.retry.map({ $0 <= moment }) ?? true, let next = line.next else { return [] }
            let (schedule, name) = (line.schedule, line.schedule.name)
            if case .at = schedule.rule {} else if line.last - now > schedule.rule.patience {
                lines[index].setBack(to: now)
                return [
                    .note(lines[index].place),
                    .log("schedule \(name): the machine's clock went back from behind \(line.last) to \(now); its times are counted from there on"),
                ]
            }
            guard schedule.emission(of: next) <= now else {
                lines[index].isCatchingUp = false
                return []
            }
            if line.isCatchingUp { return [fire(index, next, missed: 0)] }
            guard let reached = schedule.reached(after: line.last, by: now) else { return [] }
            switch schedule.missed {
            case .coalesce: return [fire(index, reached.latest, missed: reached.count - 1)]
            case .skip:
                guard now - schedule.emission(of: reached.latest) > Self.lateness else { return [fire(index, reached.latest, missed: reached.count - 1)] }
                lines[index].come(to: reached.latest)
                return [.note(lines[index].place), .log("schedule \(name): \(Self.text(reached)) missed and left out (missed: skip)")]
            case .catchUp:
                lines[index].isCatchingUp = true
                guard reached.isCapped else { return [fire(index, next, missed: 0)] }
                lines[index].come(to: schedule.beginOfLast(by: now))
                let skipped = [Action.log("schedule \(name): of the ticks since \(next) only the last \(Schedule.countLimit) are made up for")]
                return skipped + turn(index, at: now, moment: moment)
            }
        }

        private static func text(_ reached: Schedule.Reached) -> String {
            guard reached.count > 1 else { return "the tick of \(reached.latest) was" }
            return "\(reached.isCapped ? "over " : "")\(reached.count) ticks from \(reached.earliest) to \(reached.latest) were"
        }

        private mutating func fire(_ index: Int, _ due: WallTime, missed: Int) -> Action {
            let tick = Tick(schedule: lines[index].schedule.name, due: due, missed: missed)
            lines[index].asked = tick
            lines[index].isUnsettled = true
            lines[index].retry = nil
            return .fire(tick, lines[index].schedule, place: lines[index].place(at: due))
        }

        private func index(of name: String) -> Int? { lines.firstIndex { $0.schedule.name == name } }

        /// The effect of the tick is in the module's stream, or was refused: then it is emitted later.
        ///
        /// - Parameter moment: of the node's clock.
        mutating func answered(_ tick: Tick, isAccepted: Bool, moment: Duration) {
            guard let index = index(of: tick.schedule), lines[index].asked == tick else { return }
            lines[index].asked = nil
            guard !isAccepted else {
                if tick.due > lines[index].last { lines[index].come(to: tick.due) }
                lines[index].refusals = 0
                return
            }
            lines[index].isUnsettled = false
            lines[index].retry = moment + min(Self.lastRetry, Self.firstRetry * (1 << min(lines[index].refusals, 6)))
            lines[index].refusals += 1
        }

        /// All have settled the tick's effect, or nobody waits any more. It may come before ``answered(_:isAccepted:moment:)``.
        mutating func ended(_ tick: Tick) {
            if let index = index(of: tick.schedule) { lines[index].isUnsettled = false }
        }

        /// - Returns: false when it was paused already, nil when there is no such schedule.
        mutating func pause(_ name: String) -> Bool? {
            guard let index = index(of: name) else { return nil }
            defer { lines[index].isPaused = true }
            return !lines[index].isPaused
        }

        /// It goes on with its next time: what came due while it was paused is no missed tick.
        ///
        /// - Returns: false when it was not paused, nil when there is no such schedule.
        mutating func resume(_ name: String, at now: WallTime) -> Bool? {
            guard let index = index(of: name) else { return nil }
            guard lines[index].isPaused else { return false }
            (lines[index].isPaused, lines[index].retry) = (false, nil)
            if now > lines[index].last { lines[index].come(to: now) }
            return true
        }

        /// Where the schedule stands, for the journal; nil while a tick is asked for: its word comes first, or the place would go back behind it.
        func sayablePlace(of name: String) -> SchedulePlace? {
            index(of: name).flatMap { lines[$0].asked == nil ? lines[$0].place : nil }
        }

    }
}

extension Relux.ScheduleBook.Line {
    /// How long nothing happens by itself; nil while something else has to come first.
    fileprivate func sleep(at now: Relux.WallTime, moment: Duration) -> Duration? {
        guard !isPaused, asked == nil, !isUnsettled else { return nil }
        if let retry, retry > moment { return retry - moment }
        return next.map { max(.zero, schedule.emission(of: $0) - now) }
    }
}
