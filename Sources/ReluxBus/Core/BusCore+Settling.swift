package import Relux

/// What modules of this process have settled.
///
/// Design notes. Effects of one stream that have ended alike, one behind the other, share a record: one number in the settlement stream, one
/// place in the journals of both sides, one step in the publisher's books.
extension BusCore {
    /// Effects that share a record.
    private struct Settling {
        let publisher: ModuleID
        let topic: Topic
        let recipient: ModuleID
        let status: SettledRecord.Status
        let durability: Relux.Durability
        var effects: EffectRuns
        var duration: Duration
        let diverged: [UInt64]
        let result: [UInt8]
        /// What of the stream the recipient has settled before.
        let done: SequenceSet

        init(_ settled: Relux.Settled, _ status: SettledRecord.Status, _ result: [UInt8], done: SequenceSet) {
            (publisher, topic, recipient) = (settled.id.module, settled.topic, settled.recipient)
            (self.status, durability, duration) = (status, settled.durability, settled.duration)
            effects = EffectRuns(position: settled.id.position, sequence: settled.sequence)
            diverged = settled.diverged.map(\.position)
            self.result = result
            self.done = done
        }

        var isPlain: Bool { result.isEmpty && diverged.isEmpty }

        /// False when the effect needs a record of its own.
        mutating func takes(_ settled: Relux.Settled, _ status: SettledRecord.Status, _ result: [UInt8]) -> Bool {
            guard isPlain, result.isEmpty, settled.diverged.isEmpty, status == self.status, settled.durability == durability,
                settled.topic == topic, settled.id.module == publisher,
                effects.takes(position: settled.id.position, sequence: settled.sequence)
            else { return false }
            // Settled before: there is nothing to say.
            if done.contains(settled.sequence) { return true }
            duration += settled.duration
            return effects.append(position: settled.id.position, sequence: settled.sequence)
        }

        func record(_ sequence: UInt64) -> SettledRecord {
            SettledRecord(
                sequence: sequence, topic: topic, effects: effects, status: status,
                durationMicroseconds: UInt64(max(0, duration / .microseconds(1))), diverged: diverged, result: result[...],
                isMachine: durability == .machine)
        }
    }

    /// Recipients of this process have settled effects, and their states have changed with them: all of it is one batch.
    package mutating func settled(
        _ batch: [(settled: Relux.Settled, result: [UInt8])], capturing states: [Relux.CapturedState], of module: ModuleID,
        life: UInt64 = 0, now: Duration
    ) -> [Action] {
        var actions: [Action] = []
        settled(batch, capturing: states, of: module, life: life, now: now, &actions)
        return actions
    }

    package mutating func settled(
        _ batch: [(settled: Relux.Settled, result: [UInt8])], capturing states: [Relux.CapturedState], of module: ModuleID,
        life: UInt64, now: Duration, _ actions: inout [Action]
    ) {
        guard isCurrent(life, of: module, count: max(1, batch.count)) else { return }
        for state in states {
            note(
                .state(
                    StateRecord(
                        stateName: state.name, version: UInt64(state.version), reduced: state.reduced, value: state.bytes[...])),
                on: StateRecord.topic, of: module)
        }
        var alike: Settling?
        for (settled, result) in batch {
            let status = settled.result.settledStatus
            if alike?.takes(settled, status, result) == true { continue }
            if let alike { say(alike, now: now, &actions) }
            alike = settling(settled, status, result)
        }
        if let alike { say(alike, now: now, &actions) }
        leaveAtOnce(now)
    }

    /// A delivery that never reached a handler.
    package mutating func refused(_ settled: Relux.Settled, result: [UInt8], now: Duration, _ actions: inout [Action]) {
        guard isCurrent(settled.life, of: settled.recipient), let settling = settling(settled, .refused, result) else { return }
        say(settling, now: now, &actions)
    }

    /// nil when the effect is settled already.
    private mutating func settling(_ settled: Relux.Settled, _ status: SettledRecord.Status, _ result: [UInt8]) -> Settling? {
        guard settled.durability != .transient else { return Settling(settled, status, result, done: SequenceSet()) }
        // Asked where they lie: a copy would cost a retain for each part of the ledger.
        guard let place = locals.index(forKey: settled.recipient) else { return nil }
        let stream = StreamID(publisher: settled.id.module, topic: settled.topic)
        let done = within(place) { $0.ledger.cursors[stream] } ?? SequenceSet()
        return done.contains(settled.sequence) ? nil : Settling(settled, status, result, done: done)
    }

    private mutating func say(_ settling: Settling, now: Duration, _ actions: inout [Action]) {
        let (publisher, recipient) = (settling.publisher, settling.recipient)
        if settling.durability == .transient { return settledTransient(settling.record(0), of: publisher, by: recipient, &actions) }
        guard let place = locals.index(forKey: recipient) else { return }
        let (topic, head) = within(place) { local in
            let topic = local.ledger.settlements(for: publisher)
            return (topic, local.ledger.head(of: topic, start: local.start))
        }
        if settling.durability == .machine { press(recipient, now: now) }
        let record = settling.record(head + 1)
        let isLocal = isHere(publisher)
        say(.settled(record), on: topic, of: recipient, at: place, to: isLocal ? .taps : .everyone)
        headSoon(now)
        guard isLocal else { return }
        let key = InboundKey(recipient: publisher, publisher: recipient, topic: topic)
        offer(.settled(record), record.sequence, record.result.count, key, false, now, &actions)
    }
}
