import ReluxJournal
import ReluxWire

/// The coded records of one stream that somebody may ask for again: runs as the journal has them, in order. Pure.
///
/// Design notes. A run is let go as a whole, when none of its records waits any more. Where few of many wait, it is coded anew without the others.
struct KeptRuns: Sendable {
    private struct Run: Sendable {
        let sequences: ClosedRange<UInt64>
        var records: ArraySlice<UInt8>
    }
    private var runs: [Run] = []
    /// Index of the first run that is kept, or the end.
    private var first = 0

    /// The last sequence that is in a run; 0 when there is none.
    var last: UInt64 { runs.last?.sequences.upperBound ?? 0 }
    var byteCount: Int { runs[first...].reduce(0) { $0 + $1.records.count } }

    /// A run behind all others; what was kept before is passed over.
    mutating func append(_ records: ArraySlice<UInt8>, _ sequences: ClosedRange<UInt64>) {
        guard runs.isEmpty || sequences.upperBound > last else { return }
        // What is read of a file lies in a buffer with much else.
        runs.append(Run(sequences: sequences, records: records.startIndex > 0 ? records.copied[...] : records))
    }

    mutating func removeAll() {
        if runs.isEmpty { return }
        runs.removeAll(keepingCapacity: runs.count <= 64)
        first = 0
    }

    /// Nothing below the sequence is asked for any more.
    mutating func remove(below sequence: UInt64) {
        while first < runs.count, runs[first].sequences.upperBound < sequence {
            runs[first].records = []
            first += 1
        }
        if first >= 64, first * 2 >= runs.count {
            runs.removeFirst(first)
            first = 0
        }
    }

    /// Only the records of these entries are asked for from now on.
    mutating func keep(around entries: [OutboundStream.Entry]) {
        var rest = entries[...]
        var kept: [Run] = []
        for run in runs[first...] {
            rest = rest.drop { $0.sequence < run.sequences.lowerBound }
            let waiting = rest.prefix { $0.sequence <= run.sequences.upperBound }
            guard let low = waiting.first?.sequence, let high = waiting.last?.sequence else { continue }
            let all = (try? WireRecord.decodeAll(run.records)) ?? []
            guard waiting.count * 4 < all.count else {
                kept.append(run)
                continue
            }
            let wanted = Set(waiting.map(\.sequence))
            var (bytes, chain): ([UInt8], EffectChain) = ([], EffectChain())
            for record in all where wanted.contains(record.sequence) { try? record.encode(into: &bytes, behind: &chain) }
            kept.append(Run(sequences: low...high, records: bytes[...]))
        }
        // Behind the last record that waits nothing is missing: its run ends where it ended.
        (runs, first) = (kept, 0)
    }

    /// Finds records, mostly one behind the other.
    var reader: Reader { Reader(runs: self) }

    struct Reader {
        fileprivate let runs: KeptRuns
        private var index = -1
        private var records: ArraySlice<WireRecord> = []

        fileprivate init(runs: KeptRuns) { self.runs = runs }

        /// nil when the record is in no run. Asked in any order; each step back decodes a run again.
        mutating func record(_ sequence: UInt64) -> WireRecord? {
            if index < 0 || !runs.runs[index].sequences.contains(sequence) || (records.first?.sequence ?? .max) > sequence {
                guard let found = runs.index(of: sequence) else { return nil }
                index = found
                records = ((try? WireRecord.decodeAll(runs.runs[index].records)) ?? []).filter { $0.sequence > 0 }[...]
            }
            records = records.drop { $0.sequence < sequence }
            return records.first.flatMap { $0.sequence == sequence ? $0 : nil }
        }
    }

    private func index(of sequence: UInt64) -> Int? {
        var (low, high) = (first, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].sequences.upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].sequences.contains(sequence) ? low : nil
    }
}
