internal import Glibc
import ReluxSystem

/// The sole right to bind an ipc path.
///
/// libzmq removes what lies at a path before it binds, so a second process would take over a live one's clients in silence.
/// The right is a ``FileLock`` on a file beside the socket, `<path>.lock`; what a killed owner left behind is never in the way.
///
/// Take it before the bind and let it go after the socket is closed; it then removes both files.
package struct SocketLock: ~Copyable, Sendable {
    package let socketPath: String
    package var lockPath: String { Self.lockPath(socketPath) }
    private var lock: FileLock

    /// Takes the right to `socketPath`, removes a socket that a dead owner left there and sets aside what is none.
    ///
    /// - Throws: `EADDRINUSE` naming the owner's process id;
    ///   `ENOENT` or `EACCES` when the directory is missing or closed. Nothing of the owner's is touched then.
    package init(socketPath: String) throws(ZeroMQError) {
        let lock = try Self.take(socketPath)
        try Self.clear(socketPath)
        self.lock = lock
        self.socketPath = socketPath
    }

    deinit { if lock.isInPlace, Self.isSocket(socketPath) == true { unlink(socketPath) } }

    /// Looks whether the right is still this process's, and takes it anew when its file is gone or another one.
    ///
    /// - Returns: whether that was necessary.
    /// - Throws: `EADDRINUSE` when another process has come into its place: whoever has lost the path leaves.
    package mutating func hold() throws(ZeroMQError) -> Bool {
        do throws(FileLockError) {
            return try lock.hold()
        } catch {
            throw Self.refusal(of: socketPath, error)
        }
    }

    /// Gives the path up and removes the socket's file and the lock's.
    package consuming func release() {}

    /// Whether a process has the right to that path now.
    package static func isHeld(_ socketPath: String) -> Bool { FileLock.holder(of: lockPath(socketPath)) != .nobody }

    private static func take(_ socketPath: String) throws(ZeroMQError) -> FileLock {
        do throws(FileLockError) {
            return try FileLock(path: lockPath(socketPath), removesFile: true)
        } catch {
            throw refusal(of: socketPath, error)
        }
    }

    private static func lockPath(_ socketPath: String) -> String { socketPath + ".lock" }

    private static func refusal(of socketPath: String, _ error: FileLockError) -> ZeroMQError {
        guard error.isHeld else { return .of(error.code, error.call, error.path) }
        return ZeroMQError(
            code: EADDRINUSE, operation: "lock",
            message: """
                \(socketPath) is in use by process \(error.owner.map(String.init) ?? "of unknown id"); \
                end that process or give this one another path
                """)
    }

    /// Makes room for a socket at the path. What is none is kept under another name: nobody of the cluster has put it there.
    static func clear(_ path: String) throws(ZeroMQError) {
        switch isSocket(path) {
        case nil: break
        case true?: guard unlink(path) == 0 || errno == ENOENT else { throw .of(errno, "remove", path) }
        case false?: guard rename(path, FreeName.aside(path) ?? "\(path).replaced") == 0 || errno == ENOENT else { throw .of(errno, "set aside", path) }
        }
    }

    /// Nil where nothing is.
    private static func isSocket(_ path: String) -> Bool? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFSOCK
    }
}
