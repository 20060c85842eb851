import CReluxProcess
import Foundation
import Glibc

/// The place of an SDK, which changes as a whole.
struct SDKFolder {
    let path: String

    /// - Parameter path: absolute; it need not be there.
    init(_ path: String) { self.path = path }

    private var url: URL { URL(fileURLWithPath: path) }
    private var parent: String { url.deletingLastPathComponent().path }

    /// Without links on the way, also where it is not there yet.
    var resolved: String {
        if FileManager.default.fileExists(atPath: path) { return url.resolvingSymlinksInPath().path }
        return URL(fileURLWithPath: parent).resolvingSymlinksInPath().path + "/" + url.lastPathComponent
    }

    /// Writes beside the place, and exchanges the two in one step. One at a time: another one waits, and begins with what the first has left.
    /// - Throws: `sdk.folder` for something else that is there, `pack.write`, and what writing throws; nothing has changed then.
    func replace(_ write: (_ draft: String) throws(PackError) -> Void) throws(PackError) {
        let lock = try lockWhatIsThere()
        defer { if let lock { close(lock) } }
        let draft = "\(parent)/.\(url.lastPathComponent).\(UUID().uuidString)"
        // After an exchange it is what was there before.
        defer { try? FileManager.default.removeItem(atPath: draft) }
        try Self.attempt(draft) { try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: true) }
        try write(draft)
        // A rename puts no folder in the place of one that has something.
        guard (lock == nil ? rename(draft, path) : relux_exchange_paths(draft, path)) == 0 else {
            throw PackError(.write, "\(path) cannot be written: \(String(cString: strerror(errno))); see what is there, or name another folder")
        }
    }

    /// - Returns: nil when nothing is there.
    private func lockWhatIsThere() throws(PackError) -> Int32? {
        while true {
            var (status, now) = (stat(), stat())
            guard lstat(path, &status) == 0 else { return nil }
            guard status.st_mode & S_IFMT == S_IFDIR, (try? SDK(at: path)) != nil else {
                throw PackError(.sdk, "\(path) is there and is no SDK\(status.st_mode & S_IFMT == S_IFLNK ? " but a link" : ""), so nothing was written; name another folder, or remove it")
            }
            let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0, flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &status) == 0 else {
                let reason = String(cString: strerror(errno))
                if descriptor >= 0 { close(descriptor) }
                throw PackError(.write, "\(path): \(reason)")
            }
            // Whoever had the lock may have put another one there.
            if stat(path, &now) == 0, now.st_ino == status.st_ino, now.st_dev == status.st_dev { return descriptor }
            close(descriptor)
        }
    }

    /// - Parameter draft: an empty folder, in whose place the copy comes.
    static func copy(_ source: String, to draft: String) throws(PackError) {
        try attempt(draft) {
            try FileManager.default.removeItem(atPath: draft)
            try FileManager.default.copyItem(atPath: source, toPath: draft)
        }
    }

    static func attempt(_ path: String, _ body: () throws -> Void) throws(PackError) {
        do { try body() } catch {
            throw PackError(
                .write,
                "\(path) cannot be written: \(FileReason.of(error)); make room, or use a folder that you may write to: relux sdk export DIR, then --sdk DIR")
        }
    }
}
