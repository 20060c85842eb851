import ReluxWire

extension Relux.ExchangeState {
    /// The steps that the end of a handler asks of the exchange.
    struct Finished {
        /// The delivery that the same drain goes on with.
        var next: Relux.Delivery?
        /// A fresh drain has to be started.
        var kick = false
        var resumption: Resumption?
        /// Those who waited for the party to become idle.
        var idle: [UnsafeContinuation<Void, Never>] = []
        /// Effects that the handler had said in an earlier run and not in this one.
        var diverged: [EffectID] = []
        /// Tasks of the handler that wait for a value of `once`.
        var unmade: [Relux.KeptValues.Waiter] = []
        var keeper: Relux.StateKeeper?
        /// Nothing else may be queued between the settlement and the party's knowing of it.
        var isSettling = false
        /// The party's life.
        var life: UInt64 = 0
        /// Has to be told when the settlement was.
        var reports: Relux.Reports?
    }

    /// A handler of the party has returned; false when the party does not know it any more.
    ///
    /// - Parameter settles: nobody else takes the settlement to the publisher.
    mutating func finish(
        _ effect: EffectID, run: UInt64, at seat: Relux.Seat, _ result: Relux.ActionResult, settles: Bool, _ finished: inout Finished
    ) -> Bool {
        // Its party was removed meanwhile: the effect is lost already, or the module's next instance handles it.
        guard !seat.isLeft, seat.party.runs.contains(run) else { return false }
        if settles { finished.resumption = settle(effect, by: seat.id, with: result) }
        seat.counters.handled += 1
        if result.isFailure { seat.counters.failed += 1 }
        seat.party.end(effect, run: run, &finished)
        // Nobody reads it where nothing is journaled.
        if settles { seat.party.settling = [] }
        if !settles { finished.reports = seat.look { $0.beginReport() } }
        if isEnding || !seat.party.idleWaiters.isEmpty && seat.look({ $0.isIdle }) { finished.idle = takeIdleWaiters(of: seat.id) }
        if !finished.diverged.isEmpty { seat.counters.diverged += UInt64(finished.diverged.count) }
        return true
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
    fileprivate mutating func end(_ effect: EffectID, run: UInt64, _ finished: inout Relux.ExchangeState.Finished) {
        if lasting.recall != nil {
            finished.diverged = lasting.recall?.end(effect) ?? []
            if lasting.recall?.isEmpty == true { lasting.recall = nil }
        }
        finished.unmade = lasting.kept.forget(effect)
        (finished.next, finished.kick) = finish(run)
        finished.keeper = lasting.keeper
        finished.isSettling = !settling.isEmpty && settling.contains(effect)
        finished.life = life
    }

    fileprivate func beginReport() -> Relux.Reports {
        reports.begin()
        return reports
    }
}
