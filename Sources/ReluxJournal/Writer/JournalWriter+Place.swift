extension JournalWriter {
    /// Looks whether the lock and the segment that is written to still lie where the next life looks for them. What is appended to a file
    /// without a name is lost with the process; a process that idles would not notice before it has something to say. A lock that alone is gone is made again.
    ///
    /// - Throws: `removed`, `fenced`: this process must not go on; `denied`, `full`, `failed`.
    package func checkPlace() throws(JournalError) {
        guard let lock else { return }
        let path = folder.file(segment.header.number)
        let files = folder.files
        let (own, found) = try JournalError.wrap(path) { () throws(SystemError) in (try files.facts(segment.file), try files.facts(of: path)) }
        guard own.identity == found?.identity else {
            throw JournalError(
                .removed, file: path, "the segment was taken away under its writer",
                remedy: "end this process; the next one begins a new incarnation, or put the file back before")
        }
        do { try lock.hold(epoch) } catch {
            if error.code == .fenced { poison = error }
            throw error
        }
    }
}
