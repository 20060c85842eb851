package import Relux

/// One stream as its publisher keeps it: every record that somebody elsewhere has not settled yet. Pure.
///
/// Design notes. Entries are in order of their sequences, which may jump. A settled entry stays as an empty one until the front
/// or half of all is empty, so every step costs O(log n) at most, amortized.
package struct OutboundStream<Record: Sendable>: Sendable {
    /// Records and bytes in one answer to a FETCH; at least one record is served.
    static var credit: (records: Int, bytes: Int) { (256, 1 << 20) }

    private struct Entry: Sendable {
        var sequence: UInt64
        /// The effect's; 0 where that is not known, or the record is none.
        var position: UInt64
        var byteCount: Int
        /// nil when it is settled.
        var record: Record?
        var outstanding: Relux.Outstanding
    }

    /// The next number is above it.
    package var head: UInt64 { max(last, start) }
    /// The last that was given out, or may have been.
    private(set) var last: UInt64
    /// Numbers of the present life are above it.
    private var start: UInt64 = 0
    /// Numbers below ``last`` that were passed over and never said, the last ``unsaidLimit`` ranges of them.
    private(set) var unsaid = SequenceSet()
    private static var unsaidLimit: Int { 16 }
    private var entries: [Entry] = []
    /// Index of the first entry that is not settled, or the end.
    private var first = 0
    /// Records that are kept.
    package private(set) var count = 0

    init(head: UInt64 = 0) { last = head }

    /// One on which nothing was said.
    init(start: UInt64) {
        last = 0
        self.start = start
    }

    package var isSettled: Bool { count == 0 }
    /// No kept record is below this sequence.
    package var low: UInt64 { count == 0 ? head + 1 : entries[first].sequence }

    /// The kept records in order: the sequence of each, and the recipients that have not settled it.
    package var pending: [(sequence: UInt64, record: Record, outstanding: [ModuleID])] {
        entries[first...].compactMap { entry in entry.record.map { (entry.sequence, $0, entry.outstanding.modules) } }
    }

    /// The same in short: the sequences of neighbours that wait for the same recipients.
    var pendingRuns: [(sequences: ClosedRange<UInt64>, outstanding: [ModuleID])] {
        var runs: [(sequences: ClosedRange<UInt64>, outstanding: Relux.Outstanding)] = []
        for entry in entries[first...] where entry.record != nil {
            if let last = runs.last, last.sequences.upperBound + 1 == entry.sequence, last.outstanding == entry.outstanding {
                runs[runs.count - 1].sequences = last.sequences.lowerBound...entry.sequence
            } else {
                runs.append((entry.sequence...entry.sequence, entry.outstanding))
            }
        }
        return runs.map { ($0.sequences, $0.outstanding.modules) }
    }

    /// Whether somebody has not settled the record with that sequence.
    func isPending(_ sequence: UInt64) -> Bool {
        let index = index(notBelow: sequence)
        return index < entries.count && entries[index].sequence == sequence && entries[index].record != nil
    }

    /// Whether a record that is kept is of that kind.
    func contains(where isWanted: (Record) -> Bool) -> Bool { entries[first...].contains { $0.record.map(isWanted) ?? false } }

    mutating func append(_ record: Record, sequence: UInt64, position: UInt64 = 0, byteCount: Int = 0, outstanding: [ModuleID]) {
        guard sequence > last else { return }
        if sequence > last + 1 { pass(to: sequence - 1) }
        last = sequence
        guard !outstanding.isEmpty else { return }
        entries.append(Entry(sequence: sequence, position: position, byteCount: byteCount, record: record, outstanding: Relux.Outstanding(outstanding)))
        count += 1
    }

    /// Sequences up to there may be given out, and never will be again.
    mutating func rise(to sequence: UInt64) { last = max(last, sequence) }

    /// A life begins, and gives out what is behind that.
    mutating func begin(behind start: UInt64) { self.start = max(self.start, start) }

    /// The stream stands where an earlier reading had left it.
    mutating func resume(at last: UInt64, unsaid: SequenceSet) {
        rise(to: last)
        self.unsaid = unsaid
    }

    private mutating func pass(to sequence: UInt64) {
        unsaid.insert(last + 1...sequence)
        unsaid.keep(last: Self.unsaidLimit)
    }

    /// The range of unsaid numbers around this one; nil when the number was said, or when that is not known any more.
    func unsaid(around sequence: UInt64) -> ClosedRange<UInt64>? {
        if sequence > last { return sequence <= start ? last + 1...start : nil }
        return unsaid.range(around: sequence)
    }

    /// One recipient less for each of the effects; those that it had not settled, and what they weigh, or nil when it had settled all.
    mutating func settle(_ effects: EffectRuns, by recipient: ModuleID) -> (effects: EffectRuns, byteCount: Int)? {
        var settled: (effects: EffectRuns, byteCount: Int)?
        var index = first
        for effect in effects {
            // Mostly the next entry is the next effect.
            if index >= entries.count || entries[index].sequence != effect.sequence { index = self.index(notBelow: effect.sequence) }
            guard index < entries.count, entries[index].sequence == effect.sequence,
                entries[index].position == effect.position || entries[index].position == 0, release(index, recipient)
            else { continue }
            if settled == nil {
                settled = (EffectRuns(position: effect.position, sequence: effect.sequence), entries[index].byteCount)
            } else {
                settled?.effects.append(position: effect.position, sequence: effect.sequence)
                settled?.byteCount += entries[index].byteCount
            }
            index += 1
        }
        if settled != nil { compact() }
        return settled
    }

    /// The recipient has everything up to the low-water mark.
    mutating func acknowledge(upTo mark: UInt64, by recipient: ModuleID) {
        var index = first
        while index < entries.count, entries[index].sequence <= mark {
            _ = release(index, recipient)
            index += 1
        }
        compact()
    }

    /// Nothing pends on the recipient any more; returns how many bytes did, and the records that are let go by it.
    mutating func drop(_ recipient: ModuleID) -> (byteCount: Int, records: [Record]) {
        var records: [Record] = []
        var byteCount = 0
        for index in entries.indices.dropFirst(first) {
            let record = entries[index].record
            guard release(index, recipient) else { continue }
            byteCount += entries[index].byteCount
            if entries[index].record == nil, let record { records.append(record) }
        }
        compact()
        return (byteCount, records)
    }

    /// For each module that a record still waits for, the sequence after which it starts when it comes (back).
    func starts() -> [ModuleID: UInt64] {
        var starts: [ModuleID: UInt64] = [:]
        for entry in entries[first...] {
            for recipient in entry.outstanding.modules where starts[recipient] == nil { starts[recipient] = entry.sequence - 1 }
        }
        return starts
    }

    /// What the recipient has not settled, in order.
    func outstanding(for recipient: ModuleID) -> [Record] {
        entries[first...].compactMap { $0.outstanding.contains(recipient) ? $0.record : nil }
    }

    /// The same, up to a sequence.
    func outstanding(for recipient: ModuleID, upTo mark: UInt64) -> [Record] {
        entries[first...].prefix { $0.sequence <= mark }.compactMap { $0.outstanding.contains(recipient) ? $0.record : nil }
    }

    /// The recipient has not settled something up to there.
    func waits(for recipient: ModuleID, upTo mark: UInt64) -> Bool {
        entries[first...].prefix { $0.sequence <= mark }.contains { $0.outstanding.contains(recipient) }
    }

    enum Answer {
        case record(Record)
        case gone(ClosedRange<UInt64>)
    }

    /// What the recipient still has to see of the ranges and what it need not, in order, as far as the credit goes.
    func serve(_ ranges: [ClosedRange<UInt64>], to recipient: ModuleID) -> [Answer] {
        var answer: [Answer] = []
        var (records, bytes) = Self.credit
        for range in ranges.prefix(InboundStream<Record>.rangeLimit) where range.lowerBound <= head {
            let end = min(range.upperBound, head)
            var cursor = range.lowerBound
            for entry in entries[index(notBelow: cursor)...] {
                guard entry.sequence <= end else { break }
                guard let record = entry.record, entry.outstanding.contains(recipient) else { continue }
                if cursor < entry.sequence { answer.append(.gone(cursor...(entry.sequence - 1))) }
                guard records > 0, bytes > 0 else { return answer }
                answer.append(.record(record))
                records -= 1
                bytes -= entry.byteCount
                cursor = entry.sequence + 1
            }
            if cursor <= end { answer.append(.gone(cursor...end)) }
        }
        return answer
    }

    private mutating func release(_ index: Int, _ recipient: ModuleID) -> Bool {
        guard entries[index].outstanding.remove(recipient) else { return false }
        if entries[index].outstanding.isEmpty {
            entries[index].record = nil
            count -= 1
        }
        return true
    }

    private func index(notBelow sequence: UInt64) -> Int {
        // Nearly always what is settled is what was said first.
        if first < entries.count, entries[first].sequence >= sequence { return first }
        var (low, high) = (first, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func compact() {
        while first < entries.count, entries[first].record == nil { first += 1 }
        if first == entries.count {
            entries.removeAll(keepingCapacity: first <= 1024)
            first = 0
        } else if first >= 1024, first * 2 >= entries.count {
            entries.removeFirst(first)
            first = 0
        } else if entries.count - first > 1024, count * 2 < entries.count - first {
            entries.removeAll { $0.record == nil }
            first = 0
        }
    }
}
