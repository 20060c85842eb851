package import Relux
package import ReluxJournal

/// One module's journal as the audit needs it.
package struct AuditedJournal: Sendable {
    package var ledger: Ledger
    /// Sequences of the module's streams of which the journal still says that the recipient has settled them.
    package var acknowledged: [Topic: [ModuleID: SequenceSet]] = [:]

    package init(_ ledger: Ledger) { self.ledger = ledger }

    mutating func observe(_ record: WireRecord) {
        // Zero: it ended without a word of the recipient.
        guard case .acked(let acked) = record, acked.settlementSequence > 0 else { return }
        acknowledged[acked.topic, default: [:]][acked.recipient, default: SequenceSet()].insert(acked.effects)
    }

    /// Settlements that their publisher has not written down yet: sequences of its effects by stream.
    var unacknowledged: [StreamID: SequenceSet] {
        var found: [StreamID: SequenceSet] = [:]
        for (topic, stream) in ledger.streams {
            guard let publisher = topic.settledPublisher else { continue }
            for case (_, .settled(let settled)) in stream.pendingRecords {
                found[StreamID(publisher: publisher, topic: settled.topic), default: SequenceSet()].insert(settled.effects)
            }
        }
        return found
    }
}

/// All journals of a node, read one after the other while others may be writing them.
package struct AuditLook: Sendable {
    package var journals: [ModuleID: AuditedJournal] = [:]
    /// Journals that could not be read, by module, and why; their publishers and recipients cannot be judged.
    package var unreadable: [ModuleID: String] = [:]

    package init() {}

    /// - Throws: `JournalError` when the folder itself cannot be listed.
    package init(folder: String, environment: JournalEnvironment) throws(JournalError) {
        var unreadable: [ModuleID: String] = [:]
        let listings = try JournalListing.all(in: folder, environment: environment) { unreadable[$0] = "\($1)" }
        for listing in listings where !listing.segments.isEmpty {
            do {
                journals[listing.module] = try Self.read(listing, environment)
            } catch {
                unreadable[listing.module] = "\(error)"
            }
        }
        self.unreadable = unreadable
    }

    private static func read(_ listing: JournalListing, _ environment: JournalEnvironment) throws -> AuditedJournal {
        let reader = LedgerReader(directory: listing.directory, module: listing.module, environment: environment)
        func once() throws -> AuditedJournal {
            var journal = AuditedJournal(Ledger(listing.module))
            journal.ledger = try reader.ledger { _, record in journal.observe(record) }
            return journal
        }
        do {
            return try once()
        } catch let error as JournalError where error.code == .missing {
            // Its oldest part was trimmed while it was read.
            return try once()
        }
    }
}
