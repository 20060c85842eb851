import ReluxWire

extension Relux.ExchangeState {
    /// What the end of a handler asks the exchange to do.
    struct Finished {
        /// What the same drain goes on with.
        var next: (delivery: Relux.Delivery, run: UInt64)?
        /// A fresh drain has to be started.
        var kick: Bool
        var resumption: Resumption?
        /// Those who waited for the party to become idle.
        var idle: [UnsafeContinuation<Void, Never>]
        /// What the handler had said in an earlier run and not in this one.
        var diverged: [EffectID]
        /// Tasks of the handler that wait for a value of `once`.
        var unmade: [Relux.KeptValues.Waiter]
        var keeper: Relux.StateKeeper?
        /// Of the party.
        var life: UInt64
        /// Has to be told when the settlement was.
        var reports: Relux.Reports?
    }

    /// A handler of the party has returned; nil when the party does not know it any more.
    ///
    /// - Parameter settles: nobody else takes the settlement to the publisher.
    mutating func finish(
        _ effect: EffectID, run: UInt64, by id: ModuleID, _ result: Relux.ActionResult, settles: Bool
    ) -> Finished? {
        // Its party was removed meanwhile: the effect is lost already, or the module's next instance handles it.
        guard parties.read(id, { $0.runs[run] != nil }) == true else { return nil }
        let resumption = settles ? settle(effect, by: id, with: result) : nil
        let isFailure = result.isFailure
        count(id) {
            $0.handled += 1
            if isFailure { $0.failed += 1 }
        }
        let ended = parties.update(id) { party -> (Finished, isIdle: Bool) in
            let diverged = party.recall?.end(effect) ?? []
            if party.recall?.isEmpty == true { party.recall = nil }
            let unmade = party.kept.forget(effect)
            let (next, kick) = party.finish(run)
            party.reports.begin()
            let isIdle = party.isIdle
            return (
                Finished(
                    next: next, kick: kick, resumption: nil, idle: [], diverged: diverged, unmade: unmade, keeper: party.keeper,
                    life: party.life, reports: party.reports), isIdle
            )
        }
        guard let (result, isIdle) = ended else { return nil }
        var finished = result
        finished.resumption = resumption
        if isIdle { finished.idle = takeIdleWaiters(of: id) }
        if !finished.diverged.isEmpty { count(id) { $0.diverged += UInt64(finished.diverged.count) } }
        return finished
    }

    /// Takes the baton from handlers that have run too long while others wait.
    mutating func overruns(now: Duration, limit: Duration) -> (kicks: [ModuleID], isCrowded: Bool) {
        var kicks: [ModuleID] = []
        var isCrowded = false
        for id in order {
            let (kick, crowded) = parties.update(id) { ($0.overrun(now: now, limit: limit), $0.isCrowded) } ?? (false, false)
            if kick { kicks.append(id) }
            if crowded { isCrowded = true }
        }
        return (kicks, isCrowded)
    }
}
