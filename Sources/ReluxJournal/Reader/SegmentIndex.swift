import ReluxWire

/// Where the streams of one segment are, in steps of 16 KiB. Pure; grows with the segment.
struct SegmentIndex {
    private struct Entry {
        var first: UInt64
        var offset: Int
    }

    private static let stepByteCount = 16 << 10

    /// How far the numbers had been given out when the segment began, HOLE included.
    private(set) var start = JournalNumbers()
    /// How far the numbers have been given out, as far as the segment was read.
    private(set) var numbers = JournalNumbers()
    private(set) var end = JournalFormat.headerByteCount
    /// The checksum that the next batch has to name; nil before the first.
    private(set) var chain: UInt32?
    private var topics: [Topic: [Entry]] = [:]
    private var positions: [Entry] = []
    private var isStarted = false

    mutating func add(_ stored: StoredBatch) {
        let offset = stored.batch.place.offset
        numbers.take(stored.batch)
        end = stored.end
        chain = stored.chain
        if !isStarted {
            isStarted = true
            start = numbers
        }
        for run in stored.batch.runs {
            if let first = run.sequences?.lowerBound { Self.add(Entry(first: first, offset: offset), to: &topics[run.topic, default: []]) }
            if let first = run.positions?.lowerBound { Self.add(Entry(first: first, offset: offset), to: &positions) }
        }
    }

    private static func add(_ entry: Entry, to entries: inout [Entry]) {
        if let last = entries.last, entry.offset - last.offset < stepByteCount { return }
        entries.append(entry)
    }

    /// From where to read for the first record at or behind the sequence; nil when the segment has none.
    func offset(of topic: Topic, sequence: UInt64) -> Int? {
        guard numbers.head(of: topic) >= sequence else { return nil }
        return topics[topic].flatMap { Self.offset(sequence, in: $0) }
    }

    func offset(position: UInt64) -> Int? {
        numbers.position >= position ? Self.offset(position, in: positions) : nil
    }

    private static func offset(_ number: UInt64, in entries: [Entry]) -> Int? {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].first <= number { low = middle + 1 } else { high = middle }
        }
        return entries.isEmpty ? nil : entries[max(0, low - 1)].offset
    }
}
