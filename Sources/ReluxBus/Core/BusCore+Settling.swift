package import Relux
import ReluxLedger

/// The settlements of the modules here.
///
/// Design notes. A ``Settling`` is one number in the settlement stream, one place in the journals of both sides, and one step in the publisher's
/// books, of however many effects it is.
extension BusCore {
    /// Recipients of this process have settled effects, and their states have changed with them: all of it is one batch.
    ///
    /// - Parameter batch: with their results coded.
    package mutating func settled(
        _ batch: [Settling], capturing states: [Relux.CapturedState], of module: ModuleID,
        life: UInt64 = 0, now: Duration, _ actions: inout [Action]
    ) {
        let count = batch.reduce(0) { $0 + $1.effects.count }
        guard isCurrent(life, of: module, count: max(1, count)) else { return }
        for state in states {
            note(
                .state(
                    StateRecord(
                        stateName: state.name, version: UInt64(state.version), reduced: state.reduced, value: state.bytes[...])),
                on: StateRecord.topic, of: module)
        }
        for settling in batch { say(settling, as: settling.result.settledStatus, now: now, &actions) }
        leaveAtOnce(now)
    }

    /// A delivery that never reached a handler.
    mutating func refused(_ settling: Settling, now: Duration, _ actions: inout [Action]) {
        guard isCurrent(settling.life, of: settling.recipient) else { return }
        say(settling, as: .refused, now: now, &actions)
    }

    private mutating func say(
        _ settling: Settling, as status: SettledRecord.Status, now: Duration, _ actions: inout [Action]
    ) {
        let (publisher, recipient) = (settling.publisher, settling.recipient)
        func record(_ sequence: UInt64, _ effects: EffectRuns) -> SettledRecord {
            SettledRecord(
                sequence: sequence, topic: settling.topic, effects: effects, status: status,
                durationMicroseconds: UInt64(max(0, settling.duration / .microseconds(1))), diverged: settling.diverged, result: settling.coded?[...] ?? [],
                isMachine: settling.durability == .machine)
        }
        if settling.durability == .transient { return settledTransient(record(0, settling.effects), of: publisher, by: recipient, &actions) }
        // Asked where they lie: a copy would cost a retain for each part of the ledger.
        guard let place = locals.index(forKey: recipient) else { return }
        let stream = StreamID(publisher: publisher, topic: settling.topic)
        let next: (effects: EffectRuns, topic: Topic, sequence: UInt64)? = within(place) { local in
            let done = local.ledger.cursors[stream]
            guard let effects = done.map({ settling.effects(besides: $0) }) ?? settling.effects else { return nil }
            let topic = Topic.settlements(of: publisher)
            return (effects, topic, local.ledger.head(of: topic, start: local.start) + 1)
        }
        guard let (effects, topic, sequence) = next else { return }
        if settling.durability == .machine { press(recipient, now: now) }
        let record = record(sequence, effects)
        let isLocal = isHere(publisher)
        say(.settled(record), on: topic, of: recipient, at: place, to: isLocal ? .taps : .everyone)
        clock.headSoon(now)
        guard isLocal else { return }
        let key = InboundKey(recipient: publisher, publisher: recipient, topic: topic)
        offer(.settled(record), sequence, record.result.count, key, false, now, &actions)
    }
}
