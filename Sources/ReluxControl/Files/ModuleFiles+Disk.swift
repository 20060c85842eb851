import Glibc
import ReluxJournal

extension ModuleFiles {
    /// Files of one module that are looked at and remembered; of a folder with more, the first ones.
    private static let limit = 1000
    /// At most this many nanoseconds lie between the writing of a note and its renaming.
    private static let placing: Int64 = 1_000_000_000

    func marks() -> [String] {
        Self.names(in: run.journals).filter { $0.hasSuffix(RunDirectory.filesMarkSuffix) }.map { run.journals + "/" + $0 }
    }

    /// The changes that a note has seen since it was written.
    enum Fate {
        case untouched
        /// It has other rights or another owner.
        case touched
        /// It is a copy of itself, or may be.
        case putBack
    }

    static func read(_ path: String) -> (mark: FilesMark, time: Int64, fate: Fate)? {
        guard let found = status(of: path), let mark = NoteFile.read(FilesMark.self, from: path) else { return nil }
        let time = nanoseconds(found.st_mtim)
        let isUntouched = nanoseconds(found.st_ctim) - time < placing
        return (mark, time, isUntouched ? .untouched : mark.own == UInt64(found.st_ino) ? .touched : .putBack)
    }

    static func write(_ mark: FilesMark, to path: String) {
        NoteFile.write(to: path) { number in
            var mark = mark
            mark.own = number
            return mark
        }
    }

    static func found(in folder: String) -> [FoundFile] {
        var (found, folders) = ([FoundFile](), [""])
        while let inner = folders.popLast(), found.count < limit {
            for name in names(in: folder + "/" + inner).sorted() where found.count < limit {
                let name = inner.isEmpty ? name : inner + "/" + name
                guard let status = status(of: folder + "/" + name) else { continue }
                if status.st_mode & S_IFMT == S_IFDIR { folders.append(name) }
                guard status.st_mode & S_IFMT == S_IFREG else { continue }
                found.append(FoundFile(name: name, number: UInt64(status.st_ino), changed: nanoseconds(status.st_ctim), modified: nanoseconds(status.st_mtim)))
            }
        }
        return found
    }

    private static func names(in folder: String) -> [String] { (try? GlibcFileSystem().list(folder)) ?? [] }

    /// Links are not followed.
    private static func status(of path: String) -> stat? {
        var found = stat()
        return lstat(path, &found) == 0 ? found : nil
    }

    private static func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }
}
