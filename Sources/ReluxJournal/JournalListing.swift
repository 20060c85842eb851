package import ReluxWire

/// One journal in a folder of them, by what its directory says: no segment is read.
package struct JournalListing: Sendable, Hashable {
    package var module: ModuleID
    package var directory: String
    /// The oldest first, with what each takes on the disk, reserved room included: what `JournalRetention.nodeShares(of:cap:)` asks for.
    package var segments: [JournalRetention.Segment]
    package var quarantined: Int
    /// The epoch of the last writer, which may be alive; nil before the first.
    package var epoch: Epoch?
    package var processID: Int32?

    /// Bytes on the disk.
    package var allocated: Int { segments.reduce(0) { $0 + $1.byteCount } }

    /// All journals of a node, by module.
    ///
    /// - Parameters:
    ///   - folder: `RunDirectory.journals`.
    ///   - onUnreadable: told of each journal that is left out because it cannot be looked at; nil to throw instead.
    /// - Throws: `denied`, `failed`. No such folder is no journals.
    package static func all(
        in folder: String, environment: JournalEnvironment, onUnreadable: ((ModuleID, JournalError) -> Void)? = nil
    ) throws(JournalError) -> [JournalListing] {
        var listings: [JournalListing] = []
        for journal in try journals(in: folder, environment) {
            do throws(JournalError) {
                if let listing = try listing(of: journal) { listings.append(listing) }
            } catch {
                guard let onUnreadable else { throw error }
                onUnreadable(journal.module, error)
            }
        }
        return listings
    }

    /// How far each journal of a node has come: what its lock file says, or its newest segment where that is further. A header is read of each, no more.
    ///
    /// A lock file that says nothing, or what is no file in its place, is no trouble where a segment says it: the next writer writes it anew.
    /// - Parameter onUnreadable: told of each journal whose epoch cannot be read; it is left out, as is one that has none yet.
    /// - Throws: `denied`, `failed`, of the folder itself. No such folder is no journals.
    package static func epochs(
        in folder: String, environment: JournalEnvironment, onUnreadable: (ModuleID, JournalError) -> Void
    ) throws(JournalError) -> [ModuleID: Epoch] {
        var epochs: [ModuleID: Epoch] = [:]
        for journal in try journals(in: folder, environment) {
            do throws(JournalError) {
                epochs[journal.module] = try epoch(of: journal)
            } catch {
                onUnreadable(journal.module, error)
            }
        }
        return epochs
    }

    private static func epoch(of journal: JournalFolder) throws(JournalError) -> Epoch? {
        let claimed: Epoch?
        do throws(JournalError) {
            claimed = try JournalLock.epoch(directory: journal.path, environment: journal.environment)
        } catch {
            guard error.code == .damaged || error.code == .failed, let written = try? writtenEpoch(of: journal) else { throw error }
            return written
        }
        // Segments that do not say an epoch are no reason to doubt the lock: whoever opens the journal is told what is wrong with them.
        guard let written = try? writtenEpoch(of: journal) else { return claimed }
        return max(claimed ?? written, written)
    }

    /// The epoch of the newest segment whose header can be read; epochs only rise from one to the next.
    private static func writtenEpoch(of journal: JournalFolder) throws(JournalError) -> Epoch? {
        for number in try journal.segmentNumbers()?.reversed() ?? [] {
            if let header = try? journal.header(of: number) { return header.epoch }
        }
        return nil
    }

    private static func journals(in folder: String, _ environment: JournalEnvironment) throws(JournalError) -> [JournalFolder] {
        let names = try JournalError.wrap(folder) { () throws(SystemError) in try environment.files.list(folder) } ?? []
        return names.compactMap(ModuleID.init(rawValue:)).sorted().map {
            JournalFolder(path: "\(folder)/\($0)", module: $0, environment: environment)
        }.filter { !isCopy($0) }
    }

    /// Whether somebody keeps another module's journal there, as `Settings.bak`, or the cluster has set something aside, as `Auth.files.replaced-4711`.
    private static func isCopy(_ journal: JournalFolder) -> Bool {
        let name = journal.module.rawValue
        guard name.contains(".") else { return false }
        if name.contains(".replaced-") { return true }
        guard let first = try? journal.segmentNumbers()?.first else { return false }
        do throws(JournalError) {
            _ = try journal.header(of: first)
            return false
        } catch {
            return error.code == .foreign
        }
    }

    /// nil when it is no directory.
    private static func listing(of journal: JournalFolder) throws(JournalError) -> JournalListing? {
        guard let numbers = try journal.segmentNumbers() else { return nil }
        let content = JournalLock.content(directory: journal.path, environment: journal.environment)
        var listing = JournalListing(
            module: journal.module, directory: journal.path, segments: [],
            quarantined: ((try? journal.files.list(journal.quarantine)) ?? [])?.count ?? 0, epoch: content?.epoch, processID: content?.pid)
        for number in numbers {
            let file = journal.file(number)
            let facts = try journal.perform(file) { () throws(SystemError) in try journal.files.facts(of: file) }
            // Trimmed just now, else.
            guard let facts else { continue }
            listing.segments.append(
                .init(number: number, byteCount: facts.allocated, lastWritten: UInt64(max(0, facts.modified / 1_000_000))))
        }
        return listing
    }
}
