import ReluxJournal
import ReluxWire

/// The coded records of one stream that somebody may ask for again: runs as the journal has them, in order. Pure.
///
/// Design notes. A run's bytes are let go when none of its records waits any more. Where few of many wait, it is coded anew without the others
/// (``keep(around:)``).
struct KeptRuns: Sendable {
    private struct Run: Sendable {
        let sequences: ClosedRange<UInt64>
        var records: ArraySlice<UInt8>
        let recordCount: Int
        /// Records that somebody has not settled.
        var waiting: Int
    }
    private var runs: [Run] = []
    /// Index of the first run of which something waits, or the end.
    private var first = 0

    /// The last sequence that is in a run; 0 when there is none.
    var last: UInt64 { runs.last?.sequences.upperBound ?? 0 }
    var byteCount: Int { runs[first...].reduce(0) { $0 + $1.records.count } }

    /// A run behind all others; what was kept before is passed over.
    mutating func append(_ run: JournalRun, _ sequences: ClosedRange<UInt64>, waiting: Int) {
        guard runs.isEmpty || sequences.upperBound > last, waiting > 0 else { return }
        // A file's run is a slice of a buffer that holds much else.
        let records = run.records.startIndex > 0 ? run.records.copied[...] : run.records
        runs.append(Run(sequences: sequences, records: records, recordCount: run.recordCount, waiting: waiting))
    }

    /// Everybody has settled the record.
    mutating func release(_ sequence: UInt64) {
        guard let index = index(of: sequence), runs[index].waiting > 0 else { return }
        runs[index].waiting -= 1
        guard runs[index].waiting == 0 else { return }
        runs[index].records = []
        while first < runs.count, runs[first].waiting == 0 { first += 1 }
        if first == runs.count {
            runs.removeAll(keepingCapacity: first <= 64)
            first = 0
        } else if first >= 64, first * 2 >= runs.count {
            runs.removeFirst(first)
            first = 0
        }
    }

    /// Only these records are asked for from now on.
    mutating func keep(around sequences: [UInt64]) {
        var rest = sequences[...]
        var kept: [Run] = []
        for run in runs[first...] {
            rest = rest.drop { $0 < run.sequences.lowerBound }
            let waiting = rest.prefix { $0 <= run.sequences.upperBound }
            if waiting.isEmpty { continue }
            kept.append(Self.kept(run, waiting))
        }
        // Behind the last record that waits nothing is missing.
        (runs, first) = (kept, 0)
    }

    private static func kept(_ run: Run, _ waiting: ArraySlice<UInt64>) -> Run {
        var run = run
        run.waiting = waiting.count
        guard waiting.count * 4 < run.recordCount, let all = try? WireRecord.decodeAll(run.records), let low = waiting.first, let high = waiting.last
        else { return run }
        let wanted = Set(waiting)
        var (bytes, chain, count): ([UInt8], EffectChain, Int) = ([], EffectChain(), 0)
        for record in all where wanted.contains(record.sequence) {
            // A record that was coded among others may not fit alone; then all of them stay.
            guard (try? record.encode(into: &bytes, behind: &chain)) != nil else { return run }
            count += 1
        }
        return Run(sequences: low...high, records: bytes[...], recordCount: count, waiting: waiting.count)
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
        // Most are settled in the order in which they were said.
        if first < runs.count, runs[first].sequences.contains(sequence) { return first }
        var (low, high) = (first, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].sequences.upperBound < sequence { low = middle + 1 } else { high = middle }
        }
        return low < runs.count && runs[low].sequences.contains(sequence) ? low : nil
    }
}
