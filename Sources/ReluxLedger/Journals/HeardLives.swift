import Relux
package import ReluxJournal
package import ReluxWire

/// The latest life of each other module that a module's journal names: whose numbers it has taken for done, handled or said something for.
///
/// The broker reads it before it gives any epoch. Where the registry's file and a module's own journal are older copies, both, only the journals of
/// others know which lives there were. Only the checkpoint and what was appended since is read, and no record is kept: journals may hold more than
/// fits into the broker's memory.
package struct HeardLives: Sendable {
    package private(set) var epochs: [ModuleID: Epoch] = [:]
    private let module: ModuleID

    package init(of module: ModuleID) { self.module = module }

    /// - Throws: `JournalError`, `missing` when there is no journal; `WireError` for a record that this build cannot read.
    package static func read(of module: ModuleID, at directory: String, environment: JournalEnvironment) throws -> HeardLives {
        try LedgerReader.untrimmed {
            var lives = HeardLives(of: module)
            let reader = try JournalReader(directory: directory, module: module, environment: environment)
            if let checkpoint = try LedgerReader(directory: directory, module: module, environment: environment).image(reader) {
                try lives.take(checkpoint)
            }
            let end = try reader.end()
            while let batches = try reader.next(before: end) {
                for run in batches.lazy.flatMap(\.runs) {
                    for record in try WireRecord.decodeAll(run.records) { lives.take(run.topic, record) }
                }
            }
            return lives
        }
    }

    private mutating func take(_ checkpoint: Ledger.Checkpoint) throws {
        for cursor in checkpoint.cursors { note(cursor.publisher, cursor.done.ranges.last?.upperBound ?? 0) }
        for open in checkpoint.causes { note(open.effect) }
        for bytes in checkpoint.records {
            if let record = try WireRecord.decode(bytes.bytes) { take(StateRecord.topic, record) }
        }
    }

    /// Takes in one record of the journal.
    package mutating func take(_ topic: Topic, _ record: WireRecord) {
        switch record {
        case .effect(let effect): note(effect.cause)
        case .settled(let settled):
            if let publisher = topic.settledPublisher { note(publisher, settled.effects.lastEffect.sequence) }
        case .acked(let acked): note(acked.recipient, acked.settlementSequence)
        case .cursor(let cursor):
            // Else it is the publisher's word on settlements of this module.
            if cursor.topic.settledPublisher != cursor.module { note(cursor.module, cursor.range.upperBound) }
        case .kept(let kept): note(kept.cause)
        case .attempt(let attempt): note(attempt.effect)
        case .dead(let letter): note(letter.effect)
        case .state(let state): for effect in state.reduced { note(effect) }
        case .member, .request, .schedule, .snapshot, .refused, .gone, .head, .fetch, .ready, .stream: break
        }
    }

    private mutating func note(_ effect: EffectID?) {
        if let effect { note(effect.module, effect.position) }
    }

    private mutating func note(_ other: ModuleID, _ number: UInt64) {
        let epoch = Epoch(start: number)
        if other != module, epoch > epochs[other] ?? Epoch(0) { epochs[other] = epoch }
    }
}
