import ReluxWire

/// One recipient's view of one stream: what is next, what came too early, what is missing. Pure.
///
/// Records are handed over in sequence, each once. What came out of order is held, bounded; only what is missing is asked for.
struct InboundStream<Record: Sendable>: Sendable {
    /// Records held at most; a newer one beyond that is dropped and fetched again when its turn comes.
    static var heldLimit: Int { 4096 }
    /// How long an unanswered FETCH is waited for before it is asked again.
    static var patience: Duration { .milliseconds(100) }
    /// Records asked for at a time.
    static var credit: UInt64 { 256 }

    private(set) var epoch: Epoch
    /// The sequence that is handed over next.
    private(set) var next: UInt64
    /// The highest sequence that is known to exist.
    private(set) var head: UInt64
    private var held: [UInt64: Record] = [:]
    private var askedAt: Duration?

    init(epoch: Epoch, startsAfter start: UInt64, head: UInt64) {
        self.epoch = epoch
        self.next = start + 1
        self.head = max(start, head)
    }

    var isComplete: Bool { next > head }
    /// All up to here has been handed over.
    var lowWater: UInt64 { next - 1 }

    enum Offer: Equatable {
        case handedOver(gapClosed: Bool)
        /// Kept until what is before it has come; `isNew` when this record revealed the gap.
        case held(isNew: Bool)
        case duplicate
        case full
    }

    /// Takes a record; those that are due are appended to `due`, in order.
    mutating func offer(_ record: Record, sequence: UInt64, due: inout [Record]) -> Offer {
        guard sequence >= next else { return .duplicate }
        let hadGap = !held.isEmpty
        head = max(head, sequence)
        guard sequence == next else {
            if held[sequence] != nil { return .duplicate }
            guard held.count < Self.heldLimit else { return .full }
            held[sequence] = record
            return .held(isNew: !hadGap)
        }
        due.append(record)
        next += 1
        release(&due)
        return .handedOver(gapClosed: hadGap && held.isEmpty)
    }

    mutating func learn(head: UInt64) { self.head = max(self.head, head) }

    /// The publisher cannot serve the range any more: it is passed over. Returns how many records were lost by it.
    mutating func passOver(_ range: ClosedRange<UInt64>, due: inout [Record]) -> UInt64 {
        guard range.contains(next) else { return 0 }
        var lost: UInt64 = 0
        while next <= range.upperBound {
            if let record = held.removeValue(forKey: next) { due.append(record) } else { lost += 1 }
            next += 1
        }
        head = max(head, next - 1)
        askedAt = nil
        release(&due)
        return lost
    }

    /// What to ask the publisher for now; empty when nothing is missing or the last request is still fresh.
    mutating func request(now: Duration) -> [ClosedRange<UInt64>] {
        guard next <= head else {
            askedAt = nil
            return []
        }
        if let askedAt, now - askedAt < Self.patience { return [] }
        askedAt = now
        var ranges: [ClosedRange<UInt64>] = []
        var credit = Self.credit
        var cursor = next
        while cursor <= head, credit > 0, ranges.count < 16 {
            if held[cursor] != nil {
                cursor += 1
                continue
            }
            let start = cursor
            while cursor <= head, held[cursor] == nil, credit > 0 {
                cursor += 1
                credit -= 1
            }
            ranges.append(start...(cursor - 1))
        }
        return ranges
    }

    /// Progress of a replay: the next request need not wait for its patience.
    mutating func replayed() { if next <= head { askedAt = nil } }

    private mutating func release(_ due: inout [Record]) {
        while let record = held.removeValue(forKey: next) {
            due.append(record)
            next += 1
        }
    }
}
