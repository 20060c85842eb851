package import Relux
import ReluxJournal

/// One stream as its publisher keeps it: what somebody has not settled yet, who has to settle what is said, and how all of it has ended. Pure.
///
/// Design notes. Entries are in order of their sequences, which may jump. A settled entry stays as an empty one until the front
/// or half of all is empty, so every step costs O(log n) at most, amortized. An entry has what decisions need; the record itself is in a run of the
/// journal's bytes, and is decoded when somebody asks for it.
package struct OutboundStream: Sendable {
    /// Records and bytes in one answer to a FETCH; at least one record is served.
    static var credit: (records: Int, bytes: Int) { (256, 1 << 20) }

    /// A record that waits for settlements, without its bytes.
    package struct Entry: Sendable {
        package let sequence: UInt64
        /// The effect's; 0 for a settlement, and where it is not known.
        package let position: UInt64
        /// The membership that fixed an effect's recipients.
        let memberVersion: UInt64
        fileprivate(set) var waiting: Relux.Outstanding
        private let weight: UInt32
        /// It has to survive the loss of power.
        let isMachine: Bool

        /// - Parameter byteCount: what the record weighs.
        init(sequence: UInt64, position: UInt64 = 0, memberVersion: UInt64 = 0, byteCount: Int = 0, isMachine: Bool = false, outstanding: Recipients) {
            (self.sequence, self.position, self.memberVersion) = (sequence, position, memberVersion)
            (waiting, weight, self.isMachine) = (Relux.Outstanding(outstanding), UInt32(clamping: byteCount), isMachine)
        }

        init(_ effect: EffectRecord, outstanding: Recipients) {
            self.init(
                sequence: effect.sequence, position: effect.position, memberVersion: effect.memberVersion,
                byteCount: effect.payload.count + Ledger.recordOverhead, isMachine: effect.flags.contains(.machine), outstanding: outstanding)
        }

        init(_ settled: SettledRecord, outstanding: Recipients) {
            self.init(
                sequence: settled.sequence, byteCount: settled.result.count + Ledger.recordOverhead, isMachine: settled.isMachine,
                outstanding: outstanding)
        }

        /// nil of records that nobody settles.
        init?(_ record: WireRecord) {
            switch record {
            case .effect(let effect): self.init(effect, outstanding: [])
            case .settled(let settled): self.init(settled, outstanding: [])
            default: return nil
            }
        }

        func waiting(for recipients: Recipients) -> Self {
            var entry = self
            entry.waiting = Relux.Outstanding(recipients)
            return entry
        }

        var byteCount: Int { Int(weight) }
        /// The recipients that have not settled it.
        package var outstanding: [ModuleID] { waiting.modules }
        fileprivate var isOpen: Bool { !waiting.isEmpty }
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
    private var runs = KeptRuns()
    /// The recipients of what is said.
    var member: MemberRecord? {
        didSet { recipients = Recipients(member?.recipients ?? []) }
    }
    /// The same, for each record.
    private(set) var recipients = Recipients()
    package internal(set) var books = Ledger.Books()

    init(head: UInt64 = 0) { last = head }

    /// One on which nothing was said.
    init(start: UInt64) {
        last = 0
        self.start = start
    }

    package var isSettled: Bool { count == 0 }
    /// No kept record is below this sequence.
    package var low: UInt64 { count == 0 ? head + 1 : entries[first].sequence }

    /// The entries that wait, in order.
    package var pending: [Entry] { entries[first...].filter(\.isOpen) }

    /// The same with its records; those whose bytes are not here any more are left out.
    package var pendingRecords: [(entry: Entry, record: WireRecord)] {
        var reader = runs.reader
        return pending.compactMap { entry in reader.record(entry.sequence).map { (entry, $0) } }
    }

    /// The same in short: the sequences of neighbours that wait for the same recipients.
    var pendingRuns: [(sequences: ClosedRange<UInt64>, outstanding: [ModuleID])] {
        var runs: [(sequences: ClosedRange<UInt64>, outstanding: Relux.Outstanding)] = []
        for entry in entries[first...] where entry.isOpen {
            if let last = runs.last, last.sequences.upperBound + 1 == entry.sequence, last.outstanding == entry.waiting {
                runs[runs.count - 1].sequences = last.sequences.lowerBound...entry.sequence
            } else {
                runs.append((entry.sequence...entry.sequence, entry.waiting))
            }
        }
        return runs.map { ($0.sequences, $0.outstanding.modules) }
    }

    /// Whether somebody has not settled the record with that sequence.
    func isPending(_ sequence: UInt64) -> Bool {
        let index = index(notBelow: sequence)
        return index < entries.count && entries[index].sequence == sequence && entries[index].isOpen
    }

    /// Something that waits has to survive the loss of power.
    var holdsMachine: Bool { entries[first...].contains { $0.isMachine && $0.isOpen } }

    mutating func isSaid(to recipients: Recipients) -> Bool { member != nil && self.recipients == recipients }

    /// A record was said; its bytes follow, see ``keep(_:)``. One that nobody has to settle is only counted.
    mutating func append(_ entry: Entry) {
        guard entry.sequence > last else { return }
        if entry.sequence > last + 1 { pass(to: entry.sequence - 1) }
        last = entry.sequence
        guard entry.isOpen else { return }
        entries.append(entry)
        count += 1
    }

    /// The bytes of records of the stream, those of the entries behind the last run among them.
    mutating func keep(_ run: JournalRun) {
        guard let sequences = run.sequences else { return }
        var (index, waiting) = (entries.count - 1, 0)
        while index >= first, entries[index].sequence >= sequences.lowerBound {
            if entries[index].isOpen, entries[index].sequence <= sequences.upperBound { waiting += 1 }
            index -= 1
        }
        runs.append(run, sequences, waiting: waiting)
    }

    /// The bytes of all kept runs.
    var keptByteCount: Int { runs.byteCount }

    /// The bytes of the last record that waits have not been kept yet.
    var isBehindItsRuns: Bool { count > 0 && entries.last.map { $0.sequence > runs.last } == true }

    /// Takes over the bytes that another reading of the same journal has.
    mutating func keepRuns(of other: OutboundStream) {
        runs = other.runs
        thinRuns()
    }

    /// Lets go the bytes of what does not wait, wherever it lies.
    mutating func thinRuns() { runs.keep(around: entries[first...].filter(\.isOpen)) }

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

    /// For each module that a record still waits for, the sequence after which it starts when it comes (back).
    func starts() -> [ModuleID: UInt64] {
        var starts: [ModuleID: UInt64] = [:]
        for entry in entries[first...] {
            for recipient in entry.outstanding where starts[recipient] == nil { starts[recipient] = entry.sequence - 1 }
        }
        return starts
    }

    /// The entries that the recipient has not settled, up to a sequence, in order.
    func outstanding(for recipient: ModuleID, upTo mark: UInt64 = .max) -> [Entry] {
        entries[first...].prefix { $0.sequence <= mark }.filter { $0.waiting.contains(recipient) }
    }

    /// The recipient has not settled something up to there.
    func waits(for recipient: ModuleID, upTo mark: UInt64) -> Bool {
        entries[first...].prefix { $0.sequence <= mark }.contains { $0.waiting.contains(recipient) }
    }

    enum Answer: Equatable {
        case record(WireRecord)
        case gone(ClosedRange<UInt64>)
    }

    /// What the recipient still has to see of the ranges and what it need not, in order, as far as the credit goes.
    func serve(_ ranges: [ClosedRange<UInt64>], to recipient: ModuleID) -> [Answer] {
        var answer: [Answer] = []
        var (records, bytes) = Self.credit
        var reader = runs.reader
        for range in ranges.prefix(InboundStream<WireRecord>.rangeLimit) where range.lowerBound <= head {
            let end = min(range.upperBound, head)
            var cursor = range.lowerBound
            for entry in entries[index(notBelow: cursor)...] {
                guard entry.sequence <= end else { break }
                guard entry.waiting.contains(recipient) else { continue }
                if cursor < entry.sequence { answer.append(.gone(cursor...(entry.sequence - 1))) }
                // The recipient asks again for a record that has no bytes here.
                guard records > 0, bytes > 0, let record = reader.record(entry.sequence) else { return answer }
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
        guard entries[index].waiting.remove(recipient) else { return false }
        if !entries[index].isOpen {
            count -= 1
            runs.release(entries[index].sequence)
        }
        return true
    }

    private func index(notBelow sequence: UInt64) -> Int {
        // Most are settled in the order in which they were said.
        if first < entries.count, entries[first].sequence >= sequence { return first }
        var (low, high) = (first, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func compact() {
        while first < entries.count, !entries[first].isOpen { first += 1 }
        if first == entries.count {
            // The room that a burst has needed is given back.
            entries.removeAll(keepingCapacity: first <= 1024)
            first = 0
        } else if first >= 1024, first * 2 >= entries.count {
            entries.removeFirst(first)
            first = 0
        } else if entries.count - first > 1024, count * 2 < entries.count - first {
            entries.removeAll { !$0.isOpen }
            first = 0
            thinRuns()
        }
    }
}
