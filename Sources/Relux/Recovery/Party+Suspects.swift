import ReluxWire

extension Relux.Party {
    /// Something may be started now; without suspects, whatever is first.
    var hasNext: Bool {
        guard let suspicion, suspicion.isWatching else { return !queue.isEmpty }
        return suspicion.choice(in: queue, running: runs) != nil
    }

    /// Whether what has just come behind others may be started, as far as suspects go; those before it were asked for already.
    func mayStart(_ new: Relux.Delivery) -> Bool {
        guard let suspicion, suspicion.isWatching else { return true }
        return suspicion.admits(new, running: runs)
    }

    mutating func popNext() -> Relux.Delivery? {
        guard let suspicion, suspicion.isWatching else { return queue.popFirst() }
        guard let offset = suspicion.choice(in: queue, running: runs) else { return nil }
        return offset == 0 ? queue.popFirst() : queue.remove(at: offset)
    }

    /// The delivery is about to start as that run, which is not among the runs yet.
    mutating func suspect(_ delivery: Relux.Delivery, run: UInt64) {
        guard suspicion != nil else { return }
        delivery.isSuspect = suspicion?.started(delivery, run: run, beside: runs) ?? false
        delivery.isOnTrial = delivery.isSuspect || suspicion?.holdsUp == true
    }

    mutating func acquit(_ run: UInt64, of effect: EffectID) {
        suspicion?.ended(run, of: effect)
        if suspicion?.isOver == true { suspicion = nil }
    }

    /// The run has been alone for as long as it has to be. True when a drain has to be started.
    mutating func release(_ run: UInt64) -> Bool {
        guard let effect = runs[run]?.effect else { return false }
        suspicion?.release(run, of: effect)
        if suspicion?.isOver == true { suspicion = nil }
        return wantsDrain()
    }

    /// True when a drain has to be started.
    mutating func endPatience(now: Duration) -> Bool {
        // The timer of an earlier life of the party knows nothing of this one.
        guard let end = suspicion?.patienceEnds, end <= now else { return false }
        suspicion?.endPatience(queue)
        return wantsDrain()
    }

    /// The same when the budget may be spent.
    mutating func endBudget(now: Duration) -> Bool {
        guard let end = suspicion?.budgetEnds, end <= now else { return false }
        suspicion?.endBudget()
        return wantsDrain()
    }
}
