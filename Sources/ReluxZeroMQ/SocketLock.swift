internal import Glibc

/// The sole right to bind an ipc path.
///
/// libzmq removes what lies at a path before it binds, so a second process would take over a live one's clients in silence.
/// The right is an advisory lock on a file beside the socket, `<path>.lock`, which holds the owner's process id. The kernel releases
/// it with the process, however that ends, so what a killed owner left behind is never in the way.
///
/// Take it before the bind and let it go after the socket is closed; it then removes both files.
package struct SocketLock: ~Copyable {
    package let socketPath: String
    package var lockPath: String { Self.lockPath(socketPath) }
    private let descriptor: Int32

    /// Takes the right to `socketPath` and removes a socket that a dead owner left there.
    ///
    /// - Throws: `EADDRINUSE` naming the owner's process id; `EEXIST` when there is a file that is not a socket;
    ///   `ENOENT` or `EACCES` when the directory is missing or closed.
    package init(socketPath: String) throws(ZeroMQError) {
        let descriptor = try Self.lock(socketPath)
        do throws(ZeroMQError) {
            try Self.writeOwner(descriptor, socketPath)
            try Self.removeStaleSocket(socketPath)
        } catch {
            unlink(Self.lockPath(socketPath))
            Glibc.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.socketPath = socketPath
    }

    deinit {
        try? Self.removeStaleSocket(socketPath)
        unlink(Self.lockPath(socketPath))
        Glibc.close(descriptor)
    }

    /// Gives the path up and removes the socket's file and the lock's.
    package consuming func release() {}

    /// Whether a process has the right to that path now.
    package static func isHeld(_ socketPath: String) -> Bool {
        let descriptor = open(lockPath(socketPath), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return false }
        defer { Glibc.close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    private static func lockPath(_ socketPath: String) -> String { socketPath + ".lock" }

    private static func lock(_ socketPath: String) throws(ZeroMQError) -> Int32 {
        let path = lockPath(socketPath)
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else { throw .of(errno, "lock", path) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                let owner = owner(descriptor)
                Glibc.close(descriptor)
                if code == EINTR { continue }
                throw code == EWOULDBLOCK ? inUse(socketPath, owner) : .of(code, "lock", path)
            }
            // The former owner may have removed the file between open and lock: then the lock is on a file that nobody else sees.
            if isFile(descriptor, at: path) { return descriptor }
            Glibc.close(descriptor)
        }
    }

    private static func inUse(_ socketPath: String, _ owner: String?) -> ZeroMQError {
        ZeroMQError(
            code: EADDRINUSE, operation: "lock",
            message: """
                \(socketPath) is in use by process \(owner ?? "of unknown id"); \
                end that process or give this one another path
                """)
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, stat(path, &named) == 0 else { return false }
        return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }

    private static func writeOwner(_ descriptor: Int32, _ socketPath: String) throws(ZeroMQError) {
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else {
            throw .of(errno, "lock", lockPath(socketPath))
        }
    }

    /// The process id in the file; nil in the moment between an owner's lock and its writing.
    private static func owner(_ descriptor: Int32) -> String? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)).map(String.init)
    }

    private static func removeStaleSocket(_ path: String) throws(ZeroMQError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ZeroMQError(
                code: EEXIST, operation: "lock", message: "\(path) is not a socket; move that file away or choose another path")
        }
        guard unlink(path) == 0 || errno == ENOENT else { throw .of(errno, "remove", path) }
    }
}
