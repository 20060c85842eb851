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
        var idle: [UnsafeContinuation<Void, Never>] = []
        /// What the handler had said in an earlier run and not in this one.
        var diverged: [EffectID] = []
        /// Tasks of the handler that wait for a value of `once`.
        var unmade: [Relux.KeptValues.Waiter] = []
        var keeper: Relux.StateKeeper?
        /// Nothing else may be queued between the settlement and the party's knowing of it.
        var isSettling: Bool
        /// Of the party.
        var life: UInt64
        /// Has to be told when the settlement was.
        var reports: Relux.Reports?
    }

    /// A handler of the party has returned; nil when the party does not know it any more.
    ///
    /// - Parameter settles: nobody else takes the settlement to the publisher.
    mutating func finish(
        _ effect: EffectID, run: UInt64, at seat: Relux.Seat, _ result: Relux.ActionResult, settles: Bool
    ) -> Finished? {
        // Its party was removed meanwhile: the effect is lost already, or the module's next instance handles it.
        guard !seat.isLeft, seat.party.runs[run] != nil else { return nil }
        let resumption = settles ? settle(effect, by: seat.id, with: result) : nil
        seat.counters.handled += 1
        if result.isFailure { seat.counters.failed += 1 }
        var finished = seat.party.end(effect, run: run)
        finished.resumption = resumption
        // Nobody reads it where nothing is journaled.
        if settles { seat.party.settling = [] }
        if !settles { finished.reports = seat.look { $0.beginReport() } }
        if isEnding || !seat.party.idleWaiters.isEmpty && seat.look({ $0.isIdle }) { finished.idle = takeIdleWaiters(of: seat.id) }
        if !finished.diverged.isEmpty { seat.counters.diverged += UInt64(finished.diverged.count) }
        return finished
    }

    /// Takes the baton from handlers that have run too long while others wait.
    mutating func overruns(now: Duration, limit: Duration) -> (kicks: [Relux.Seat], isCrowded: Bool) {
        var kicks: [Relux.Seat] = []
        var isCrowded = false
        for id in order {
            guard let seat = parties.seat(of: id) else { continue }
            if seat.party.overrun(now: now, limit: limit) { kicks.append(seat) }
            if seat.look({ $0.isCrowded }) { isCrowded = true }
        }
        return (kicks, isCrowded)
    }
}

extension Relux.Party {
    /// The handler has returned; its resumption and who waited for the party are not looked at.
    fileprivate mutating func end(_ effect: EffectID, run: UInt64) -> Relux.ExchangeState.Finished {
        let diverged = recall?.end(effect) ?? []
        if recall?.isEmpty == true { recall = nil }
        let unmade = kept.forget(effect)
        let (next, kick) = finish(run)
        return .init(
            next: next, kick: kick, diverged: diverged, unmade: unmade, keeper: keeper, isSettling: settling.contains(effect), life: life)
    }

    fileprivate func beginReport() -> Relux.Reports {
        reports.begin()
        return reports
    }
}
