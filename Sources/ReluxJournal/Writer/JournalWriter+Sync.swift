import ReluxWire

/// The work that brings all that a journal had appended at one moment to the disk, so that it survives the loss of power.
///
/// It is done without the writer, on any thread, while the writer goes on appending: one sync for all that waits (group commit).
package struct JournalSyncTicket: Sendable {
    let folder: JournalFolder
    /// Segments that may not be on the disk, the written one last.
    let segments: ClosedRange<UInt64>
    /// The end of the last of these segments.
    let end: Int
    let syncsNames: Bool

    /// Returns when it is on the disk. Blocks; not for the cooperative pool.
    package func perform() -> JournalSyncOutcome {
        for number in segments {
            let file = folder.file(number)
            do throws(SystemError) {
                let handle = try folder.files.open(file, .readWrite)
                defer { folder.files.close(handle) }
                try folder.files.sync(handle)
            } catch {
                // A segment that was trimmed meanwhile was synced by that.
                if error.call == .open, number < segments.upperBound, (try? folder.files.facts(of: file)) == .some(nil) { continue }
                return JournalSyncOutcome(failure: JournalError(error, file: file))
            }
        }
        do throws(SystemError) {
            if syncsNames { try folder.files.syncDirectory(folder.path) }
        } catch {
            return JournalSyncOutcome(failure: JournalError(error, file: folder.path))
        }
        return JournalSyncOutcome(failure: nil)
    }
}

extension JournalSyncTicket {
    /// Leaves a failure for the journal's next writer, when the one that asked for it is gone.
    ///
    /// - Throws: that failure.
    package func noteFailure(_ outcome: JournalSyncOutcome) throws(JournalError) {
        guard let failure = outcome.failure else { return }
        JournalLock.noteFailedSync(directory: folder.path, environment: folder.environment)
        throw failure
    }
}

package struct JournalSyncOutcome: Sendable {
    let failure: JournalError?
}

extension JournalWriter {
    /// The work that a sync has to do now; nil when all that was appended is on the disk.
    ///
    /// - Throws: as ``sync()`` does before it syncs.
    package func beginSync() throws(JournalError) -> JournalSyncTicket? {
        try checkUsable()
        guard !isOnDisk else { return nil }
        return JournalSyncTicket(
            folder: folder, segments: firstUnsynced...segment.header.number, end: segment.end, syncsNames: isNameUnsynced)
    }

    /// Takes note of what a ticket has done.
    ///
    /// - Throws: `poisoned` from then on when it failed; a failed sync is never repeated.
    package func endSync(_ ticket: JournalSyncTicket, _ outcome: JournalSyncOutcome) throws(JournalError) {
        if let failure = outcome.failure { throw poisoned(failure) }
        let last = ticket.segments.upperBound
        firstUnsynced = max(firstUnsynced, last)
        // A segment that has begun since has a name of its own.
        guard segment.header.number == last else { return }
        segment.synced = max(segment.synced, ticket.end)
        if ticket.syncsNames { isNameUnsynced = false }
    }
}
