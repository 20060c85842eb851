import ReluxWire

/// Turns frames into what a tap shows, and counts what it missed. Pure: no sockets, no clock.
package struct TapReader: Sendable {
    /// Totals since the start, of effects only. What was dropped is what the sequences of the subscribed streams lack;
    /// settlements that were missed are not counted, because those between modules of one process carry no sequence.
    package struct Counters: Sendable, Hashable {
        package var seen: UInt64 = 0
        package var dropped: UInt64 = 0
        package var undecodable: UInt64 = 0
        package init() {}
    }

    /// How far a stream has come, in the latest life of its publisher that was heard.
    private struct Head {
        var epoch: Epoch
        var sequence: UInt64
    }

    /// The most effects whose settlements are shown; settlements of older effects are not.
    private static let followedLimit = 65_536

    package private(set) var counters = Counters()
    /// Puts the fields of what is shown into their declared order.
    package var order = FieldOrder()
    private let patterns: [TapPattern]
    private let wantsAll: Bool
    private var heads: [StreamID: Head] = [:]
    private var followed: Set<EffectID> = []

    package init(patterns: [TapPattern]) {
        self.patterns = patterns.isEmpty ? [.everything] : patterns
        wantsAll = self.patterns.contains(.everything)
    }

    /// The wanted events of a frame, in its order. A frame that cannot be read is counted, never an error.
    package mutating func read(_ bytes: [UInt8]) -> [TapEvent] {
        guard let frame = try? Frame(decoding: bytes) else {
            // A ready marker of the bus is no frame of ours to count.
            if bytes.first != 0xff { counters.undecodable += 1 }
            return []
        }
        let settled = frame.topic.settledPublisher
        guard settled != nil || !frame.topic.isReserved || frame.topic == RefusedRecord.topic else { return [] }
        var events: [TapEvent] = []
        for record in frame.records {
            switch record {
            case .effect(let record):
                guard settled == nil, advance(frame, to: record.sequence) else { continue }
                counters.seen += 1
                guard patterns.contains(where: { $0.matches(frame.topic, caseName: record.caseName) }) else { continue }
                let effect = TappedEffect(
                    publisher: frame.publisher, topic: frame.topic, epoch: frame.epoch, record: record, order: order)
                follow(effect.id)
                events.append(.effect(effect))
            case .settled(let record):
                guard let settled, isNew(record, in: frame) else { continue }
                for effect in record.effects {
                    let id = EffectID(module: settled, position: effect.position)
                    guard wantsAll || followed.contains(id) else { continue }
                    events.append(
                        .settlement(TappedSettlement(recipient: frame.publisher, effect: id, record: record)))
                }
            case .refused(let record):
                guard frame.topic == RefusedRecord.topic, isWanted(record) else { continue }
                events.append(.refusal(TappedRefusal(module: frame.publisher, record: record)))
            // The records that follow are a repair of another stream, seen before.
            case .stream: return events
            default: continue
            }
        }
        return events
    }

    /// A refusal with a name that no topic can have is wanted only by a tap of everything.
    private func isWanted(_ record: RefusedRecord) -> Bool {
        if wantsAll { return true }
        guard let topic = Topic(rawValue: record.topic) else { return false }
        return patterns.contains { $0.matches(topic, caseName: record.caseName) }
    }

    /// Settlements are numbered as effects are, but a tap may follow a recipient whose other settlements it never hears.
    private mutating func isNew(_ record: SettledRecord, in frame: Frame) -> Bool {
        if let head = heads[frame.stream], frame.epoch < head.epoch || frame.epoch == head.epoch && record.sequence <= head.sequence { return false }
        heads[frame.stream] = Head(epoch: frame.epoch, sequence: record.sequence)
        return true
    }

    /// False for what was seen before, and for what is left of an earlier life.
    private mutating func advance(_ frame: Frame, to sequence: UInt64) -> Bool {
        if let head = heads[frame.stream], frame.epoch <= head.epoch {
            guard frame.epoch == head.epoch, sequence > head.sequence else { return false }
            counters.dropped.grow(by: sequence - head.sequence - 1)
        }
        heads[frame.stream] = Head(epoch: frame.epoch, sequence: sequence)
        return true
    }

    private mutating func follow(_ effect: EffectID) {
        guard !wantsAll else { return }
        if followed.count >= Self.followedLimit { followed.removeAll(keepingCapacity: true) }
        followed.insert(effect)
    }
}
