package import ReluxWire
import Synchronization

extension Relux {
    /// Runs the modules of one process: accepts effects, hands them to the modules' drains, settles them, resumes who waits.
    ///
    /// Design notes. All decisions are in ``ExchangeState`` and ``Party``, behind one lock that is held for short,
    /// synchronous steps only. Handlers run in drain tasks without the lock. The uplink's `append` is called under the lock,
    /// because the order of a stream is the order of its sequence numbers.
    package final class Exchange: Sendable {
        let state = Mutex(ExchangeState())
        let clock: NodeClock
        package let uplink: (any Uplink)?
        let watch: DeadlineWatch
        let pacer = Pacer()
        let delays = Delays()
        /// By the module in whose name they were dispatched.
        let refusals = Mutex<[ModuleID: Refusals]>([:])
        /// Writes a line to the process's log.
        let say: @Sendable (String) -> Void

        package init(
            clock: NodeClock = .continuous, uplink: (any Uplink)? = nil, say: @escaping @Sendable (String) -> Void = printToStandardError
        ) {
            self.clock = clock
            self.uplink = uplink
            self.say = say
            watch = DeadlineWatch(clock: clock)
        }

        deinit { watch.stop() }

        // MARK: Dispatching

        /// Accepts the effect and returns when every recipient has settled it, or at the deadline.
        nonisolated(nonsending) func dispatch(_ emission: Emission) async -> ActionResult {
            let isOnActor = Self.isActor(#isolation)
            let result = await withUnsafeContinuation {
                accept(emission, waiter: .task($0), suspends: isOnActor ? .keepingAnActor : .freely)
            }
            // The waiter may have been told in the midst of that.
            ThreadRunner.goesOn()
            return result
        }

        /// Compared at its own place, swift 6.3.1 crashes over it (CopyPropagation).
        @inline(never)
        private static func isActor(_ isolation: (any Actor)?) -> Bool { isolation != nil }

        /// Why the emission would not be accepted; nil when it would.
        func refusal(of emission: Emission) -> ActionResult? { state.withLock { $0.refusal(of: emission) } }

        /// Accepts the effect, or tells the waiter why not; never waits.
        ///
        /// - Parameter suspends: how the caller does so behind this, until the waiter is told; nil when it does not.
        func accept(_ emission: Emission, waiter: Waiter, suspends: ThreadRunner.Suspension? = nil) {
            let now = clock.now()
            var acceptance = ExchangeState.Acceptance()
            let (ended, idle) = state.withLock { state in
                let ended = state.emit(emission, waiter: waiter, now: now, &acceptance)
                if acceptance.isAppended { uplink?.append(emission) }
                return (ended, state.isEnding ? state.takeIdleWaiters() : [])
            }
            for waiter in idle { waiter.resume() }
            if let ended {
                if acceptance.isAppended { uplink?.go(last: emission.isAwaited) }
                if ended.isRefused { _ = refuse(emission, ended) }
                return waiter.resume(returning: ended)
            }
            for turned in acceptance.turnedAway { turnAway(emission, from: turned.recipient, turned.failure) }
            guard let suspends, acceptance.resumption == nil else { return start(acceptance, of: emission) }
            ThreadRunner.whileWaiting(for: acceptance.awaited, suspends) { start(acceptance, of: emission) }
        }

        private func start(_ acceptance: ExchangeState.Acceptance, of emission: Emission) {
            if acceptance.isAppended { uplink?.go(last: emission.isAwaited) }
            wake(at: acceptance.deadline)
            for seat in acceptance.kicks { startDrain(seat) }
            if acceptance.isCrowded { pace() }
            if acceptance.displaced != nil { resume(acceptance.displaced) }
            if acceptance.resumption != nil { resume(acceptance.resumption) }
        }

        // MARK: Deliveries and settlements from elsewhere

        /// Takes an effect off the bus for a module of this process.
        package func deliver(_ delivery: Delivery, to recipient: ModuleID) { deliver([Incoming(delivery, to: recipient)]) }

        /// A delivery for a module of this process.
        package struct Incoming: Sendable {
            var delivery: Delivery
            var recipient: ModuleID

            package init(_ delivery: Delivery, to recipient: ModuleID) { (self.delivery, self.recipient) = (delivery, recipient) }
        }

        /// The same for several, in order: what comes off the bus together takes the lock once.
        package func deliver(_ deliveries: [Incoming]) {
            var kicks: [Seat] = []
            var cycles: [(delivery: Delivery, recipient: ModuleID, result: ActionResult, keeper: StateKeeper?, life: UInt64)] = []
            var isCrowded = false
            let idle: [UnsafeContinuation<Void, Never>] = state.withLock { state in
                var seat: Seat?
                for incoming in deliveries {
                    let (delivery, recipient) = (incoming.delivery, incoming.recipient)
                    if seat?.id != recipient { seat = state.parties.seat(of: recipient) }
                    // Unsettled: it waits for the next instance, or is lost when there is none.
                    guard let seat else { continue }
                    switch state.deliver(delivery, at: seat) {
                    case .queued(kick: true): kicks.append(seat)
                    case .queued(kick: false): isCrowded = true
                    case .cycle(let failure):
                        cycles.append((delivery, recipient, state.failed(recipient, failure), seat.party.lasting.keeper, seat.party.life))
                    }
                }
                return state.isEnding ? state.takeIdleWaiters() : []
            }
            for waiter in idle { waiter.resume() }
            for seat in kicks { startDrain(seat) }
            if isCrowded { pace() }
            for cycle in cycles {
                turnAway(cycle.delivery, from: cycle.recipient, cycle.result)
                report(cycle.delivery, by: cycle.recipient, cycle.result, duration: .zero, keeper: cycle.keeper, life: cycle.life)
            }
        }

        /// Another process has settled an effect of a module here.
        package func settle(_ effect: EffectID, by recipient: ModuleID, with result: ActionResult) {
            resume(state.withLock { $0.settle(effect, by: recipient, with: result) })
        }

        /// Effects of one module that one recipient has settled alike.
        package struct Settlement: Sendable {
            var effects: EffectRuns
            var publisher: ModuleID
            var recipient: ModuleID
            var result: ActionResult

            package init(_ effects: EffectRuns, of publisher: ModuleID, by recipient: ModuleID, _ result: ActionResult) {
                (self.effects, self.publisher, self.recipient, self.result) = (effects, publisher, recipient, result)
            }
        }

        /// The same for several, in order.
        package func settle(_ settlements: [Settlement]) {
            var resumptions: [ExchangeState.Resumption] = []
            state.withLock { state in
                for settlement in settlements {
                    for effect in settlement.effects {
                        let id = EffectID(module: settlement.publisher, position: effect.position)
                        if let resumption = state.settle(id, by: settlement.recipient, with: settlement.result) { resumptions.append(resumption) }
                    }
                }
            }
            resume(resumptions)
        }

        /// Effects of modules of this process that other modules of it have not settled, in order: nobody else knows of them. An effect that nobody waits
        /// for and that was said before its recipient came into this process is left out.
        package func unsettledWithin() -> [EffectID] {
            state.withLock { state in
                state.pending.all.filter { $0.entry.outstanding.modules.contains(where: state.parties.contains) }.map(\.effect).sorted()
            }
        }

        /// - Parameters:
        ///   - withoutProcess: members that have none at this moment.
        ///   - absences: of members that are known to be absent, why.
        package func setMembership(
            version: UInt64, recipients: [Topic: [ModuleID]], places: [ModuleID: UInt64] = [:], withoutProcess: Set<ModuleID> = [],
            absences: [ModuleID: String] = [:]
        ) {
            let membership = ExchangeState.Membership(
                version: version, recipients: recipients, places: places, withoutProcess: withoutProcess, absences: absences)
            let (idle, parked) = state.withLock { $0.setMembership(membership) }
            for waiter in idle { waiter.resume() }
            resume(parked)
        }

        /// Totals of the modules of this process, and what is in flight now.
        package func counters() -> [ModuleID: ExchangeCounters] {
            state.withLock { state in
                var all: [ModuleID: ExchangeCounters] = [:]
                for id in state.order {
                    guard let seat = state.parties.seat(of: id) else { continue }
                    let counters = seat.counters
                    let inFlight = seat.party.queue.count + seat.party.runs.count
                    all[id] = ExchangeCounters(
                        emitted: counters.emitted, handled: counters.handled, failed: counters.failed,
                        lost: counters.lost, unhandled: counters.unhandled, diverged: counters.diverged,
                        inFlight: UInt64(inFlight))
                }
                return all
            }
        }

        func resume(_ resumption: ExchangeState.Resumption?) {
            guard let resumption else { return }
            guard let seat = resumption.seat, ThreadRunner.takes(of: seat, isDrain: false) else {
                return resumption.waiter.resume(returning: resumption.result)
            }
            // Its handler mostly is an actor's, whose turn may take others with it.
            ThreadRunner.leaving(isLast: true) { resumption.waiter.resume(returning: resumption.result) }
        }

        /// The same for several, in order. Completions share one task: one for each would cost more than most of them do.
        func resume(_ resumptions: [ExchangeState.Resumption]) {
            var hasCompletions = false
            for resumption in resumptions {
                if case .completion = resumption.waiter { hasCompletions = true } else { resume(resumption) }
            }
            guard hasCompletions else { return }
            // Detached, as each alone: they run code of modules, which belongs to no thread of the bus.
            Task.detached {
                for resumption in resumptions { if case .completion(let body) = resumption.waiter { body(resumption.result) } }
            }
        }

        func report(
            _ delivery: Delivery, by id: ModuleID, _ result: ActionResult, duration: Duration, diverged: [EffectID] = [],
            keeper: StateKeeper? = nil, isLast: Bool = false, isSettling: Bool = false, life: UInt64
        ) {
            var settled = Settled(
                id: delivery.id, topic: delivery.topic, sequence: delivery.sequence, recipient: id, result: result,
                duration: duration, diverged: diverged, life: life)
            settled.durability = delivery.durability
            if let keeper { return keeper.settled(settled) }
            if let uplink { settled.coded = uplink.coded(result) }
            if isSettling { settling([settled.id], of: id) { uplink?.settled(settled) } } else { uplink?.settled(settled) }
            uplink?.go(last: isLast)
        }
    }
}
