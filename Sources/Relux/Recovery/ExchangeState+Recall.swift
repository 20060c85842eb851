import ReluxWire
import Synchronization

extension Relux.ExchangeState {
    /// Expects the settlements of effects that earlier lives of a module left unsettled; nobody waits for them yet.
    mutating func expect(_ recovery: Relux.Recovery, now: Duration) {
        if !recovery.emissions.isEmpty { hasRecalls = true }
        var partial = recovery.partial
        for said in recovery.emissions.values {
            for emission in said { partial[emission.id] = emission.result }
        }
        for (id, outstanding) in recovery.pending where pending[id] == nil && !outstanding.isEmpty {
            pending[id] = Pending(
                outstanding: Recipients(outstanding), result: partial[id] ?? Relux.ActionResult(), deadline: now, waiter: nil,
                awaiter: nil, acceptedAt: now)
        }
    }

    /// The waiter waits for an effect of an earlier life; false when it is settled or awaited already.
    mutating func await(
        recovered effect: EffectID, until deadline: Duration, awaiting: Relux.Awaiting, waiter: Relux.Waiter, now: Duration
    ) -> Bool {
        guard let entry = pending[effect], entry.waiter == nil else { return false }
        entry.waiter = waiter
        entry.awaiting = awaiting
        entry.deadline = deadline
        entry.acceptedAt = now
        note(deadline: deadline, of: effect)
        return true
    }

    /// The emission that the handler had made in an earlier life; nil when it is a new one.
    mutating func recall(_ emission: Relux.Emission) -> Relux.Recovery.Emission? {
        guard hasRecalls, let handler = emission.handler, let coded = emission.coded else { return nil }
        return parties.update(emission.origin) { party in
            guard party.lasting.recall != nil, party.isRunning(handler) || !handler.isAwaited && party.began(handler.run) else { return nil }
            return party.lasting.recall?.take(handler.effect, emission.topic, coded.payload)
        } ?? nil
    }

    /// The waiter waits for an effect that was accepted in an earlier life; what it is told when that was answered already, else nil.
    mutating func reattach(
        _ recalled: Relux.Recovery.Emission, _ emission: Relux.Emission, awaiter: Awaiter?, waiter: Relux.Waiter, now: Duration,
        _ acceptance: inout Acceptance
    ) -> Relux.ActionResult? {
        emission.onAccepted?(recalled.id)
        guard let entry = pending[recalled.id] else { return recalled.result ?? .unhandled }
        // The asked recipient may have answered an earlier life.
        if let asked = emission.asked, !entry.outstanding.contains(asked) { return entry.result }
        // A handler that its removed module has left running may wait still; the re-run takes its place.
        acceptance.displaced = resumption(
            of: entry, with: .failure(Relux.Failure.closed(emission.origin.rawValue)))
        entry.asked = emission.asked
        entry.awaiting = emission.awaiting
        entry.deadline = acceptance.deadline
        entry.acceptedAt = now
        let vain = parked(entry)
        entry.waiter = vain == nil ? waiter : nil
        entry.awaiter = vain == nil ? awaiter : nil
        if let vain {
            acceptance.resumption = Resumption(waiter: waiter, result: vain)
            return nil
        }
        note(deadline: acceptance.deadline, of: recalled.id)
        if let awaiter, awaiter.seat.party.awaitBegan(awaiter.run) { acceptance.kicks.append(awaiter.seat) }
        return nil
    }
}

extension Relux.Exchange {
    /// Returns when every recipient of an effect of an earlier life has settled it, or at the deadline; nil at once when there is nothing
    /// to wait for.
    func awaitRecovered(_ effect: EffectID, patience: Duration, awaiting: Relux.Awaiting) async -> Relux.ActionResult? {
        var isAwaited = true
        let result = await withUnsafeContinuation { (continuation: UnsafeContinuation<Relux.ActionResult, Never>) in
            let now = clock.now()
            let (waits, parked) = state.withLock { state in
                let waits = state.await(recovered: effect, until: now + patience, awaiting: awaiting, waiter: .task(continuation), now: now)
                return (waits, waits ? state.park(effect) : nil)
            }
            if waits {
                wake(at: now + patience)
                resume(parked)
            } else {
                isAwaited = false
                continuation.resume(returning: Relux.ActionResult())
            }
        }
        return isAwaited ? result : nil
    }
}
