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
            var last: WallTime
            var isPaused = false
            var isUnderWay = false
            /// The tick that is under way has neither been accepted nor refused.
            var isAsked = false
            /// It was paused or resumed meanwhile: said behind the tick, so that the place never goes back.
            var owesNote = false
            /// Refusals of the present tick, one after the other.
            var refusals = 0
            /// When a refused tick is tried again, by the node's clock.
            var retry: Duration?

            var place: SchedulePlace { place(at: last) }

            func place(at last: WallTime, isRemoved: Bool = false) -> SchedulePlace {
                SchedulePlace(
                    name: schedule.name, rule: schedule.description, last: last, next: schedule.rule.next(after: last), isPaused: isPaused, isRemoved: isRemoved)
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
                let line = Line(schedule: schedule, last: known?.last ?? now, isPaused: known?.isPaused ?? false)
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
            guard !line.isPaused, !line.isUnderWay, line.retry.map({ $0 <= moment }) ?? true else { return [] }
            let (schedule, name) = (line.schedule, line.schedule.name)
            if line.last - now > schedule.rule.patience {
                guard case .at = schedule.rule else {
                    lines[index].last = now
                    return [
                        .note(lines[index].place),
                        .log("schedule \(name): the machine's clock went back from behind \(line.last) to \(now); its times are counted from there on"),
                    ]
                }
                return []
            }
            guard let reached = schedule.reached(after: line.last, by: now) else { return [] }
            switch schedule.missed {
            case .coalesce: return [fire(index, reached.latest, missed: reached.count - 1)]
            case .skip:
                guard now - schedule.emission(of: reached.latest) > Self.lateness else { return [fire(index, reached.latest, missed: reached.count - 1)] }
                lines[index].last = reached.latest
                return [.note(lines[index].place), .log("schedule \(name): \(Self.text(reached)) missed and left out (missed: skip)")]
            case .catchUp:
                guard reached.isCapped else { return [fire(index, reached.earliest, missed: 0)] }
                lines[index].last = schedule.beginOfLast(by: now)
                let skipped = [Action.log("schedule \(name): of the ticks since \(reached.earliest) only the last \(Schedule.countLimit) are made up for")]
                return skipped + turn(index, at: now, moment: moment)
            }
        }

        private static func text(_ reached: Schedule.Reached) -> String {
            guard reached.count > 1 else { return "the tick of \(reached.latest) was" }
            return "\(reached.isCapped ? "over " : "")\(reached.count) ticks from \(reached.earliest) to \(reached.latest) were"
        }

        private mutating func fire(_ index: Int, _ due: WallTime, missed: Int) -> Action {
            (lines[index].isUnderWay, lines[index].isAsked) = (true, true)
            lines[index].retry = nil
            let line = lines[index]
            return .fire(Tick(schedule: line.schedule.name, due: due, missed: missed), line.schedule, place: line.place(at: due))
        }

        private func index(of name: String) -> Int? { lines.firstIndex { $0.schedule.name == name } }

        /// The effect of the tick is in the module's stream.
        mutating func accepted(_ tick: Tick) -> [Action] {
            guard let index = index(of: tick.schedule) else { return [] }
            lines[index].last = max(lines[index].last, tick.due)
            lines[index].refusals = 0
            return answered(index)
        }

        /// All have settled the tick's effect, or nobody waits any more.
        mutating func ended(_ tick: Tick) {
            if let index = index(of: tick.schedule) { lines[index].isUnderWay = false }
        }

        /// The tick's effect was not accepted: it is emitted later.
        mutating func refused(_ tick: Tick, moment: Duration) -> [Action] {
            guard let index = index(of: tick.schedule) else { return [] }
            lines[index].isUnderWay = false
            lines[index].retry = moment + min(Self.lastRetry, Self.firstRetry * (1 << min(lines[index].refusals, 6)))
            lines[index].refusals += 1
            return answered(index)
        }

        private mutating func answered(_ index: Int) -> [Action] {
            lines[index].isAsked = false
            guard lines[index].owesNote else { return [] }
            lines[index].owesNote = false
            return [.note(lines[index].place)]
        }

        /// - Returns: nil when there is no such schedule.
        mutating func pause(_ name: String) -> [Action]? {
            guard let index = index(of: name) else { return nil }
            guard !lines[index].isPaused else { return [] }
            lines[index].isPaused = true
            return changed(index)
        }

        /// What came due while it was paused is no missed tick.
        ///
        /// - Returns: nil when there is no such schedule.
        mutating func resume(_ name: String, at now: WallTime) -> [Action]? {
            guard let index = index(of: name) else { return nil }
            guard lines[index].isPaused else { return [] }
            (lines[index].isPaused, lines[index].retry) = (false, nil)
            lines[index].last = max(lines[index].last, now)
            return changed(index)
        }

        private mutating func changed(_ index: Int) -> [Action] {
            if lines[index].isAsked {
                lines[index].owesNote = true
                return []
            }
            return [.note(lines[index].place)]
        }

        func schedule(_ name: String) -> Schedule? { index(of: name).map { lines[$0].schedule } }

        func isPaused(_ name: String) -> Bool { index(of: name).map { lines[$0].isPaused } ?? false }
    }
}

extension Relux.ScheduleBook.Line {
    /// How long nothing happens by itself; nil while something else has to come first.
    fileprivate func sleep(at now: Relux.WallTime, moment: Duration) -> Duration? {
        guard !isPaused, !isUnderWay else { return nil }
        if let retry, retry > moment { return retry - moment }
        guard let due = schedule.rule.next(after: last) else { return nil }
        return max(.zero, schedule.emission(of: due) - now)
    }
}
