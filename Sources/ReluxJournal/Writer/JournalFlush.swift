/// Brings a journal's files to the disk beside its writer, so that a sync of the writer soon after has little left to do.
///
/// In any thread. A failure has to be told to the writer: the system reports it once only.
package struct JournalFlush: Sendable {
    let folder: JournalFolder
    let segments: ClosedRange<UInt64>

    /// - Throws: `failed`, `denied`.
    package func run() throws(JournalError) {
        for number in segments {
            let file = folder.file(number)
            try folder.perform(file) { () throws(SystemError) in
                // What was trimmed meanwhile needs no sync.
                guard try folder.files.facts(of: file) != nil else { return }
                let handle = try folder.files.open(file, .readWrite)
                defer { folder.files.close(handle) }
                try folder.files.sync(handle)
            }
        }
        try folder.perform(folder.path) { () throws(SystemError) in try folder.files.syncDirectory(folder.path) }
    }
}

extension JournalWriter {
    /// What is not known to be on the disk now.
    package var flush: JournalFlush { JournalFlush(folder: folder, segments: firstUnsynced...max(firstUnsynced, segment.header.number)) }

    /// A ``JournalFlush`` of this journal has failed: nothing is written any more.
    package func flushFailed(_ error: JournalError) { _ = poisoned(error) }

    /// Bytes that were appended since the caller's last state.
    package var bytesBehindState: Int { bytesSinceState }
}
