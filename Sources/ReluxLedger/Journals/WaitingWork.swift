package import Relux
package import ReluxJournal

/// The unsettled effects of a node, as its journals have them. Writers may be a moment further.
///
/// Read from the last checkpoints on, so that it costs what is kept and not what has been.
package struct WaitingWork {
    /// An effect that the recipient of its key has not settled.
    package struct Item {
        package var key: Audit.Key
        package var effect: EffectRecord
    }

    package private(set) var ledgers: [ModuleID: Ledger] = [:]
    /// Modules whose journals could not be read, and why: nobody knows which of their effects wait.
    package private(set) var unreadable: [ModuleID: String] = [:]

    /// - Throws: `JournalError` when the folder itself cannot be listed.
    package init(folder: String, environment: JournalEnvironment) throws(JournalError) {
        var unreadable: [ModuleID: String] = [:]
        let listings = try JournalListing.all(in: folder, environment: environment) { unreadable[$0] = "\($1)" }
        for listing in listings where !listing.segments.isEmpty {
            do {
                ledgers[listing.module] = try LedgerFollower(directory: listing.directory, module: listing.module, environment: environment).ledger
            } catch {
                unreadable[listing.module] = "\(error)"
            }
        }
        self.unreadable = unreadable
    }

    /// By publisher, topic, number and recipient.
    package var items: [Item] {
        ledgers.values.sorted { $0.module < $1.module }.flatMap { ledger in
            ledger.streams.filter { !$0.key.isReserved }.sorted { $0.key < $1.key }.flatMap { topic, state in
                state.pendingRecords.flatMap { entry, record in
                    guard case .effect(let effect) = record else { return [Item]() }
                    let stream = StreamID(publisher: ledger.module, topic: topic)
                    // Its publisher may not have heard yet that it is settled.
                    return entry.outstanding.filter { ledgers[$0]?.isDone(entry.sequence, of: stream) != true }
                        .map { Item(key: Audit.Key(publisher: ledger.module, topic: topic, recipient: $0), effect: effect) }
                }
            }
        }
    }
}
