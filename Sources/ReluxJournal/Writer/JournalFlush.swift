/// Brings a journal's files to the disk beside its writer, so that a sync of the writer soon after has little left to do.
///
/// In any thread. A failure has to be told to the writer: the system reports it once only.
package struct JournalFlush: Sendable {
    let folder: JournalFolder
    let segments: ClosedRange<UInt64>

    /// Why it did not come to its end.
    package struct Failure: Error, Sendable {
        package let error: JournalError
        /// The system has said that something could not be brought to the disk, and says so once only. Else it was not asked.
        package let isFailedSync: Bool

        init(_ failure: SystemError, file: String) {
            error = JournalError(failure, file: file)
            isFailedSync = failure.call == .sync
        }
    }

    /// - Throws: a ``Failure``, of `failed`, `denied` or `full`.
    package func run() throws(Failure) {
        for number in segments {
            let file = folder.file(number)
            do throws(SystemError) {
                // A segment that was trimmed meanwhile needs no sync.
                guard try folder.files.facts(of: file) != nil else { continue }
                let handle = try folder.files.open(file, .readWrite)
                defer { folder.files.close(handle) }
                try folder.files.sync(handle)
            } catch {
                throw Failure(error, file: file)
            }
        }
        do throws(SystemError) { try folder.files.syncDirectory(folder.path) } catch { throw Failure(error, file: folder.path) }
    }
}

extension JournalFlush {
    /// Leaves a failed sync for the journal's next writer, when the one it was begun for is gone.
    package func noteFailure() { JournalLock.noteFailedSync(directory: folder.path, environment: folder.environment) }
}

extension JournalWriter {
    /// The flush of what is not known to be on the disk now.
    package var flush: JournalFlush { JournalFlush(folder: folder, segments: firstUnsynced...max(firstUnsynced, segment.header.number)) }

    /// A ``JournalFlush`` of this journal has failed: nothing is written any more.
    package func flushFailed(_ error: JournalError) { _ = poisoned(error) }

    /// Bytes that were appended since the caller's last state.
    package var bytesBehindState: Int { bytesSinceState }
}
