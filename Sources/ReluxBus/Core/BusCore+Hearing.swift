import Relux
import ReluxControl
import ReluxLedger

/// Taking records of a stream, in order, once each.
///
/// Design notes. A frame has up to some hundred records of one stream. What they have in common is looked up once: a look-up with three names
/// costs more than the rest of what is done for a record.
extension BusCore {
    /// A stream that a module here hears, as it is while one frame is taken.
    struct Hearing {
        let key: InboundKey
        /// Since which membership the module is a recipient; nil when it is none.
        let since: UInt64?
        /// The module is in no picture yet.
        let isAwaited: Bool
        /// See ``BusCore/Local/life``.
        let life: UInt64
        /// Where the view of the stream is, valid while the number of heard streams stays the same: nothing is taken out while a frame is taken, what is put in
        /// may move the others, and streams are changed in place only, by ``InboundBook/with(_:_:)``.
        var view: (place: Dictionary<InboundKey, InboundStream<WireRecord>>.Index, count: Int)?
        var isAcknowledged = false
    }

    mutating func hearing(_ key: InboundKey) -> Hearing {
        let member = membership.members.index(forKey: key.recipient)
        let since = membership.isKnown ? member.map { membership.members.values[$0].since } : 0
        let life = locals.index(forKey: key.recipient).map { place in within(place) { $0.life } } ?? 0
        return Hearing(key: key, since: since, isAwaited: member == nil && !key.topic.isReserved, life: life)
    }

    mutating func hearings(of publisher: ModuleID, _ topic: Topic, by recipients: [ModuleID]) -> [Hearing] {
        var hearings: [Hearing] = []
        for recipient in recipients { hearings.append(hearing(InboundKey(recipient: recipient, publisher: publisher, topic: topic))) }
        return hearings
    }

    /// A single record.
    mutating func offer(
        _ record: WireRecord, _ sequence: UInt64, _ byteCount: Int, _ key: InboundKey, _ isReplayed: Bool, _ now: Duration,
        _ actions: inout [Action]
    ) {
        var hearing = hearing(key)
        offer(record, sequence, byteCount, &hearing, isReplayed, now, &actions)
    }

    mutating func offer(
        _ record: WireRecord, _ sequence: UInt64, _ byteCount: Int, _ hearing: inout Hearing, _ isReplayed: Bool, _ now: Duration,
        _ actions: inout [Action]
    ) {
        guard let place = place(of: &hearing) else { return }
        if hearing.isAwaited {
            // Whether it is meant for the newcomer shows in a picture that is still on its way; then it is fetched.
            inbound.streams.values[place].learn(head: sequence)
            inbound.lack(hearing.key)
            return
        }
        if !isReplayed, inbound.streams.values[place].passes(sequence) {
            inbound.noteProgress(of: hearing.key, at: place)
            return handOver(record, &hearing, now, &actions)
        }
        var due: [WireRecord] = []
        switch inbound.streams.values[place].offer(record, sequence: sequence, byteCount: byteCount + Self.recordOverhead, isReplayed: isReplayed, due: &due) {
        case .duplicate: counters.duplicates += 1
        case .held(let isNew): if isNew { counters.gaps += 1 }
        case .dropped, .handedOver, .overlap: break
        }
        if isReplayed {
            counters.repaired += UInt64(due.count)
            inbound.streams.values[place].replayed(now: now)
            askAgainSoon(hearing.key)
        }
        inbound.noteProgress(of: hearing.key, at: place)
        handOver(due, &hearing, now, &actions)
    }

    private mutating func place(of hearing: inout Hearing) -> Dictionary<InboundKey, InboundStream<WireRecord>>.Index? {
        if let view = hearing.view, view.count == inbound.streams.count { return view.place }
        guard open(hearing.key), let place = inbound.streams.index(forKey: hearing.key) else { return nil }
        hearing.view = (place, inbound.streams.count)
        return place
    }

    mutating func handOver(_ due: [WireRecord], _ hearing: inout Hearing, _ now: Duration, _ actions: inout [Action]) {
        for record in due { handOver(record, &hearing, now, &actions) }
    }

    private mutating func handOver(_ record: WireRecord, _ hearing: inout Hearing, _ now: Duration, _ actions: inout [Action]) {
        let key = hearing.key
        switch record {
        case .effect(let effect):
            guard let since = hearing.since, since <= effect.memberVersion else {
                counters.notForUs += 1
                // Nothing follows from it, and it is written all the same.
                clock.headSoon(now)
                return noteDone(effect.sequence...effect.sequence, of: key.stream, for: key.recipient)
            }
            actions.append(.deliver(effect, publisher: key.publisher, topic: key.topic, to: key.recipient, life: hearing.life))
        case .settled(let settled):
            end(
                settled.effects, on: settled.topic, of: key.recipient, for: key.publisher, as: settled.status, result: settled.result,
                settlement: settled.sequence)
            if !hearing.isAcknowledged {
                acknowledgeSoon(key, now)
                hearing.isAcknowledged = true
            }
            actions.append(.settle(settled, of: key.recipient, by: key.publisher))
        default: return
        }
    }
}
