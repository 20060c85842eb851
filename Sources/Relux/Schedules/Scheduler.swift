import ReluxWire
import Synchronization

extension Relux {
    /// Keeps the schedules of one life of a module: sleeps until the next tick, emits it, and says in the journal where each schedule stands.
    ///
    /// Design notes. ``ScheduleBook`` decides. Words for the journal are queued under its lock, so they are written in the order in which they were
    /// decided; a tick's own word is queued with its effect, and nothing is said of its schedule in between.
    final class Scheduler: Sendable {
        private struct State: Sendable {
            var book = ScheduleBook()
            var isRunning = false
            var sleeper: Task<Void, Never>?
            /// The callers that paused or resumed a schedule while a tick was asked for.
            var owed: [(schedule: String, waiter: UnsafeContinuation<Bool, Never>)] = []
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
            guard let node else { return }
            let actions = state.withLock { state -> [ScheduleBook.Action] in
                guard !state.isRunning else { return [] }
                state.isRunning = true
                return said(state.book.begin(schedules, places: places, at: node.clock.wallTime()), by: node)
            }
            perform(actions, on: node)
            turn()
        }

        /// No further tick is emitted. The places are in the journal: the module's next life goes on from there.
        func stop() {
            let owed = state.withLock { state in
                state.isRunning = false
                state.sleeper?.cancel()
                state.sleeper = nil
                defer { state.owed = [] }
                return state.owed
            }
            for (_, waiter) in owed { waiter.resume(returning: false) }
        }

        private func turn() {
            guard let node else { return }
            let clock = node.clock
            let actions = state.withLock { state -> [ScheduleBook.Action] in
                guard state.isRunning else { return [] }
                state.sleeper?.cancel()
                // Read before the other one: a clock that is turned meanwhile makes the sleep shorter, not longer.
                let moment = clock.now()
                let (actions, next) = state.book.turn(at: clock.wallTime(), moment: moment)
                state.sleeper = next.map { span in
                    let end = moment + min(span, Self.longestSleep)
                    // Detached: it belongs to no handler that happens to run here.
                    return Task.detached { [weak self] in
                        guard (try? await clock.sleep(until: end)) != nil else { return }
                        self?.turn()
                    }
                }
                return said(actions, by: node)
            }
            perform(actions, on: node)
        }

        /// Queues what is for the journal; returns the rest. Called under the lock.
        private func said(_ actions: [ScheduleBook.Action], by node: Relux) -> [ScheduleBook.Action] {
            actions.filter { action in
                guard case .note(let place) = action else { return true }
                node.exchange.uplink?.note(place, of: module, life: node.lifeNumber, waiter: nil)
                return false
            }
        }

        private func perform(_ actions: [ScheduleBook.Action], on node: Relux) {
            for action in actions {
                switch action {
                case .note: break
                case .log(let line): node.exchange.say("relux: \(module): \(line)")
                case .fire(let tick, let schedule, let place):
                    // Admission may take its time, and other schedules do not wait for it.
                    Task.detached { await self.emit(tick, schedule, place) }
                }
            }
        }

        private func emit(_ tick: Tick, _ schedule: Schedule, _ place: SchedulePlace) async {
            guard let node, state.withLock({ $0.isRunning }) else { return }
            let isAccepted = Mutex(false)
            await node.accept(
                schedule.effect(tick), in: Scope(node, Scope.Origin(module: module, isLoose: true)), beside: .place(place),
                label: "schedule \(schedule.name)", site: schedule.site, onAccepted: { _ in isAccepted.withLock { $0 = true } }
            ) { _ in
                self.state.withLock { $0.book.ended(tick) }
                self.turn()
            }
            // Its word is queued by now: what was decided meanwhile is said behind it.
            state.withLock { state in
                state.book.answered(tick, isAccepted: isAccepted.withLock { $0 }, moment: node.clock.now())
                guard let place = state.book.sayablePlace(of: tick.schedule) else { return }
                for owed in state.owed where owed.schedule == tick.schedule {
                    node.exchange.uplink?.note(place, of: module, life: node.lifeNumber, waiter: owed.waiter)
                }
                state.owed.removeAll { $0.schedule == tick.schedule }
            }
            turn()
        }

        // MARK: Orders

        /// Emits the effect now, besides the schedule's own ticks.
        ///
        /// - Returns: its id.
        func fire(_ name: String) async throws(Failure) -> EffectID {
            let node = try running()
            guard let schedule = schedules.first(where: { $0.name == name }) else { throw unknown(name) }
            let tick = Tick(schedule: name, due: node.clock.wallTime())
            let answers = AsyncStream.makeStream(of: Result<EffectID, Failure>.self)
            let refusal = Failure.closed(module.rawValue)
            await node.accept(
                schedule.effect(tick), in: Scope(node, Scope.Origin(module: module, isLoose: true)), label: "schedule \(name), fired by hand",
                site: schedule.site, onAccepted: { answers.continuation.yield(.success($0)) },
                completion: { answers.continuation.yield(.failure($0.failures.first ?? refusal)) })
            for await answer in answers.stream { return try answer.get() }
            throw refusal
        }

        /// Returns when the journal has it.
        ///
        /// - Returns: false when it was paused already.
        func pause(_ name: String) async throws(Failure) -> Bool { try await change(name) { $0.pause(name) } }

        /// Returns when the journal has it.
        ///
        /// - Returns: false when it was not paused.
        func resume(_ name: String) async throws(Failure) -> Bool {
            let now = try running().clock.wallTime()
            return try await change(name) { $0.resume(name, at: now) }
        }

        private func change(_ name: String, _ change: (inout ScheduleBook) -> Bool?) async throws(Failure) -> Bool {
            let node = try running()
            var hasChanged: Bool?
            let isWritten = await withUnsafeContinuation { waiter in
                let isDone = state.withLock { state in
                    guard state.isRunning else { return true }
                    hasChanged = change(&state.book)
                    guard hasChanged == true, let uplink = node.exchange.uplink else { return true }
                    guard let place = state.book.sayablePlace(of: name) else {
                        state.owed.append((name, waiter))
                        return false
                    }
                    uplink.note(place, of: module, life: node.lifeNumber, waiter: waiter)
                    return false
                }
                if isDone { waiter.resume(returning: true) }
            }
            guard let hasChanged else { throw unknown(name) }
            turn()
            guard isWritten else { throw closed }
            return hasChanged
        }

        private func running() throws(Failure) -> Relux {
            guard let node, state.withLock({ $0.isRunning }) else { throw closed }
            return node
        }

        private var closed: Failure {
            Failure(domain: Failure.domainName, code: "closed", message: "\(module) is not open now; nothing was done")
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
