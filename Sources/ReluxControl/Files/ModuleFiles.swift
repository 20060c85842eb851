import Glibc

/// The files that modules keep by themselves, such as databases: the platform does not know what is in them, but whether they are those that the
/// last life has left.
///
/// Design notes. Who had them is written beside the journal when a life begins; what they are is added by the supervisor when the process has ended,
/// and nobody else writes them from then on. What has another number then, or was changed at another time by the kernel's clock, somebody has put
/// there: an older copy, say. A process whose end nobody has seen leaves nothing to compare with. Where rights or owners
/// were changed everywhere (`chown -R` behind a restore), numbers and contents tell. Where the note itself was put back, the whole directory was, and
/// all of it fits together.
package struct ModuleFiles: Sendable {
    let run: RunDirectory

    package init(_ run: RunDirectory) { self.run = run }

    /// A life of the module begins in this process.
    ///
    /// - Returns: what is to be told of its files; nil when they are as they were left.
    package func begin(_ module: String) -> String? {
        let path = run.filesMark(of: module)
        let last = Self.read(path)
        // Set up once more in the same process.
        if let last, last.mark.pid == getpid(), last.mark.left == nil { return last.mark.notice }
        var mark = FilesMark(pid: getpid())
        if let last { mark.notice = news(of: module, last) ?? (last.mark.isClean ? nil : last.mark.notice) }
        Self.write(mark, to: path)
        return mark.notice
    }

    /// The notice that ``begin(_:)`` would return for a module that does not run; nothing is written.
    package func notice(of module: String) -> String? { Self.read(run.filesMark(of: module)).flatMap { news(of: module, $0) } }

    private func news(of module: String, _ last: (mark: FilesMark, time: Int64, fate: Fate)) -> String? {
        let folder = run.state(of: module)
        let advice = "if that was not meant, end the cluster and put the right ones back"
        guard last.mark.taken.isEmpty else {
            return "files of \(module) were taken away while it ran (\(FilesMark.list(last.mark.taken)) in \(last.mark.place ?? folder)), and what it had written "
                + "there is lost with them; it was started again with what is there; \(advice)"
        }
        guard last.fate != .putBack,
            let change = last.mark.change(to: Self.found(in: folder), since: last.time, isTouched: last.fate == .touched)
        else { return nil }
        return "files of \(module) in \(folder) are not those that its last life has left (\(change)); it goes on with what is there, which may be "
            + "older than what others have heard of it; \(advice)"
    }

    /// The module's journal was taken away from under this process, or another one is in its place; it ends.
    package func takeJournal(of module: String) { take(["its journal"], from: module, in: run.journal(of: module)) }

    /// The files were taken away from under this process, which ends.
    ///
    /// - Parameter place: where they lay; nil for the module's own folder.
    package func take(_ names: [String], from module: String, in place: String? = nil) {
        let path = run.filesMark(of: module)
        var mark = Self.read(path)?.mark ?? FilesMark(pid: getpid())
        mark.taken = names
        mark.place = place
        Self.write(mark, to: path)
    }

    /// The process has ended, and what its modules have left is not written any more: for whoever has seen it end.
    ///
    /// - Parameter isClean: it has ended as it should.
    package func ended(_ pid: Int32, isClean: Bool) {
        for path in marks() {
            guard var mark = Self.read(path)?.mark, mark.pid == pid, mark.left == nil else { continue }
            let folder = run.state + path.dropFirst(run.journals.count).dropLast(RunDirectory.filesMarkSuffix.count)
            mark.left = Self.found(in: folder).map { .init(name: $0.name, number: $0.number, changed: $0.changed, modified: $0.modified) }
            mark.isClean = isClean
            Self.write(mark, to: path)
        }
    }
}
