import ReluxWire

/// The end of the process: all its parties leave together, and each finishes what the others wait for.
extension Relux.ExchangeState {
    /// Effects whose handlers run, of all parties.
    var running: Set<EffectID> {
        var effects: Set<EffectID> = []
        for id in order { parties.read(id) { party in for run in party.runs.all { effects.insert(run.effect) } } }
        return effects
    }

    /// From here on nothing is begun that no running handler waits for.
    mutating func end() {
        isEnding = true
        let running = running
        // A party that leaves for good finishes all that it has.
        for id in order { _ = parties.update(id) { if $0.admission != .closed { $0.yield(others: running) } } }
        recipientsMayHaveChanged()
    }

    /// The party has handled what it has to. At the end of the process no party has before the others: they may ask it for something.
    mutating func isIdle(_ id: ModuleID) -> Bool {
        isEnding ? order.allSatisfy(isAtRest) || isAtStandstill() : isAtRest(id)
    }

    /// Takes the waiters of an idle party.
    mutating func takeIdleWaiters(of id: ModuleID) -> [UnsafeContinuation<Void, Never>] {
        if isEnding { return takeIdleWaiters() }
        return isIdle(id) ? parties.update(id) { $0.takeIdleWaiters() } ?? [] : []
    }

    /// The same at the end of the process, where all are let go together.
    mutating func takeIdleWaiters() -> [UnsafeContinuation<Void, Never>] {
        guard let waiting = order.first(where: { parties.read($0) { !$0.idleWaiters.isEmpty } == true }), isIdle(waiting) else { return [] }
        return order.flatMap { parties.update($0) { $0.takeIdleWaiters() } ?? [] }
    }

    /// A party that was set up meanwhile will not be opened any more.
    private func isAtRest(_ id: ModuleID) -> Bool { parties.read(id) { $0.isIdle || $0.admission == .held } ?? true }
}
