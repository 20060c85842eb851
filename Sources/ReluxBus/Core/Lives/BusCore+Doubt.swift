import Relux
import ReluxControl
import ReluxLedger

/// Effects that our modules' earlier lives left open although their recipients are through with them.
///
/// Design notes. HEAD acknowledges what is in the publisher's journal as ACKED, and the recipient lets those settlements go. A loss of power may take
/// an ACKED that was acknowledged and not on the disk yet: nobody would ever say that settlement again. So a life of a publisher asks those who have
/// not settled what earlier lives said: a FETCH of `~settled.<publisher>` without ranges. The answer is a HEAD as at the end of each replay, and names
/// in `acknowledged` how far the recipient is through with each stream of the publisher. Once all settlements that it still has are taken, what is open
/// below that mark was settled, and its result is lost. The courier answers for a recipient without a process.
extension BusCore {
    /// Effects of earlier lives that one recipient has not settled.
    struct Doubt: Sendable {
        /// By stream, the last sequence that was given out before this life.
        var heads: [Topic: UInt64] = [:]
        var askedAt: Duration
    }

    /// The module has come with what its journal says.
    mutating func doubt(_ publisher: ModuleID, now: Duration) {
        for (topic, state) in locals[publisher]?.ledger.streams ?? [:] where !topic.isReserved {
            for recipient in Set(state.starts().keys) {
                let key = InboundKey(recipient: publisher, publisher: recipient, topic: .settlements(of: publisher))
                inbound.doubts[key, default: Doubt(askedAt: now)].heads[topic] = state.head
            }
        }
        if !inbound.doubts.isEmpty { clock.headSoon(now) }
    }

    /// Asks those again that have not settled all of it.
    mutating func askDoubted(now: Duration, _ actions: inout [Action]) {
        inbound.doubts = inbound.doubts.filter { key, doubt in locals[key.recipient].map { isOpen(doubt, at: key.publisher, $0.ledger) } ?? false }
        for (key, doubt) in inbound.doubts.sorted(by: { $0.key < $1.key }) where now - doubt.askedAt >= Self.courierPatience {
            let (publisher, recipient) = (key.recipient, key.publisher)
            guard let epoch = locals[publisher]?.epoch else { continue }
            inbound.doubts[key]?.askedAt = now
            if let other = locals[recipient] {
                takeWord(other.ledger.word(for: publisher), of: recipient, by: publisher, &actions)
            } else if isAbsent(recipient) {
                actions.append(.askCourier(.records(of: recipient, topic: key.topic, ranges: [], for: publisher)))
            } else {
                let record = FetchRecord(requester: publisher, topic: key.topic, ranges: [])
                let stream = StreamID(publisher: publisher, topic: Self.fetch(from: recipient))
                actions.append(.publish(stream, epoch, .fetch(record), tapOnly: false))
            }
        }
    }

    private func isOpen(_ doubt: Doubt, at recipient: ModuleID, _ ledger: Ledger) -> Bool {
        doubt.heads.contains { topic, head in ledger.streams[topic]?.waits(for: recipient, upTo: head) == true }
    }

    /// A recipient has said how far it is through with our streams, and how far the settlements reach that it still has.
    mutating func takeWord(_ word: HeadRecord, of recipient: ModuleID, by publisher: ModuleID, _ actions: inout [Action]) {
        let key = InboundKey(recipient: publisher, publisher: recipient, topic: .settlements(of: publisher))
        guard let doubt = inbound.doubts[key], let kept = word.streams.first(where: { $0.topic == key.topic }) else { return }
        // The settlements that it still has bring the results, too.
        if kept.low <= kept.head, inbound.streams[key].map({ $0.lowWater < kept.head }) ?? true { return }
        for mark in word.acknowledged where mark.module == publisher && !mark.topic.isReserved {
            let last = min(mark.lowWater, doubt.heads[mark.topic] ?? 0)
            let open = locals[publisher]?.ledger.streams[mark.topic]?.outstanding(for: recipient, upTo: last) ?? []
            for entry in open {
                counters.resultsLost += 1
                let effects = EffectRuns(position: entry.position, sequence: entry.sequence)
                let result = ResultCoding.resultLost(recipient)
                guard end(effects, on: mark.topic, of: publisher, for: recipient, as: .failed, result: result) else { continue }
                let record = SettledRecord(sequence: 0, topic: mark.topic, effects: effects, status: .failed, result: result)
                actions.append(.settle(record, of: publisher, by: recipient))
            }
        }
    }
}

extension Ledger {
    /// How far the module is through with the publisher's streams, and which settlements for it are still there.
    func word(for publisher: ModuleID, start: UInt64 = 0) -> HeadRecord {
        let topic = Topic.settlements(of: publisher)
        let state = streams[topic] ?? OutboundStream(head: start)
        let marks = cursors.filter { $0.key.publisher == publisher && !$0.key.topic.isReserved }.sorted { $0.key < $1.key }
        return HeadRecord(
            streams: [.init(topic: topic, low: state.low, head: state.head)],
            acknowledged: marks.map { .init(module: publisher, topic: $0.key.topic, lowWater: $0.value.lowWater) })
    }
}
