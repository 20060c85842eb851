import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxOutput
import ReluxWire

/// The journals of a node. A journal that cannot be looked at hides none of the others.
struct NodeJournals {
    let folder: String
    let found: [JournalListing]
    /// The journals whose directories cannot be listed.
    let unreadable: [UnreadableJournal]

    /// - Throws: when the folder itself cannot be listed.
    init(_ run: RunDirectory) throws(CLIError) {
        var unreadable: [UnreadableJournal] = []
        folder = run.journals
        found = try CLIError.journal { () throws(JournalError) in
            try JournalListing.all(in: run.journals, environment: try .live()) { unreadable.append(UnreadableJournal($0, $1)) }
        }
        self.unreadable = unreadable
    }

    /// - Throws: not found; or why that one cannot be looked at.
    func listing(of name: String) throws(CLIError) -> JournalListing {
        let module = try ModuleID.checked(name)
        if let journal = unreadable.first(where: { $0.module == module }) { throw journal.error }
        guard let listing = found.first(where: { $0.module == module }) else {
            throw CLIError(
                .notFound, "journal.missing", "there is no journal of '\(name)' in \(folder)",
                hint: NearestName.hint(name, among: (found.map(\.module) + unreadable.map(\.module)).map(\.rawValue)))
        }
        return listing
    }
}

extension CommandSession {
    func journals() throws(CLIError) -> NodeJournals { try NodeJournals(location().run) }

    /// The ledgers of all journals of the node, and the journals that cannot be read.
    ///
    /// - Parameter module: only that of this one.
    func ledgers(of module: String? = nil) throws(CLIError) -> (found: [(module: ModuleID, ledger: Ledger)], unreadable: [UnreadableJournal]) {
        let node = try journals()
        let listings = try module.map { name throws(CLIError) in [try node.listing(of: name)] } ?? node.found
        var unreadable = module == nil ? node.unreadable : []
        var found: [(module: ModuleID, ledger: Ledger)] = []
        for listing in listings where !listing.segments.isEmpty {
            do {
                let reader = LedgerReader(directory: listing.directory, module: listing.module, environment: try .live())
                found.append((listing.module, try reader.ledger()))
            } catch {
                unreadable.append(UnreadableJournal(listing.module, error))
            }
        }
        return (found, unreadable)
    }

    /// Each on standard error, behind what was read of the others.
    ///
    /// - Returns: what the command ends with on that account.
    func report(_ unreadable: [UnreadableJournal]) -> ExitStatus {
        for journal in unreadable.sorted(by: { $0.module < $1.module }) { report(journal.error) }
        return unreadable.isEmpty ? .ok : .failed
    }
}
