import ReluxLedger
import ReluxWire

/// One recipient's view of one stream: what is next, what came too early, what is missing. Pure.
///
/// Records are handed over in sequence, each once. What came out of order is held, bounded; only what is missing is asked for.
struct InboundStream<Record: Sendable>: Sendable {
    /// Records and bytes held at most; a newer record beyond that is dropped and fetched again when its turn comes.
    static var heldLimit: Int { 4096 }
    static var heldByteLimit: Int { 16 << 20 }
    /// How long an unanswered FETCH is waited for before it is asked again.
    static var patience: Duration { .milliseconds(100) }
    /// The patience with the rest of an answer: its parts come close together, and the last of them may have been dropped.
    static var restPatience: Duration { .milliseconds(40) }
    /// The highest sequence that is believed, so that arithmetic on outside data cannot overflow.
    static var highest: UInt64 { UInt64.max >> 1 }

    /// The sequence that is handed over next.
    private(set) var next: UInt64
    /// The highest sequence that is known to exist.
    private(set) var head: UInt64
    private var held: [UInt64: (record: Record, byteCount: Int)] = [:]
    private var heldBytes = 0
    /// Sequences behind `next` that were done in an earlier life: passed over in silence.
    private var done: SequenceSet
    /// Nothing behind it is in `done`.
    private var doneEnd: UInt64
    /// Ranges up to a later life that were passed over on the word of another than their publisher, who has not learned from us what of the life
    /// before we have seen; the last few.
    private var unheard: [ClosedRange<UInt64>] = []
    private static var unheardLimit: Int { 4 }
    /// The last sequence that came by itself, not in answer to a request.
    private var said: UInt64 = 0
    /// When the request that is still open was made, and what was next then.
    private var asked: (at: Duration, next: UInt64, isAnswered: Bool, isRepeated: Bool)?

    init(startsAfter start: UInt64, head: UInt64) {
        self.init(done: SequenceSet(upTo: start), head: head)
    }

    /// Goes on behind what an earlier life has done.
    init(done: SequenceSet, head: UInt64) {
        let start = min(done.lowWater, Self.highest)
        self.done = done
        self.doneEnd = done.ranges.last?.upperBound ?? 0
        self.next = start + 1
        self.head = max(start, min(head, Self.highest))
    }

    var isComplete: Bool { next > head }
    /// All up to here has been handed over.
    var lowWater: UInt64 { next - 1 }

    enum Offer: Equatable {
        case handedOver
        /// Kept until what is before it has come; `isNew` when this record revealed the gap.
        case held(isNew: Bool)
        /// The publisher has said it twice.
        case duplicate
        /// The other copy of what was said once.
        case overlap
        /// No room to hold it, or a sequence that no stream has.
        case dropped
    }

    /// Whether the record is the very next one and nothing waits behind it, as it nearly always is: then it counts as handed over.
    mutating func passes(_ sequence: UInt64) -> Bool {
        guard sequence == next, held.isEmpty, sequence > doneEnd, sequence <= Self.highest else { return false }
        head = max(head, sequence)
        said = sequence
        next += 1
        return true
    }

    /// Takes a record; those that are due are appended to `due`, in order.
    ///
    /// A copy that was asked for and one that was said may both come, in any order: that is how a stream is joined and repaired.
    mutating func offer(_ record: Record, sequence: UInt64, byteCount: Int, isReplayed: Bool = false, due: inout [Record]) -> Offer {
        guard sequence <= Self.highest else { return .dropped }
        let isSecond = !isReplayed && sequence <= said
        if !isReplayed { said = max(said, sequence) }
        guard sequence >= next, !done.contains(sequence), held[sequence] == nil else { return isSecond ? .duplicate : .overlap }
        head = max(head, sequence)
        if sequence == next {
            due.append(record)
            next += 1
            release(&due)
            return .handedOver
        }
        guard held.count < Self.heldLimit, heldBytes + byteCount <= Self.heldByteLimit else { return .dropped }
        held[sequence] = (record, byteCount)
        heldBytes += byteCount
        return .held(isNew: held.count == 1)
    }

