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
        /// The publisher is in this process and knows already.
        var isLocal: Bool
    }

    /// A handler of the party has returned.
    mutating func finish(
        _ effect: EffectID, run: UInt64, by id: ModuleID, _ result: Relux.ActionResult
    ) -> Finished {
        let resumption = settle(effect, by: id, with: result)
        counters[id, default: Counters()].handled += 1
        if result.isFailure { counters[id, default: Counters()].failed += 1 }
        let (next, kick) = parties[id]?.finish(run) ?? (nil, false)
        let idle = parties[id]?.isIdle == true ? parties[id]?.takeIdleWaiters() ?? [] : []
        return Finished(
            next: next, kick: kick, resumption: resumption, idle: idle, isLocal: parties[effect.module] != nil)
    }

    /// Takes the baton from handlers that have run too long while others wait.
    mutating func overruns(now: Duration, limit: Duration) -> (kicks: [ModuleID], isCrowded: Bool) {
        var kicks: [ModuleID] = []
        var isCrowded = false
        for id in order {
            if parties[id]?.overrun(now: now, limit: limit) == true { kicks.append(id) }
            if parties[id]?.isCrowded == true { isCrowded = true }
        }
        return (kicks, isCrowded)
    }
}
