package import ReluxWire

/// The end of a journal whose module is no member any more and whose records everybody has.
package enum RetiredJournal {
    /// Marks a journal that is being removed; no module has such a name.
    private static let mark = ".removed-"
    /// Milliseconds by which two clocks, or one that is corrected, may differ.
    private static let clockPatience: UInt64 = 60_000

    /// Removes the journal when nothing was written for a while. A module of that name begins a new incarnation afterwards.
    ///
    /// It goes under its lock and in one step: after a death in between it is there as a whole or not at all.
    /// A journal that says it was written more than a minute from now was written before the clock was set back: it counts as old, for the caller has waited.
    /// - Returns: false when it is too young, something of it is in quarantine, or there is none.
    /// - Throws: `locked` when somebody writes it, `denied`, `failed`.
    package static func remove(
        directory: String, module: ModuleID, unwrittenFor milliseconds: UInt64, environment: JournalEnvironment
    ) throws(JournalError) -> Bool {
        let folder = JournalFolder(path: directory, module: module, environment: environment)
        let (files, now) = (environment.files, environment.wallMilliseconds())
        guard let last = try folder.segmentNumbers()?.last else { return false }
        // Files that were set aside wait for a person.
        let evidence = try folder.perform(directory) { () throws(SystemError) in try files.facts(of: folder.quarantine) }
        guard evidence == nil else { return false }
        // Held until all is gone.
        let lock = try JournalLock(directory: directory, environment: environment)
        defer { withExtendedLifetime(lock) {} }
        let file = folder.file(last)
        let facts = try folder.perform(file) { () throws(SystemError) in try files.facts(of: file) }
        let written = UInt64(max(0, facts?.modified ?? 0) / 1_000_000)
        guard facts != nil, written > now + clockPatience || now >= written && now - written >= milliseconds else { return false }
        let parent = folder.parent
        let away = "\(parent)/\(mark)\(module)-\(now)"
        try folder.perform(directory) { () throws(SystemError) in
            try files.rename(directory, to: away)
            try files.syncDirectory(parent)
        }
        try sweep(parent, environment: environment)
        return true
    }

    /// Deletes what an interrupted removal has left in the folder of all journals.
    package static func sweep(_ folder: String, environment: JournalEnvironment) throws(JournalError) {
        let files = environment.files
        let names = try JournalError.wrap(folder) { () throws(SystemError) in try files.list(folder) } ?? []
        for name in names where name.hasPrefix(mark) {
            try JournalError.wrap("\(folder)/\(name)") { () throws(SystemError) in try delete("\(folder)/\(name)", files) }
        }
    }

    private static func delete(_ path: String, _ files: any FileSystem) throws(SystemError) {
        if try files.facts(of: path)?.isDirectory == true {
            for name in try files.list(path) ?? [] { try delete("\(path)/\(name)", files) }
        }
        try files.remove(path)
    }
}