    /// The publisher speaks for itself again: what was passed over without it is asked for once more, which tells it how far we had come.
    mutating func recall() {
        guard let first = unheard.first else { return }
        var end = first.upperBound
        for range in unheard.dropFirst() {
            if range.lowerBound > end + 1 { done.insert(end + 1...range.lowerBound - 1) }
            end = max(end, range.upperBound)
        }
        if end + 1 < next { done.insert(end + 1...next - 1) }
        doneEnd = max(doneEnd, done.ranges.last?.upperBound ?? 0)
        head = max(head, next - 1)
        next = first.lowerBound
        asked = nil
        unheard = []
    }

    mutating func learn(head: UInt64) { self.head = max(self.head, min(head, Self.highest)) }

    /// The publisher has nothing for us in the range: it is passed over. Returns what was.
    ///
    /// - Parameter isFinal: the publisher says so itself, or will never speak again; else another process says so that has read its journal.
    mutating func passOver(_ range: ClosedRange<UInt64>, isFinal: Bool = true, due: inout [Record]) -> [ClosedRange<UInt64>] {
        guard range.contains(next), next <= Self.highest else { return [] }
        let end = min(range.upperBound, Self.highest)
        if Epoch(start: end) > Epoch(start: next) {
            // The publisher does not know of records that have come since we asked: it has to hear of them before we leave that life behind.
            guard range.lowerBound == next, !held.keys.contains(where: { $0 <= end }) else {
                asked = nil
                return []
            }
            if !isFinal {
                unheard.append(next...end)
                if unheard.count > Self.unheardLimit { unheard.removeFirst() }
            }
        }
        var passed: [ClosedRange<UInt64>] = []
        var cursor = next
        for sequence in held.keys.filter({ $0 <= end }).sorted() {
            if let record = take(sequence) { due.append(record) }
            if cursor < sequence { passed.append(cursor...(sequence - 1)) }
            cursor = sequence + 1
        }
        if cursor <= end { passed.append(cursor...end) }
        next = end + 1
        head = max(head, end)
        release(&due)
        return passed
    }

    /// The ranges to ask the publisher for now; empty when nothing is missing or the last request is still fresh.
    mutating func request(now: Duration, patience: Duration = Self.patience) -> [ClosedRange<UInt64>] {
        guard next <= head else {
            asked = nil
            return []
        }
        if let asked, now - asked.at < (asked.isAnswered ? min(patience, Self.restPatience) : patience) { return [] }
        asked = (now, next, false, asked.map { !$0.isAnswered } ?? false)
        var ranges: [ClosedRange<UInt64>] = []
        var cursor = next
        for known in (held.keys.map { $0...$0 } + done.ranges).sorted(by: { $0.lowerBound < $1.lowerBound })
        where known.upperBound >= cursor && known.lowerBound <= head && ranges.count < OutboundStream.rangeLimit {
            if known.lowerBound > cursor { ranges.append(cursor...(known.lowerBound - 1)) }
            cursor = known.upperBound + 1
        }
        if ranges.count < OutboundStream.rangeLimit, cursor <= head { ranges.append(cursor...head) }
        return ranges
    }

    /// The publisher cannot have heard the last request: the next one need not wait.
    mutating func requestWasLost() { asked = nil }

    /// A part of the answer has come: the rest is waited for from now on.
    mutating func replayed(now: Duration) {
        asked?.at = now
        asked?.isAnswered = true
    }

    /// When the patience with the open request ends; nil when there is none, or the last request was not answered either.
    var patienceEnds: Duration? {
        guard !isComplete, let asked, !asked.isRepeated || asked.isAnswered else { return nil }
        return asked.at + (asked.isAnswered ? Self.restPatience : Self.patience)
    }

    /// The answer is at its end. When it brought anything, the next request need not wait.
    mutating func answered() {
        if let asked, next > asked.next { self.asked = nil }
    }

    private mutating func release(_ due: inout [Record]) {
        while true {
            if !held.isEmpty, let record = take(next) {
                due.append(record)
                next += 1
            } else if let past = done.range(around: next) {
                next = past.upperBound + 1
                head = max(head, past.upperBound)
            } else {
                return
            }
        }
    }

    private mutating func take(_ sequence: UInt64) -> Record? {
        guard let (record, byteCount) = held.removeValue(forKey: sequence) else { return nil }
        heldBytes -= byteCount
        return record
    }
}
