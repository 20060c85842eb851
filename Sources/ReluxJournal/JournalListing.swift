package import ReluxWire

/// One journal in a folder of them, by what its directory says: no segment is read.
package struct JournalListing: Sendable, Hashable {
    package var module: ModuleID
    package var directory: String
    package var segments: Int
    /// On the disk, what is reserved included.
    package var allocated: Int
    package var quarantined: Int
    /// Of the last writer, which may be alive; nil before the first.
    package var epoch: Epoch?
    package var processID: Int32?

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
                module: module, directory: journal.path, segments: numbers.count, allocated: 0,
                quarantined: ((try? environment.files.list(journal.quarantine)) ?? [])?.count ?? 0, epoch: content?.epoch,
                processID: content?.pid)
            for number in numbers {
                let file = journal.file(number)
                let facts = try journal.perform(file) { () throws(SystemError) in try environment.files.facts(of: file) }
                listing.allocated += facts?.allocated ?? 0
            }
            listings.append(listing)
        }
        return listings
    }
}
