package import ReluxWire
import Synchronization

extension Relux {
    /// An effect that a module will not handle, kept for people to look at.
    package struct DeadLetter: Sendable {
        package enum Cause: Sendable, Hashable {
            /// Its handler ran alone when the process died for the last time; the number counts all deaths.
            case deaths(Int)
            /// Why its payload is no effect of its topic.
            case undecodable(String)
        }
        package var effect: EffectID
        package var topic: Topic
        package var ancestry: [EffectID]
        package var cause: Cause
        /// As on the bus, secrets sealed; empty when it cannot be encoded.
        package var payload: [UInt8]
        /// Fingerprint of the contract that it was said under; 0 when that is not known.
        package var contract: UInt64

        package init(effect: EffectID, topic: Topic, ancestry: [EffectID], cause: Cause, payload: [UInt8], contract: UInt64 = 0) {
            self.effect = effect
            self.topic = topic
            self.ancestry = ancestry
            self.cause = cause
            self.payload = payload
            self.contract = contract
        }
    }

    /// Where the handlers that run are noted, so that what follows a death knows them.
    ///
    /// Called by the task that runs the handler, directly before it begins and after it has ended; must be quick, and what it
    /// notes must outlive the process.
    package protocol OpenHandlers: Sendable {
        /// - Parameters:
        ///   - effect: nil for an effect that is not handled again after a death; it may be to blame for that all the same.
        ///   - isCharged: it is a suspect that runs again with no other handler of the module beside it, so that a death from
        ///     now on is the effect's and not the module's.
        func began(run: UInt64, effect: EffectID?, isCharged: Bool)
        /// The handler has been alone for long enough, and has others beside it from now on. A run that has ended is not changed.
        func released(run: UInt64)
        func ended(run: UInt64)
    }
}

extension Relux.Exchange {
    /// Tells the uplink that an effect is not handled for good; the caller settles it afterwards.
    func deadLetter(_ delivery: Relux.Delivery, of module: ModuleID, _ cause: Relux.DeadLetter.Cause) {
        guard let uplink, delivery.durability != .transient else { return }
        let payload: [UInt8] =
            switch delivery.content {
            case .encoded(let bytes, _): Array(bytes)
            case .effect(let effect): (try? CBOR.encode(effect, userInfo: uplink.sealer.map { [.reluxSealer: $0] } ?? [:])) ?? []
            case .handled: []
            }
        uplink.deadLetter(
            Relux.DeadLetter(
                effect: delivery.id, topic: delivery.topic, ancestry: delivery.ancestry, cause: cause, payload: payload,
                contract: delivery.contracts.said),
            of: module)
    }

    /// The attempt of a suspect that has just been started.
    func attempt(of run: UInt64, by module: ModuleID) -> Relux.Suspicion.Attempt? {
        state.withLock { state in state.parties.read(module) { $0.suspicion?.attempt(of: run) } ?? nil }
    }

    /// Whether effects that were open at the module's last death have still to be run again.
    package func hasSuspects(_ module: ModuleID) -> Bool {
        state.withLock { state in state.parties.read(module) { $0.suspicion?.holdsUp } ?? nil } ?? false
    }

    /// Looks after the patience, and when the budget is spent, whether suspects are still awaited.
    func awaitSuspects(of module: ModuleID) {
        let (patienceEnds, budgetEnds) = state.withLock { state in
            state.parties.read(module) { ($0.suspicion?.patienceEnds, $0.suspicion?.budgetEnds) } ?? (nil, nil)
        }
        guard let patienceEnds, let budgetEnds else { return }
        // Outlives the opening on purpose: it is the timer.
        Task.detached { [weak self, clock] in
            try await clock.sleep(until: patienceEnds)
            self?.startDrain(of: module) { $0.endPatience(now: clock.now()) }
            try await clock.sleep(until: budgetEnds)
            self?.startDrain(of: module) { $0.endBudget(now: clock.now()) }
        }
    }

    /// Gives the run company when it has been alone for long enough; cancelled when the run has ended before.
    ///
    /// A run that blocks its module's executors gets none: nobody else could do anything there, and the watchdog's cut is charged to it.
    func release(
        _ run: UInt64, of handler: Relux.ModuleHandler, after deaths: Int, in openHandlers: (any Relux.OpenHandlers)?
    ) -> Task<Void, any Error> {
        let end = clock.now() + Relux.Suspicion.loneliness(after: deaths)
        // Detached: the timer has nothing of the handler that it watches.
        return Task.detached { [weak self, clock, executors = handler.executors, module = handler.module] in
            try await clock.sleep(until: end)
            await executors.answer()
            // Before anybody is beside it who might be to blame.
            openHandlers?.released(run: run)
            self?.release(run, of: module)
        }
    }

    private func release(_ run: UInt64, of module: ModuleID) { startDrain(of: module) { $0.release(run) } }

    /// Starts a drain if the party says that one has to be started.
    private func startDrain(of module: ModuleID, if wantsDrain: (inout Relux.Party) -> Bool) {
        let kick = state.withLock { state in state.parties.seat(of: module).flatMap { wantsDrain(&$0.party) ? $0 : nil } }
        if let kick { startDrain(kick) }
    }
}
