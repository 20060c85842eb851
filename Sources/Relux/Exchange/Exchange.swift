package import ReluxWire
import Synchronization

extension Relux {
    /// Runs the modules of one process: accepts effects, hands them to the modules' drains, settles them, resumes who waits.
    ///
    /// Design notes. All decisions are in ``ExchangeState`` and ``Party``, behind one lock that is held for short,
    /// synchronous steps only. Handlers run in drain tasks without the lock. The uplink's `append` is called under the lock,
    /// because the order of a stream is the order of its sequence numbers.
    package final class Exchange: Sendable {
        static let overrunLimit = Duration.milliseconds(1)

        let state = Mutex(ExchangeState())
        let clock: NodeClock
        package let uplink: (any Uplink)?
        private let watch: DeadlineWatch
        private let pacer = Pacer()

        package init(clock: NodeClock = .continuous, uplink: (any Uplink)? = nil) {
            self.clock = clock
            self.uplink = uplink
            watch = DeadlineWatch(clock: clock)
        }

        // MARK: Dispatching

        /// Accepts the effect and returns when every recipient has settled it, or at the deadline.
        nonisolated(nonsending) func dispatch(_ emission: Emission) async -> ActionResult {
            let result = await withUnsafeContinuation { continuation in
                accept(emission, waiter: continuation)
            }
            if let handler = emission.handler, handler.isAwaited {
                state.withLock { $0.parties[emission.origin]?.awaitEnded(handler.run) }
            }
            return result
        }

        private func accept(_ emission: Emission, waiter: UnsafeContinuation<ActionResult, Never>) {
            let now = clock.now()
            let emitted = state.withLock { state in
                let emitted = state.emit(emission, waiter: waiter, now: now)
                switch emitted {
                case .accepted(let appended?, _, _, _), .ended(_, let appended?): uplink?.append(appended)
                default: break
                }
                return emitted
            }
            switch emitted {
            case .ended(let result, _):
                waiter.resume(returning: result)
            case .accepted(_, let kicks, let isCrowded, let resumption):
                watch.note(emission.deadline) { [weak self] in self?.expire() }
                kicks.forEach(startDrain)
                if isCrowded { pace() }
                resume(resumption)
            }
        }

        // MARK: Deliveries and settlements from elsewhere

        /// Takes an effect off the bus for a module of this process.
        package func deliver(_ delivery: Delivery, to recipient: ModuleID) {
            let delivered = state.withLock { $0.deliver(delivery, to: recipient) }
            switch delivered {
            case .queued(let kick):
                if kick { startDrain(recipient) } else { pace() }
            case .cycle(let failure):
                let result = state.withLock { $0.failed(recipient, failure) }
                report(delivery, by: recipient, result, duration: .zero)
            }
        }

        /// Another process has settled an effect of a module here.
        package func settle(_ effect: EffectID, by recipient: ModuleID, with result: ActionResult) {
            resume(state.withLock { $0.settle(effect, by: recipient, with: result) })
        }

        /// A recipient elsewhere is gone for good: what pends on it is lost.
        package func lose(_ recipient: ModuleID) {
            for resumption in state.withLock({ $0.lose(recipient) }) { resume(resumption) }
        }

        package func setMembership(version: UInt64, recipients: [Topic: [ModuleID]]) {
            state.withLock { $0.setMembership(.init(version: version, recipients: recipients)) }
        }

        /// Totals of the modules of this process, and what is in flight now.
        package func counters() -> [ModuleID: ExchangeCounters] {
            state.withLock { state in
                var all: [ModuleID: ExchangeCounters] = [:]
                for id in state.order {
                    let counters = state.counters[id] ?? .init()
                    let party = state.parties[id]
                    all[id] = ExchangeCounters(
                        emitted: counters.emitted, handled: counters.handled, failed: counters.failed,
                        lost: counters.lost, unhandled: counters.unhandled,
                        inFlight: UInt64((party?.queue.count ?? 0) + (party?.runs.count ?? 0)))
                }
                return all
            }
        }

        // MARK: Parties

        func add(_ party: Party) { state.withLock { $0.add(party) } }

        /// In order of registration.
        var parties: [ModuleID] { state.withLock { $0.order } }

        /// Lets the party's queue run.
        package func open(_ id: ModuleID) {
            let kick = state.withLock { state in
                state.parties[id]?.admission = .open
                return state.parties[id]?.wantsDrain() ?? false
            }
            if kick { startDrain(id) }
        }

        /// Stops admission and returns when what was queued has been handled, or at the deadline.
        package func drain(_ id: ModuleID, within limit: Duration) async -> Bool {
            state.withLock { $0.close(id) }
            let clock = clock
            let expiry = Task { [weak self] in
                try await clock.sleep(limit)
                self?.releaseIdleWaiters(of: id)
            }
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                let isIdle = state.withLock { state in
                    guard let party = state.parties[id], !party.isIdle else { return true }
                    state.parties[id]?.idleWaiters.append(continuation)
                    return false
                }
                if isIdle { continuation.resume() }
            }
            expiry.cancel()
            return state.withLock { $0.parties[id]?.isIdle ?? true }
        }

