import ReluxWire
import Synchronization

extension Relux {
    /// Keeps the schedules of one life of a module: sleeps until the next tick, emits it, and says in the journal where each schedule stands.
    ///
    /// Design notes. ``ScheduleBook`` decides. Its lock is taken under the exchange's, where a tick is accepted, so nothing is dispatched under it.
    final class Scheduler: Sendable {
        private struct State: Sendable {
            var book = ScheduleBook()
            var isRunning = false
            var sleeper: Task<Void, Never>?
        }
        /// The machine's clock may be set while a schedule sleeps: it is read that often.
        private static let longestSleep = Duration.seconds(60)

        let module: ModuleID
        private let schedules: [Schedule]
        private let places: [String: SchedulePlace]
        private let state = Mutex(State())
        /// Not retained: the node owns it.
        private weak let node: Relux?

        init(_ schedules: [Schedule], of module: ModuleID, places: [String: SchedulePlace] = [:], node: Relux) {
            (self.schedules, self.module, self.places, self.node) = (schedules, module, places, node)
        }

        deinit { state.withLock { $0.sleeper?.cancel() } }

        func start() {
            guard let node, !(schedules.isEmpty && places.isEmpty) else { return }
            let actions = state.withLock { state -> [ScheduleBook.Action] in
                guard !state.isRunning else { return [] }
                state.isRunning = true
                return state.book.begin(schedules, places: places, at: node.clock.wallTime())
            }
            perform(actions)
            turn()
        }

        /// No tick is emitted any more. The places are in the journal: the module's next life goes on from there.
        func stop() {
            state.withLock { state in
                state.isRunning = false
                state.sleeper?.cancel()
                state.sleeper = nil
            }
        }

        private func turn() {
            guard let clock = node?.clock else { return }
            let actions = state.withLock { state -> [ScheduleBook.Action] in
                guard state.isRunning else { return [] }
                state.sleeper?.cancel()
                // Read before the other one: a clock that is turned meanwhile makes the sleep shorter, not longer.
                let moment = clock.now()
                let (actions, next) = state.book.turn(at: clock.wallTime(), moment: moment)
                state.sleeper = next.map { span in
                    let end = moment + min(span, Self.longestSleep)
                    return Task { [weak self] in
                        guard (try? await clock.sleep(until: end)) != nil else { return }
                        self?.turn()
                    }
                }
                return actions
            }
            perform(actions)
        }

        private func perform(_ actions: [ScheduleBook.Action]) {
            guard let node else { return }
            for action in actions {
                switch action {
                case .note(let place): node.exchange.uplink?.note(place, of: module, life: node.lifeNumber)
                case .log(let line): node.exchange.say("relux: \(module): \(line)")
                case .fire(let tick, let schedule, let place):
                    // Unstructured on purpose: admission may take its time, and other schedules do not wait for it.
                    Task { await self.emit(tick, schedule, place) }
                }
            }
        }

        private func emit(_ tick: Tick, _ schedule: Schedule, _ place: SchedulePlace) async {
            guard let node, state.withLock({ $0.isRunning }) else { return }
            await node.accept(
                schedule.effect(tick), in: Scope(node, Scope.Origin(module: module, isLoose: true)), beside: .place(place),
                label: "schedule \(schedule.name)", site: schedule.site,
                onAccepted: { _ in self.perform(self.state.withLock { $0.book.accepted(tick) }) }
            ) { result in
                if result.isRefused {
                    self.perform(self.state.withLock { $0.book.refused(tick, moment: node.clock.now()) })
                } else {
                    self.state.withLock { $0.book.ended(tick) }
                }
                self.turn()
            }
        }

        // MARK: Orders

        /// Emits the effect now, besides the schedule's own ticks.
        ///
        /// - Returns: its id.
        func fire(_ name: String) async throws(Failure) -> EffectID {
            guard let node, let schedule = state.withLock({ $0.book.schedule(name) }) else { throw unknown(name) }
            let tick = Tick(schedule: name, due: node.clock.wallTime())
            let answers = AsyncStream.makeStream(of: Result<EffectID, Failure>.self)
            let refusal = Failure.schedule("\(module) did not emit the effect of \(name)")
            await node.accept(
                schedule.effect(tick), in: Scope(node, Scope.Origin(module: module, isLoose: true)), label: "schedule \(name), fired by hand",
                site: schedule.site, onAccepted: { answers.continuation.yield(.success($0)) },
                completion: { answers.continuation.yield(.failure($0.failures.first ?? refusal)) })
            for await answer in answers.stream { return try answer.get() }
            throw refusal
        }

        /// - Returns: false when it was paused already.
        func pause(_ name: String) throws(Failure) -> Bool { try order(name) { $0.pause(name) } }

        /// - Returns: false when it was not paused.
        func resume(_ name: String) throws(Failure) -> Bool {
            let now = node?.clock.wallTime() ?? WallTime(milliseconds: 0)
            return try order(name) { $0.resume(name, at: now) }
        }

        private func order(_ name: String, _ change: (inout ScheduleBook) -> [ScheduleBook.Action]?) throws(Failure) -> Bool {
            let change: (actions: [ScheduleBook.Action], hasChanged: Bool)? = state.withLock { state in
                let before = state.book.isPaused(name)
                return change(&state.book).map { ($0, state.book.isPaused(name) != before) }
            }
            guard let change else { throw unknown(name) }
            perform(change.actions)
            turn()
            return change.hasChanged
        }

        private func unknown(_ name: String) -> Failure {
            let names = schedules.map(\.name)
            return .schedule("\(module) has no schedule \"\(name.cut(to: 80))\"; it has \(names.isEmpty ? "none" : names.joined(separator: ", "))")
        }
    }
}

extension Relux.Failure {
    fileprivate static func schedule(_ message: String) -> Self { Self(domain: domainName, code: "schedule", message: message) }
}
