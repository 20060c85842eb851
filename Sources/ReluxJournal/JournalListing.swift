package import ReluxWire

/// One journal in a folder of them, by what its directory says: no segment is read.
package struct JournalListing: Sendable, Hashable {
    package var module: ModuleID
    package var directory: String
    /// The oldest first, with what each takes on the disk, reserved room included: what ``JournalRetention/nodeShares(of:cap:)`` asks for.
    package var segments: [JournalRetention.Segment]
    package var quarantined: Int
    /// Of the last writer, which may be alive; nil before the first.
    package var epoch: Epoch?
    package var processID: Int32?

    /// Bytes on the disk.
    package var allocated: Int { segments.reduce(0) { $0 + $1.byteCount } }

    /// All journals of a node, by module.
    ///
    /// - Parameter folder: `RunDirectory.journals`.
    /// - Throws: `denied`, `failed`. No such folder is no journals.
    package static func all(in folder: String, environment: JournalEnvironment) throws(JournalError) -> [JournalListing] {
        let names = try JournalError.wrap(folder) { () throws(SystemError) in try environment.files.list(folder) } ?? []
        var listings: [JournalListing] = []
        for module in names.compactMap(ModuleID.init(rawValue:)).sorted() {
            let journal = JournalFolder(path: "\(folder)/\(module)", module: module, environment: environment)
            guard let numbers = try journal.segmentNumbers() else { continue }
            let content = JournalLock.content(directory: journal.path, environment: environment)
            var listing = JournalListing(
                module: module, directory: journal.path, segments: [],
                quarantined: ((try? environment.files.list(journal.quarantine)) ?? [])?.count ?? 0, epoch: content?.epoch,
                processID: content?.pid)
            for number in numbers {
                let file = journal.file(number)
                let facts = try journal.perform(file) { () throws(SystemError) in try environment.files.facts(of: file) }
                // Trimmed just now, else.
                guard let facts else { continue }
                listing.segments.append(
                    .init(number: number, byteCount: facts.allocated, lastWritten: UInt64(max(0, facts.modified / 1_000_000))))
            }
            listings.append(listing)
        }
        return listings
    }
}
