import ReluxWire

/// One stream as its publisher keeps it: every record that somebody elsewhere has not settled yet. Pure.
struct OutboundStream<Record: Sendable>: Sendable {
    struct Entry: Sendable {
        var record: Record
        var outstanding: [ModuleID]
    }

    private(set) var head: UInt64
    private(set) var retained: [UInt64: Entry] = [:]
    /// No retained record is below it.
    private(set) var low: UInt64

    init(head: UInt64 = 0) {
        self.head = head
        low = head + 1
    }

    var isSettled: Bool { retained.isEmpty }

    mutating func append(_ record: Record, sequence: UInt64, outstanding: [ModuleID]) {
        head = max(head, sequence)
        if retained.isEmpty { low = sequence }
        if !outstanding.isEmpty { retained[sequence] = Entry(record: record, outstanding: outstanding) }
        advance()
    }

    /// True when that was the last recipient and the record is let go.
    @discardableResult
    mutating func settle(_ sequence: UInt64, by recipient: ModuleID) -> Bool {
        guard var entry = retained[sequence] else { return false }
        entry.outstanding.removeAll { $0 == recipient }
        retained[sequence] = entry.outstanding.isEmpty ? nil : entry
        advance()
        return entry.outstanding.isEmpty
    }

    /// The recipient has everything up to the low-water mark.
    mutating func acknowledge(upTo mark: UInt64, by recipient: ModuleID) {
        guard mark >= low, !retained.isEmpty else { return }
        for sequence in low...min(mark, head) { settle(sequence, by: recipient) }
    }

    /// Nothing pends on the recipient any more.
    mutating func drop(_ recipient: ModuleID) {
        for sequence in retained.keys { settle(sequence, by: recipient) }
    }

    /// Where a recipient that comes (back) starts: after the last record that it need not see.
    func start(for recipient: ModuleID) -> UInt64 {
        let first = retained.lazy.filter { $0.value.outstanding.contains(recipient) }.map(\.key).min()
        return first.map { $0 - 1 } ?? head
    }

    /// The records of the ranges that the recipient still has to see, in order, and the ranges that are gone.
    func serve(
        _ ranges: [ClosedRange<UInt64>], to recipient: ModuleID, limit: Int = 1024
    ) -> (records: [Record], gone: [ClosedRange<UInt64>]) {
        var records: [Record] = []
        var gone: [ClosedRange<UInt64>] = []
        for range in ranges where range.lowerBound <= head {
            var absent: UInt64?
            for sequence in range.lowerBound...min(range.upperBound, head) {
                if let entry = retained[sequence], entry.outstanding.contains(recipient) {
                    if let start = absent { gone.append(start...(sequence - 1)) }
                    absent = nil
                    guard records.count < limit else { return (records, gone) }
                    records.append(entry.record)
                } else if absent == nil {
                    absent = sequence
                }
            }
            if let start = absent { gone.append(start...min(range.upperBound, head)) }
        }
        return (records, gone)
    }

    private mutating func advance() {
        if retained.isEmpty {
            low = head + 1
        } else {
            while low <= head, retained[low] == nil { low += 1 }
        }
    }
}
