/// A note on a module's own files, beside its journal: it names the process that has them, and lists them as that process left them.
struct FilesMark: Codable, Sendable, Equatable {
    /// One file below the module's folder.
    struct Entry: Codable, Sendable, Equatable {
        /// From the module's folder on.
        var name: String
        var number: UInt64
        /// When it was changed last, as ``FoundFile/changed``. Absent in notes of before this was written.
        var changed: Int64?
        /// When its contents were written last, as ``FoundFile/modified``. Absent in notes of before this was written.
        var modified: Int64?
    }

    /// The number of the note's own file when it was written: a copy that was put back has another one. Absent in notes of before this was written.
    var own: UInt64?

    /// The process in which the module lives, or has lived.
    var pid: Int32
    /// The files that the process left, as the supervisor saw them at its end. Nil while it runs, and where no supervisor saw the end.
    var left: [Entry]?
    /// It ended as it should: what there was to tell has been told.
    var isClean = false
    /// Files that the module had open and that were taken away from under it: its process has ended because of that.
    var taken: [String] = []
    /// Where they lay; nil for the module's own folder.
    var place: String?
    /// The text that `status` shows until a life ends as it should.
    var notice: String?

    init(pid: Int32) { self.pid = pid }
}

/// A file below a module's folder, as it is now.
struct FoundFile: Sendable, Equatable {
    var name: String
    var number: UInt64
    /// When its contents, rights or names were changed last, by the kernel's clock: nobody can set it. Nanoseconds since 1970.
    var changed: Int64
    /// When its contents were written last, as whoever wrote it or brought it back says. Nanoseconds since 1970.
    var modified: Int64
}

extension FilesMark {
    /// At most this many files are told by name.
    private static let named = 3

    /// Names the files that were replaced, written or removed since that life. Nil when none was, or when ``left`` is nil.
    ///
    /// A file was written when its time is another one, sooner or later: clocks are set.
    /// - Parameters:
    ///   - time: when ``left`` was written, for entries without a time.
    ///   - isTouched: rights or owners of everything were changed meanwhile, the note's too: only what a file holds tells.
    func change(to found: [FoundFile], since time: Int64, isTouched: Bool = false) -> String? {
        guard let left else { return nil }
        let now = Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
        let before = Dictionary(left.map { ($0.name, $0) }) { first, _ in first }
        let parts: [(String, [String])] = [
            ("gone", left.filter { now[$0.name] == nil }.map(\.name)),
            ("replaced", left.filter { now[$0.name].map(\.number) ?? $0.number != $0.number }.map(\.name)),
            ("written", found.filter { before[$0.name]?.isRewritten(by: $0, since: time, isTouched) == true }.map(\.name)),
        ]
        let told = parts.filter { !$0.1.isEmpty }.map { "\($0.0): \(Self.list($0.1))" }
        return told.isEmpty ? nil : told.joined(separator: "; ")
    }

    static func list(_ names: [String]) -> String {
        let names = names.sorted()
        return names.prefix(named).joined(separator: ", ") + (names.count > named ? " and \(names.count - named) more" : "")
    }
}

extension FilesMark.Entry {
    fileprivate func isRewritten(by file: FoundFile, since time: Int64, _ isTouched: Bool) -> Bool {
        guard number == file.number else { return false }
        if isTouched { return modified.map { $0 != file.modified } ?? false }
        return changed.map { $0 != file.changed } ?? (file.changed > time)
    }
}
