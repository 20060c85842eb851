import ReluxWire

/// Recipients that are known to be absent: nobody waits for them, and what they have not settled stays unsettled.
extension Relux.ExchangeState {
    /// The result for the waiter when only absent recipients have still to settle; nil while somebody present is waited for.
    func parked(_ entry: Pending) -> Relux.ActionResult? {
        guard membership?.absences.isEmpty == false else { return nil }
        var result = entry.result
        if let asked = entry.asked {
            guard entry.outstanding.contains(asked), let outcome = parkedOutcome(of: asked, entry) else { return nil }
            result.outcomes.append(outcome)
            return result
        }
        for module in entry.outstanding.modules {
            guard let outcome = parkedOutcome(of: module, entry) else { return nil }
            result.outcomes.append(outcome)
        }
        return result
    }

    /// nil when the entry's waiter waits for that recipient.
    func parkedOutcome(of module: ModuleID, _ entry: Pending) -> Relux.ActionResult.Outcome? {
        guard entry.awaiting == .present, let membership, let why = membership.absences[module] else { return nil }
        // Nothing keeps it for a process that is not there: it is lost, and the bus says so.
        if entry.isTransient, membership.withoutProcess.contains(module) { return nil }
        return .parked(module, why)
    }

    /// Ends the waiting for the effect if nobody present has to settle it any more.
    mutating func park(_ effect: EffectID) -> Resumption? {
        guard let entry = pending[effect], entry.waiter != nil, let result = parked(entry) else { return nil }
        return endWaiting(for: effect, with: result)
    }

    /// The same for all effects, in order.
    mutating func parkWaiters() -> [Resumption] {
        pending.all.filter { $0.entry.waiter != nil }.map(\.effect).sorted().compactMap { park($0) }
    }
}
