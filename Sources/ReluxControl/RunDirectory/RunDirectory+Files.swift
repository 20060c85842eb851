import Glibc
import ReluxSystem

/// A run directory that cannot be used, with the remedy in its message.
package struct RunDirectoryError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Int, Sendable {
        case notMade = 1
        case foreignOwner = 2
        case notADirectory = 3
        case alreadyRunning = 4
        case lockFailed = 5
        /// It was deleted, or another directory is in its place.
        case lost = 6
    }
    package let code: Code
    package let message: String
    /// The disk may take it later; see `DiskRefusal`.
    package var mayPass = false
    package var description: String { message }
}

extension RunDirectory {
    /// Makes the directory with its parts, or checks that what is there belongs to this user and closes it to others.
    ///
    /// - Throws: `notMade` (no permission, no room: another `cluster.directory` helps), `foreignOwner` or
    ///   `notADirectory` (somebody else owns the name: never used).
    package func create() throws(RunDirectoryError) {
        try Self.claim(path, parents: true)
        for part in parts { try Self.claim(part) }
    }

    /// The same for a process that serves as well as it can: it needs no folder of crash reports.
    ///
    /// - Returns: the parts that cannot be had, and why, a line each.
    /// - Throws: as ``create()``, for the directory itself; `foreignOwner` for a part that another user owns or can enter: it is never used.
    package func provide() throws(RunDirectoryError) -> [String] {
        try Self.claim(path, parents: true)
        var troubles: [String] = []
        for part in parts {
            do throws(RunDirectoryError) { try Self.claim(part) } catch {
                if error.code == .foreignOwner { throw error }
                troubles.append(error.message)
            }
        }
        return troubles
    }

    package var parts: [String] { [logs, crashes, state, journals, sockets] }

    /// The module's directory for files, made on first use.
    ///
    /// - Throws: as ``create()``.
    package func createState(of module: String) throws(RunDirectoryError) -> String {
        let directory = state(of: module)
        try Self.claim(directory)
        return directory
    }

    private static func claim(_ path: String, parents: Bool = false) throws(RunDirectoryError) {
        if parents, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            let parent = String(path[..<slash])
            var found = stat()
            if stat(parent, &found) != 0 { try claim(parent, parents: true) }
        }
        if mkdir(path, 0o700) == 0 { return }
        let failure = errno
        var found = stat()
        guard failure == EEXIST, lstat(path, &found) == 0 else {
            throw RunDirectoryError(
                code: .notMade,
                message: "cannot make the directory \(path): \(String(cString: strerror(failure))); "
                    + "choose another cluster.directory", mayPass: DiskRefusal.mayPass(failure))
        }
        guard found.st_mode & S_IFMT == S_IFDIR else {
            throw RunDirectoryError(
                code: .notADirectory, message: "\(path) is not a directory (links are not followed); move it away"
                    + (parents ? ", or name another one by --run, RELUX_RUN or cluster.directory" : ""))
        }
        guard found.st_uid == geteuid() else {
            throw RunDirectoryError(
                code: .foreignOwner,
                message: "\(path) belongs to user \(found.st_uid), not to \(geteuid()); choose another cluster.directory")
        }
        guard found.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0 else {
            throw RunDirectoryError(
                code: .foreignOwner, message: "cannot close \(path) to other users: \(String(cString: strerror(errno)))")
        }
    }

    /// Takes the node's supervisor lock and writes this process's id; the lock ends with the value, or the process.
    ///
    /// - Throws: `alreadyRunning` with the other's pid; `lockFailed`.
    package func lockSupervisor() throws(RunDirectoryError) -> SupervisorLock { try SupervisorLock(self) }

    /// The pid of the supervisor that lives now, or nil. The lock decides: a file left by a dead one does not count.
    package func runningSupervisor() -> Int32? {
        if case .process(let pid) = FileLock.holder(of: supervisorPid) { pid } else { nil }
    }
}

/// Held by the one supervisor of a run directory.
package struct SupervisorLock: ~Copyable, Sendable {
    private let run: RunDirectory
    private var lock: FileLock

    fileprivate init(_ run: RunDirectory) throws(RunDirectoryError) {
        self.run = run
        lock = try Self.take(run)
    }

    /// Looks whether the file is still there and this process's, and makes it anew when it is not.
    ///
    /// - Returns: whether that was necessary.
    /// - Throws: `alreadyRunning` when another supervisor has come into this one's place; `lockFailed`.
    package mutating func hold() throws(RunDirectoryError) -> Bool {
        do throws(FileLockError) {
            return try lock.hold()
        } catch {
            throw Self.refusal(of: run, error)
        }
    }

    private static func take(_ run: RunDirectory) throws(RunDirectoryError) -> FileLock {
        do throws(FileLockError) {
            return try FileLock(path: run.supervisorPid)
        } catch {
            throw refusal(of: run, error)
        }
    }

    private static func refusal(of run: RunDirectory, _ error: FileLockError) -> RunDirectoryError {
        guard error.isHeld else {
            return RunDirectoryError(code: .lockFailed, message: "cannot \(error.call) \(error.path): \(error.reason)")
        }
        return RunDirectoryError(
            code: .alreadyRunning,
            message: "a supervisor\(error.owner.map { " (pid \($0))" } ?? "") already runs in \(run.path); "
                + "stop it with `relux down` or choose another cluster.directory")
    }
}
