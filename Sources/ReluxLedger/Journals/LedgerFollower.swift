package import Relux
package import ReluxJournal

/// The ledger of a module's journal, kept up to date by reading on instead of reading again. In any process, without a lock; owned by one thread.
package final class LedgerFollower {
    package private(set) var ledger: Ledger
    /// The epoch of the last life that has opened the journal for writing.
    package private(set) var epoch: Epoch
    private let reader: JournalReader

    /// Reads from the last checkpoint to the end.
    ///
    /// - Throws: `JournalError`, `missing` when there is no journal; `WireError` for a record that this build cannot read.
    package init(directory: String, module: ModuleID, environment: JournalEnvironment) throws {
        let ledgers = LedgerReader(directory: directory, module: module, environment: environment)
        (reader, (ledger, epoch)) = try LedgerReader.untrimmed {
            let reader = try JournalReader(directory: directory, module: module, environment: environment)
            return (reader, try ledgers.checkpoint(reader))
        }
        try follow()
    }

    /// The ledger of a journal whose writer has just been opened under that epoch; nil when this follower cannot tell.
    func ledger(of recovery: JournalRecovery, epoch: Epoch) -> Ledger? {
        guard (try? follow()) != nil, self.epoch == epoch, reader.incarnation == recovery.incarnation else { return nil }
        return ledger
    }

    /// How far it has read.
    package var place: JournalPlace { reader.place }

    /// Brings what was read to the disk; see ``JournalReader/sync()``.
    package func sync() throws(JournalError) { try reader.sync() }

    /// Takes in what was appended since.
    ///
    /// - Throws: as ``LedgerFollower/init(directory:module:environment:)``; then this follower is worth nothing any more, and a new one reads afresh.
    package func follow() throws {
        let end = try reader.end()
        while let batches = try reader.next(before: end) {
            for batch in batches {
                epoch = max(epoch, batch.epoch)
                try LedgerReader.take(batch, into: &ledger)
            }
        }
    }
}
