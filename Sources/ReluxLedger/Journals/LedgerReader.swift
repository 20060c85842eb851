package import Relux
package import ReluxJournal

/// Reads what a module's journal says, in any process, without a lock.
package struct LedgerReader {
    private let directory: String
    private let module: ModuleID
    private let environment: JournalEnvironment

    package init(directory: String, module: ModuleID, environment: JournalEnvironment) {
        self.directory = directory
        self.module = module
        self.environment = environment
    }

    /// The ledger that the module finds when it opens its journal: the last checkpoint, what was appended since, and the HOLE that this opening may
    /// have made.
    func ledger(from recovery: JournalRecovery, epoch: Epoch) throws -> Ledger {
        var ledger = Ledger(module)
        if !recovery.isNew, let start = recovery.replayFrom {
            let reader = try JournalReader(directory: directory, module: module, environment: environment)
            ledger = try restored(recovery.state, reader)
            try reader.seek(start)
            try replay(reader, into: &ledger)
        }
        ledger.begin(epoch)
        return ledger
    }

    /// The whole journal, from the oldest batch that is kept. What was trimmed before is known from the checkpoints.
    ///
    /// - Parameter observe: gets every record that is still kept, before the ledger does.
    package func ledger(observing observe: (Topic, WireRecord) -> Void = { _, _ in }) throws -> Ledger {
        let reader = try JournalReader(directory: directory, module: module, environment: environment)
        try reader.seekToStart()
        var ledger = Ledger(module)
        try replay(reader, into: &ledger, takesCheckpoints: true, observing: observe)
        return ledger
    }

    private func replay(
        _ reader: JournalReader, into ledger: inout Ledger, takesCheckpoints: Bool = false,
        observing observe: (Topic, WireRecord) -> Void = { _, _ in }
    ) throws {
        let end = try reader.end()
        while let batches = try reader.next(before: end) {
            for batch in batches { try Self.take(batch, into: &ledger, takesCheckpoints: takesCheckpoints, observe) }
        }
    }

    static func take(
        _ batch: JournalBatch, into ledger: inout Ledger, takesCheckpoints: Bool = false,
        _ observe: (Topic, WireRecord) -> Void = { _, _ in }
    ) throws {
        for note in batch.notes {
            switch note {
            case .hole(let hole): if hole.jumps { ledger.leap(by: JournalNumbers.jump) }
            case .checkpoint(let checkpoint):
                // Records from before the oldest batch that is kept are known from here on.
                if takesCheckpoints, !checkpoint.state.isEmpty { ledger = try ledger.succeeded(by: Array(checkpoint.state)) }
                // Where a repair has mended the segments before it, they say less than was given out.
                for (topic, head) in checkpoint.heads { ledger.close(topic, at: head) }
                ledger.rise(to: checkpoint.position)
            case .seal: break
            }
        }
        ledger.begin(batch.epoch)
        for run in batch.runs { try ledger.take(run) { observe(run.topic, $0) } }
    }

    /// The ledger of the last checkpoint, and the epoch under which it was written; the reader stands behind it then.
    ///
    /// - Throws: `removed` when the journal was trimmed meanwhile: try again.
    func checkpoint(_ reader: JournalReader) throws -> (ledger: Ledger, epoch: Epoch) {
        let segments = try reader.segments()
        guard let last = segments.last, let checkpoint = try base(of: last, reader) else {
            try reader.seekToStart()
            return (Ledger(module), Epoch(0))
        }
        // Selecting does not move the reader.
        let ledger = try restored(Array(checkpoint.state), reader)
        // A record that waited by the checkpoint and was trimmed now would be taken for settled, and its settlement for that of somebody else.
        guard try reader.segments().first == segments.first else {
            throw JournalError(.removed, file: directory, "the journal was trimmed under this reader", remedy: "read it again")
        }
        return (ledger, checkpoint.epoch)
    }

    /// The last checkpoint without the records that it names; nil when there is none. The reader stands behind it then, else at the start.
    func image(_ reader: JournalReader) throws -> Ledger.Checkpoint? {
        guard let last = try reader.segments().last, let checkpoint = try base(of: last, reader) else {
            try reader.seekToStart()
            return nil
        }
        return try CBOR.decode(Ledger.Checkpoint.self, from: Array(checkpoint.state))
    }

    /// A trim comes once in a while: a reading that it has spoiled is repeated, a few times at most.
    static func untrimmed<Result>(_ read: () throws -> Result) throws -> Result {
        for _ in 1...3 {
            do { return try read() } catch let error as JournalError where error.code == .removed { continue }
        }
        return try read()
    }

    /// The checkpoint with the state that is in force in a segment; nil when there is none.
    private func base(of segment: UInt64, _ reader: JournalReader) throws -> CheckpointRecord? {
        var number = segment
        while let checkpoint = try first(of: number, reader), checkpoint.base > 0, checkpoint.base <= number {
            if checkpoint.base == number { return checkpoint.state.isEmpty ? nil : checkpoint }
            // A segment that a repair has put in place of a lost one has no state, and names an older one.
            number = checkpoint.base
        }
        return nil
    }

    private func first(of segment: UInt64, _ reader: JournalReader) throws -> CheckpointRecord? {
        try reader.seek(JournalPlace(segment: segment, offset: 0))
        for case .checkpoint(let checkpoint)? in try reader.next(byteBudget: 1).map(\.notes.first) { return checkpoint }
        return nil
    }

    /// The checkpoint with the records that it names; those are kept for as long as they wait.
    private func restored(_ checkpoint: [UInt8], _ reader: JournalReader) throws -> Ledger {
        guard !checkpoint.isEmpty else { return Ledger(module) }
        let image = try CBOR.decode(Ledger.Checkpoint.self, from: checkpoint)
        var ledger = try Ledger(module, checkpoint: checkpoint)
        for (name, stream) in image.streams.sorted(by: { $0.key < $1.key }) where !stream.pending.isEmpty {
            let topic = try Topic(name)
            try refill(topic, stream.pending, &ledger, reader)
            ledger.resume(topic, stream)
        }
        return ledger
    }

    /// The records of the stream that wait, in one pass.
    private func refill(_ topic: Topic, _ pending: [Ledger.Checkpoint.Pending], _ ledger: inout Ledger, _ reader: JournalReader) throws {
        var waiting = try pending.map { (sequences: try $0.sequences(), outstanding: $0.outstanding) }[...]
        var cursor = waiting.first?.sequences.lowerBound ?? 0
        while let last = waiting.last?.sequences.upperBound, cursor <= last {
            let selection = try reader.select(topic, cursor...last, byteBudget: 1 << 20)
            for run in selection.runs {
                for entry in try WireRecord.decodeAll(run.run.records).compactMap(OutboundStream.Entry.init) {
                    waiting = waiting.drop { $0.sequences.upperBound < entry.sequence }
                    guard let next = waiting.first, next.sequences.contains(entry.sequence) else { continue }
                    ledger.refill(topic, entry, next.outstanding)
                }
                ledger.keep(run.run)
            }
            guard let next = selection.next else { break }
            cursor = next
        }
        ledger.thin(topic)
    }
}
