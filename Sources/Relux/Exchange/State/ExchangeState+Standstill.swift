import ReluxWire

/// The end of a process whose handlers wait for modules that have none.
///
/// Design notes. When a cluster goes down its processes end one after the other, and a handler may wait for a module of one that has ended: until its
/// deadline, and the process with it until its own limit. Such a handler is cut at once instead, as it would be at that limit: its effect is unsettled
/// and is handled again by the next life. That goes for every end of a process, and only when nothing else in it can go on. A handler that has
/// other work beside such a wait (a second saga, the rest of a concurrent batch) is cut in the midst of that.
extension Relux.ExchangeState {
    /// All that is left waits for members without a process, itself or through others. Once so, so for good: the parties leave.
    mutating func isAtStandstill() -> Bool {
        if hasStoppedShort { return true }
        guard let absent = membership?.withoutProcess, !absent.isEmpty, order.allSatisfy({ isWaiting($0) }) else { return false }
        let stuck = stuckRuns(absent)
        hasStoppedShort = order.allSatisfy { id in
            parties.read(id) { $0.admission == .held || $0.runs.numbers.allSatisfy(stuck.contains) } ?? true
        }
        return hasStoppedShort
    }

    /// Each of the party's handlers awaits a dispatch, and no further one is about to start.
    private func isWaiting(_ id: ModuleID) -> Bool {
        parties.read(id) { party in
            party.admission == .held || party.running == 0 && (party.queue.isEmpty || party.isSerial && party.holder != nil)
        } ?? true
    }

    /// Handlers that wait for what is not settled as long as those are without a process. A run's number is that of one party only.
    private func stuckRuns(_ absent: Set<ModuleID>) -> Set<UInt64> {
        let awaited = pending.all.compactMap { effect, entry in
            entry.awaiter.map { (effect: effect, run: $0.run, recipients: entry.outstanding.modules, isTransient: entry.isTransient) }
        }
        var stuck: Set<UInt64> = []
        var count = -1
        while stuck.count > count {
            count = stuck.count
            for wait in awaited where !stuck.contains(wait.run) {
                // A transient effect is lost with the process, and its settlement is on its way.
                let isStuck = wait.recipients.contains { !wait.isTransient && absent.contains($0) || isHeldUp(wait.effect, at: $0, by: stuck) }
                if isStuck { stuck.insert(wait.run) }
            }
        }
        return stuck
    }

    /// The recipient is of this process, and its handler of the effect is a stuck one, or will begin behind one.
    private func isHeldUp(_ effect: EffectID, at recipient: ModuleID, by stuck: Set<UInt64>) -> Bool {
        parties.read(recipient) { party in
            if let run = party.runs.number(where: { $0.effect == effect }) { return stuck.contains(run) }
            return party.isSerial && party.holder.map(stuck.contains) == true && party.queue.firstOffset { $0.id == effect } != nil
        } ?? false
    }
}