        /// Takes the party away; what pended on it settles as lost.
        package func remove(_ id: ModuleID) {
            for resumption in state.withLock({ $0.remove(id) }) { resume(resumption) }
        }

        private func releaseIdleWaiters(of id: ModuleID) {
            let waiters = state.withLock { state -> [UnsafeContinuation<Void, Never>] in
                defer { state.parties[id]?.idleWaiters = [] }
                return state.parties[id]?.idleWaiters ?? []
            }
            waiters.forEach { $0.resume() }
        }

        // MARK: Drains

        private func startDrain(_ id: ModuleID) {
            // Detached: a drain belongs to the recipient and must not inherit the emitter's task-locals.
            Task.detached { [self] in await runDrain(id) }
        }

        private func runDrain(_ id: ModuleID) async {
            while let (delivery, run, handler) = next(for: id) {
                let started = clock.now()
                let result = await handler.handle(
                    delivery,
                    in: .init(
                        run: run, effect: delivery.id, ancestry: delivery.ancestry, awaitDepth: delivery.awaitDepth,
                        deadline: delivery.deadline, isAwaited: true))
                guard finish(delivery, run: run, by: id, result, duration: clock.now() - started) else { return }
            }
        }

        private func next(for id: ModuleID) -> (Delivery, UInt64, any EffectHandling)? {
            let now = pacer.now()
            let (taken, isCrowded) = state.withLock { state -> ((Delivery, UInt64, any EffectHandling)?, Bool) in
                guard let (delivery, run) = state.parties[id]?.take(now: now), let handler = state.parties[id]?.handler
                else { return (nil, false) }
                return ((delivery, run, handler), !state.parties[id]!.queue.isEmpty)
            }
            if isCrowded { pace() }
            return taken
        }

        /// True when the same drain goes on with the next delivery.
        private func finish(
            _ delivery: Delivery, run: UInt64, by id: ModuleID, _ result: ActionResult, duration: Duration
        ) -> Bool {
            let (goOn, kick, resumption, idle) = state.withLock { state in
                let (goOn, kick) = state.parties[id]?.finish(run) ?? (false, false)
                state.counters[id, default: .init()].handled += 1
                if !result.isSuccess { state.counters[id, default: .init()].failed += 1 }
                let resumption = state.settle(delivery.id, by: id, with: result)
                var idle: [UnsafeContinuation<Void, Never>] = []
                if state.parties[id]?.isIdle == true {
                    idle = state.parties[id]?.idleWaiters ?? []
                    state.parties[id]?.idleWaiters = []
                }
                return (goOn, kick, resumption, idle)
            }
            report(delivery, by: id, result, duration: duration)
            resume(resumption)
            idle.forEach { $0.resume() }
            if kick { startDrain(id) }
            return goOn
        }

        private func report(_ delivery: Delivery, by id: ModuleID, _ result: ActionResult, duration: Duration) {
            guard let uplink else { return }
            let isLocal = state.withLock { $0.parties[delivery.id.module] != nil }
            uplink.settled(
                Settled(
                    id: delivery.id, topic: delivery.topic, recipient: id, result: result, duration: duration,
                    isLocal: isLocal))
        }

        // MARK: Time

        private func resume(_ resumption: ExchangeState.Resumption?) {
            guard let resumption else { return }
            resumption.waiter.resume(returning: resumption.result)
        }

        private func expire() {
            let (expired, next) = state.withLock { $0.expire(now: clock.now()) }
            for resumption in expired { resume(resumption) }
            if let next { watch.note(next) { [weak self] in self?.expire() } }
        }

        /// Keeps a look at handlers that run long while others wait, for as long as there are any.
        private func pace() {
            pacer.run(every: Self.overrunLimit) { [weak self] now in
                guard let self else { return false }
                let (kicks, isCrowded) = self.state.withLock { state in
                    var kicks: [ModuleID] = []
                    var isCrowded = false
                    for id in state.order {
                        if state.parties[id]?.overrun(now: now, limit: Self.overrunLimit) == true { kicks.append(id) }
                        if state.parties[id]?.queue.isEmpty == false { isCrowded = true }
                    }
                    return (kicks, isCrowded)
                }
                kicks.forEach(self.startDrain)
                return isCrowded
            }
        }
    }
}
