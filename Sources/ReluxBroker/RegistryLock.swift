import Glibc

/// The sole right to write a cluster's registry: a lock on `<registry>.lock`, which holds the owner's process id.
///
/// The right to the broker's socket is not enough: of a long run directory the socket lies elsewhere, under a name made of the
/// directory's spelling, and one directory may be spelled in many ways. The kernel releases the lock with its process, however that
/// ends; the file stays.
package struct RegistryLock: ~Copyable {
    private let descriptor: Int32

    /// - Throws: `locked` with the owner's process id, `unwritable`.
    package init(of file: RegistryFile) throws(RegistryFileError) {
        let path = file.path + ".lock"
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw Self.failed("open", path) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let error = errno == EWOULDBLOCK ? Self.locked(file.path, by: Self.owner(descriptor)) : Self.failed("lock", path)
            close(descriptor)
            throw error
        }
        // Only to be named by whoever finds it locked; a full disk is no reason not to start.
        let text = Array("\(getpid())\n".utf8)
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Gives the right back.
    package consuming func release() {}

    private static func owner(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        return Int32(String(decoding: text.prefix(max(0, count)).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    private static func locked(_ path: String, by owner: Int32?) -> RegistryFileError {
        RegistryFileError(
            .locked,
            "\(path): process \(owner.map(String.init) ?? "of unknown id") writes it, the broker of another spelling of this run"
                + " directory. End that process, or give this broker a run directory of its own")
    }

    private static func failed(_ call: String, _ path: String) -> RegistryFileError {
        let reason = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return RegistryFileError(
            .unwritable, "\(path): \(call) failed: \(reason). Give the broker's user the right to write its directory")
    }
}
