package import Relux
import ReluxJournal

/// One stream as its publisher keeps it: what somebody has not settled yet, who has to settle what is said, and how all of it has ended. Pure.
///
/// Design notes. ``UnsettledRecords`` has what decisions need; the record itself is in a run of the journal's bytes, and is decoded when somebody
/// asks for it.
package struct OutboundStream: Sendable {
    /// Records and bytes in one answer to a FETCH; at least one record is served.
    static var credit: (records: Int, bytes: Int) { (256, 1 << 20) }

    /// Ranges in one FETCH at most.
    package static var rangeLimit: Int { 16 }

    package typealias Entry = UnsettledRecords.Entry

    /// The next number is above it.
    package var head: UInt64 { max(last, start) }
    /// The last that was given out, or may have been.
    private(set) var last: UInt64
    /// Numbers of the present life are above it.
    private var start: UInt64 = 0
    /// Numbers below ``last`` that were passed over and never said, the last ``unsaidLimit`` ranges of them.
    private(set) var unsaid = SequenceSet()
    private static var unsaidLimit: Int { 16 }
    private var unsettled = UnsettledRecords()
    /// Records that are kept.
    package var count: Int { unsettled.count }
    private var runs = KeptRuns()
    /// The recipients of what is said.
    var member: MemberRecord? {
        didSet { recipients = Recipients(member?.recipients ?? []) }
    }
    /// The same, for each record.
    private(set) var recipients = Recipients()
    package internal(set) var books = Ledger.Books()

    package init(head: UInt64 = 0) { last = head }

    /// One on which nothing was said.
    init(start: UInt64) {
        last = 0
        self.start = start
    }

    package var isSettled: Bool { count == 0 }
    /// No kept record is below this sequence.
    package var low: UInt64 { unsettled.low ?? head + 1 }

    /// The entries that wait, in order.
    package var pending: [Entry] { Array(unsettled.entries) }

    /// The same with its records; those whose bytes are not here any more are left out.
    package var pendingRecords: [(entry: Entry, record: WireRecord)] {
        var reader = runs.reader
        return pending.compactMap { entry in reader.record(entry.sequence).map { (entry, $0) } }
    }

    /// The same in short: the sequences of neighbours that wait for the same recipients.
    var pendingRuns: [(sequences: ClosedRange<UInt64>, outstanding: [ModuleID])] {
        var runs: [(sequences: ClosedRange<UInt64>, outstanding: Relux.Outstanding)] = []
        for entry in unsettled.entries {
            if let last = runs.last, last.sequences.upperBound + 1 == entry.sequence, last.outstanding == entry.waiting {
                runs[runs.count - 1].sequences = last.sequences.lowerBound...entry.sequence
            } else {
                runs.append((entry.sequence...entry.sequence, entry.waiting))
            }
        }
        return runs.map { ($0.sequences, $0.outstanding.modules) }
    }

    /// Whether somebody has not settled the record with that sequence.
    func isPending(_ sequence: UInt64) -> Bool { unsettled.isOpen(sequence) }

    /// Something that waits has to survive the loss of power.
    var holdsMachine: Bool { unsettled.holdsMachine }

    mutating func isSaid(to recipients: Recipients) -> Bool { member != nil && self.recipients == recipients }

    /// A record was said; its bytes follow, see ``keep(_:)``. A record that nobody has to settle is only counted.
    mutating func append(_ entry: Entry) {
        guard entry.sequence > last else { return }
        if entry.sequence > last + 1 { pass(to: entry.sequence - 1) }
        last = entry.sequence
        if !entry.waiting.isEmpty { unsettled.append(entry) }
    }

    /// The bytes of records of the stream, those that wait behind the last run among them.
    mutating func keep(_ run: JournalRun) {
        guard let sequences = run.sequences else { return }
        runs.append(run, sequences, waiting: unsettled.count(within: sequences))
    }

    /// The bytes of all kept runs.
    var keptByteCount: Int { runs.byteCount }

    /// The bytes of the last record that waits have not been kept yet.
    package var isBehindItsRuns: Bool { unsettled.high.map { $0 > runs.last } ?? false }

    /// Takes over the bytes that another reading of the same journal has.
    mutating func keepRuns(of other: OutboundStream) {
        runs = other.runs
        thinRuns()
    }

    /// Lets go the bytes of what does not wait, wherever it lies.
    mutating func thinRuns() { runs.keep(around: unsettled.sequences) }

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
        var place = unsettled.start
        for effect in effects {
            guard let slot = unsettled.find(effect, from: &place), release(place, recipient) else { continue }
            if settled == nil {
                settled = (EffectRuns(position: effect.position, sequence: effect.sequence), slot.byteCount)
            } else {
                settled?.effects.append(position: effect.position, sequence: effect.sequence)
                settled?.byteCount += slot.byteCount
            }
            place += 1
        }
        if settled != nil { compact() }
        return settled
    }

    /// The recipient has everything up to the low-water mark.
    mutating func acknowledge(upTo mark: UInt64, by recipient: ModuleID) {
        for place in unsettled.places(upTo: mark) { _ = release(place, recipient) }
        compact()
    }

    private mutating func release(_ place: Int, _ recipient: ModuleID) -> Bool {
        guard let isThrough = unsettled.release(place, recipient) else { return false }
        if isThrough { runs.release(unsettled.sequence(at: place)) }
        return true
    }

    private mutating func compact() {
        if unsettled.compact() { thinRuns() }
    }

    /// For each module that a record still waits for, the sequence after which it starts when it comes (back).
    package func starts() -> [ModuleID: UInt64] {
        var starts: [ModuleID: UInt64] = [:]
        for entry in unsettled.entries {
            for recipient in entry.outstanding where starts[recipient] == nil { starts[recipient] = entry.sequence - 1 }
        }
        return starts
    }

    /// The entries that the recipient has not settled, up to a sequence, in order.
    package func outstanding(for recipient: ModuleID, upTo mark: UInt64 = .max) -> [Entry] {
        unsettled.places(upTo: mark).filter { unsettled.waits($0, for: recipient) }.map(unsettled.entry)
    }

    /// The recipient has not settled something up to there.
    package func waits(for recipient: ModuleID, upTo mark: UInt64) -> Bool {
        unsettled.places(upTo: mark).contains { unsettled.waits($0, for: recipient) }
    }

    package enum Answer: Equatable {
        case record(WireRecord)
        case gone(ClosedRange<UInt64>)
    }

    /// The records of the ranges that the recipient still has to see, and the parts that it need not, in order, as far as the credit goes.
    package func serve(_ ranges: [ClosedRange<UInt64>], to recipient: ModuleID) -> [Answer] {
        var answer: [Answer] = []
        var (records, bytes) = Self.credit
        var reader = runs.reader
        for range in ranges.prefix(Self.rangeLimit) where range.lowerBound <= head {
            let end = min(range.upperBound, head)
            var cursor = range.lowerBound
            for place in unsettled.places(from: cursor, upTo: end) where unsettled.waits(place, for: recipient) {
                let sequence = unsettled.sequence(at: place)
                if cursor < sequence { answer.append(.gone(cursor...(sequence - 1))) }
                // The recipient asks again for a record that has no bytes here.
                guard records > 0, bytes > 0, let record = reader.record(sequence) else { return answer }
                answer.append(.record(record))
                records -= 1
                bytes -= unsettled.byteCount(at: place)
                cursor = sequence + 1
            }
            if cursor <= end { answer.append(.gone(cursor...end)) }
        }
        return answer
    }
}
