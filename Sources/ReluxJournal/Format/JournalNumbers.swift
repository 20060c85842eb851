package import ReluxWire

/// How far a journal's numbers have been given out.
package struct JournalNumbers: Sendable, Hashable {
    /// How far all sequences jump in a HOLE.
    package static let jump: UInt64 = 1 << 32

    /// The head of every stream that is not in ``JournalNumbers/heads``: 0, and a jump more with each HOLE that jumps.
    package var floor: UInt64
    /// The last sequence of each stream that has spoken.
    package var heads: [Topic: UInt64]
    /// The last effect position.
    package var position: UInt64
    /// The number of the last batch.
    package var batch: UInt64

    package init(floor: UInt64 = 0, heads: [Topic: UInt64] = [:], position: UInt64 = 0, batch: UInt64 = 0) {
        self.floor = floor
        self.heads = heads
        self.position = position
        self.batch = batch
    }

    /// The last sequence that was given out in a stream; the next is one above it.
    package func head(of topic: Topic) -> UInt64 { heads[topic] ?? floor }

    /// The fault of the runs as the next of these numbers; nil when there is none.
    func fault(in runs: [JournalRun]) -> String? {
        // Only the streams that speak here, before the last run: a copy of all heads would cost more than the rest.
        var risen: [(topic: Topic, head: UInt64)] = []
        for (index, run) in runs.enumerated() {
            if run.topic == JournalFormat.topic { return "the topic \(run.topic) is the journal's own" }
            if run.recordCount < 1 || run.recordCount > run.records.count || run.records.count > JournalFormat.batchByteLimit {
                return "a run of \(run.topic) claims \(run.recordCount) records in \(run.records.count) bytes"
            }
            let head = risen.last { $0.topic == run.topic }?.head ?? head(of: run.topic)
            if let first = run.sequences?.lowerBound, first <= head {
                return "sequence \(first) of \(run.topic) does not rise above \(head)"
            }
            if let first = run.positions?.lowerBound, first <= position {
                return "position \(first) of \(run.topic) does not rise above \(position)"
            }
            let last = max(run.sequences?.upperBound ?? 0, run.positions?.upperBound ?? 0)
            if last > JournalFormat.numberLimit { return "\(last) of \(run.topic) is over the limit of \(JournalFormat.numberLimit)" }
            if index + 1 < runs.count, let last = run.sequences?.upperBound { risen.append((run.topic, last)) }
        }
        return nil
    }

    mutating func take(_ run: JournalRun) {
        if let last = run.sequences?.upperBound { heads[run.topic] = max(last, head(of: run.topic)) }
        if let last = run.positions?.upperBound { position = max(position, last) }
    }

    mutating func take(_ batch: JournalBatch) {
        self.batch = batch.number
        for note in batch.notes {
            switch note {
            case .checkpoint(let checkpoint): self = checkpoint.numbers(batch: batch.number)
            case .hole(let hole): if hole.jumps { leap() }
            case .seal: break
            }
        }
        for run in batch.runs { take(run) }
    }

    /// Makes the jump of a HOLE that jumps.
    mutating func leap() {
        floor &+= Self.jump
        position &+= Self.jump
        for topic in heads.keys { heads[topic]! &+= Self.jump }
    }
}
