import Glibc

/// A run directory that cannot be used, with the remedy in its message.
package struct RunDirectoryError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Int, Sendable {
        case notMade = 1
        case foreignOwner = 2
        case notADirectory = 3
        case alreadyRunning = 4
        case lockFailed = 5
    }
    package let code: Code
    package let message: String
    package var description: String { message }
}

extension RunDirectory {
    /// Makes the directory with its parts, or checks that what is there belongs to this user and closes it to others.
    ///
    /// - Throws: `notMade` (no permission, no room: another `cluster.directory` helps), `foreignOwner` or
    ///   `notADirectory` (somebody else owns the name: never used).
    package func create() throws(RunDirectoryError) {
        try Self.claim(path, parents: true)
        for part in [logs, crashes, state, journals] { try Self.claim(part) }
        try Self.claim(sockets)
    }

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
                    + "choose another cluster.directory")
        }
        guard found.st_mode & S_IFMT == S_IFDIR else {
            throw RunDirectoryError(
                code: .notADirectory, message: "\(path) is not a directory (links are not followed); move it away")
        }
        guard found.st_uid == geteuid() else {
            throw RunDirectoryError(
                code: .foreignOwner,
                message: "\(path) belongs to user \(found.st_uid), not to \(geteuid()); choose another cluster.directory")
        }
        guard found.st_mode & 0o077 == 0 || chmod(path, 0o700) == 0 else {
            throw RunDirectoryError(
                code: .notMade, message: "cannot close \(path) to other users: \(String(cString: strerror(errno)))")
        }
    }

    /// Takes the node's supervisor lock and writes this process's id; the lock ends with the value, or the process.
    ///
    /// - Throws: `alreadyRunning` with the other's pid; `lockFailed`.
    package func lockSupervisor() throws(RunDirectoryError) -> SupervisorLock {
        let descriptor = open(supervisorPid, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw RunDirectoryError(
                code: .lockFailed, message: "cannot open \(supervisorPid): \(String(cString: strerror(errno)))")
        }
        guard Self.lockPatiently(descriptor) else {
            let failure = errno
            let other = Self.readPid(descriptor)
            close(descriptor)
            guard failure == EWOULDBLOCK else {
                throw RunDirectoryError(
                    code: .lockFailed, message: "cannot lock \(supervisorPid): \(String(cString: strerror(failure)))")
            }
            throw RunDirectoryError(
                code: .alreadyRunning,
                message: "a supervisor\(other.map { " (pid \($0))" } ?? "") already runs in \(path); "
                    + "stop it with `relux down` or choose another cluster.directory")
        }
        let text = "\(getpid())\n"
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.utf8.count, 0) == text.utf8.count else {
            let failure = errno
            close(descriptor)
            throw RunDirectoryError(
                code: .lockFailed, message: "cannot write \(supervisorPid): \(String(cString: strerror(failure)))")
        }
        return SupervisorLock(descriptor: descriptor)
    }

    /// Who only asks whether a supervisor runs has the lock for a moment.
    private static func lockPatiently(_ descriptor: Int32) -> Bool {
        for _ in 0..<40 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            guard errno == EWOULDBLOCK || errno == EINTR else { return false }
            usleep(5000)
        }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }

    /// The pid of the supervisor that lives now, or nil. The lock decides: a file left by a dead one does not count.
    package func runningSupervisor() -> Int32? {
        let descriptor = open(supervisorPid, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
        return Self.readPid(descriptor)
    }

    private static func readPid(_ descriptor: Int32) -> Int32? {
        withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { buffer in
            let count = pread(descriptor, buffer.baseAddress, 16, 0)
            guard count > 0 else { return nil }
            let digits = buffer.prefix(count).prefix { $0 >= 48 && $0 <= 57 }
            return Int32(String(decoding: digits, as: UTF8.self))
        }
    }
}

/// Held by the one supervisor of a run directory.
package struct SupervisorLock: ~Copyable, Sendable {
    private let descriptor: Int32

    fileprivate init(descriptor: Int32) { self.descriptor = descriptor }

    deinit {
        // Closing alone would leave the lock to a child that is just between fork and exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
