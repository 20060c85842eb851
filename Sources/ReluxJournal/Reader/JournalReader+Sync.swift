extension JournalReader {
    /// Returns when all that is whole now is on the disk, whoever has written it: for the journal of a writer that is gone, before anybody
    /// hears of what it has promised to keep. Blocks; not for the cooperative pool.
    ///
    /// - Throws: `failed` when the disk fails, or has failed the last writer: its successor writes all of it again. `missing`, `denied`, `damaged`.
    package func sync() throws(JournalError) {
        if JournalLock.content(directory: folder.path, environment: folder.environment)?.hasFailedSync == true {
            throw JournalError(
                .failed, file: folder.path, "its last writer could not bring it to the disk", remedy: "start the module: it writes it again")
        }
        let segments = try segments()
        guard let last = segments.last else { return }
        var first = last
        while first > segments[0], try !folder.header(of: first).isPreviousOnDisk { first -= 1 }
        do throws(JournalFlush.Failure) {
            try JournalFlush(folder: folder, segments: first...last).run()
        } catch {
            // The system says so once only. Whatever else it was, too many open files for one, may be over the next time.
            if error.isFailedSync { JournalLock.noteFailedSync(directory: folder.path, environment: folder.environment) }
            throw error.error
        }
    }
}
