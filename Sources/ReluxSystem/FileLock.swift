internal import Glibc

/// A lock that cannot be had: another process holds it, or the system refused a call.
package struct FileLockError: Error, Sendable, Equatable {
    package let path: String
    /// The call that failed; `lock` with `EWOULDBLOCK` when another process holds it.
    package let call: String
    package let code: Int32
    /// The holder's process id, as far as its file says.
    package var owner: Int32?

    package var isHeld: Bool { code == EWOULDBLOCK }
    package var reason: String { String(cString: strerror(code)) }
}

/// The proof that one process alone does something: an advisory lock on a file, which holds the owner's process id.
///
/// A name proves nothing: whoever deletes the file, and whatever makes another one, leaves the owner with a lock that nobody else
/// sees. So the file is looked at again, when it is locked and by ``hold()`` from then on. The kernel releases the lock with its
/// process, however that ends.
package struct FileLock: ~Copyable, Sendable {
    package let path: String
    private var descriptor: Int32
    private let removesFile: Bool

    /// A process that asks whether the lock is held has it for a moment.
    private static let patience = (tries: 40, microseconds: UInt32(5000))

    /// - Parameter removesFile: the file goes with the lock; else it stays for the next owner.
    /// - Throws: `isHeld` with the owner; otherwise the call that failed.
    package init(path: String, removesFile: Bool = false) throws(FileLockError) {
        descriptor = try Self.take(path)
        self.path = path
        self.removesFile = removesFile
    }

    deinit {
        if removesFile, isInPlace { unlink(path) }
        // Closing alone would leave the lock to a child that is just between fork and exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Whether the path still names the file that is locked.
    package var isInPlace: Bool { FileIdentity(descriptor: descriptor) == FileIdentity(path: path) }

    /// Looks at the file again, and makes and locks it anew when it is gone or another one; puts this process's id back.
    ///
    /// - Returns: whether that was necessary.
    /// - Throws: `isHeld` when another process has come into its place, which is the one now; otherwise the call that failed.
    package mutating func hold() throws(FileLockError) -> Bool {
        if isInPlace {
            // Somebody may have written another number into it: an older copy, say.
            guard Self.written(descriptor) != getpid() else { return false }
            return try Self.writeOwner(descriptor, path)
        }
        let fresh = try Self.take(path)
        flock(descriptor, LOCK_UN)
        close(descriptor)
        descriptor = fresh
        return true
    }

    /// The process that holds the lock at a path.
    package enum Holder: Sendable, Equatable {
        case nobody
        /// Nil in the moment between the owner's lock and its writing, and where the disk has no room for that.
        case process(Int32?)
    }

    /// Asks without taking the lock.
    package static func holder(of path: String) -> Holder {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return .nobody }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return .nobody }
        return .process(owner(descriptor))
    }

    private static func take(_ path: String) throws(FileLockError) -> Int32 {
        var tries = patience.tries
        while true {
            // No process can hold a lock by what is no file.
            FilePlace.clear(path)
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
            guard descriptor >= 0 else { throw FileLockError(path: path, call: "open", code: errno) }
            var found = stat()
            guard fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
                close(descriptor)
                throw FileLockError(path: path, call: "open", code: EINVAL)
            }
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
                let (code, owner) = (errno, owner(descriptor))
                close(descriptor)
                if code == EINTR { continue }
                guard code == EWOULDBLOCK, tries > 0 else { throw FileLockError(path: path, call: "lock", code: code, owner: owner) }
                tries -= 1
                usleep(patience.microseconds)
                continue
            }
            // Removed between open and lock: then this is a file that nobody else sees.
            guard FileIdentity(descriptor: descriptor) == FileIdentity(path: path) else {
                close(descriptor)
                continue
            }
            do throws(FileLockError) {
                _ = try writeOwner(descriptor, path)
            } catch {
                close(descriptor)
                throw error
            }
            return descriptor
        }
    }

    /// - Returns: false when the disk has no room: the lock holds without the number, which the kernel knows too.
    private static func writeOwner(_ descriptor: Int32, _ path: String) throws(FileLockError) -> Bool {
        let text = Array("\(getpid())\n".utf8)
        // Written first: what the file has of the disk is kept.
        let count = pwrite(descriptor, text, text.count, 0)
        if count == text.count, ftruncate(descriptor, off_t(count)) == 0 { return true }
        guard count >= 0 && count < text.count || [ENOSPC, EDQUOT].contains(errno) else { throw FileLockError(path: path, call: "write", code: errno) }
        return false
    }

    /// The process that holds the lock, as the kernel says, else as the file says, which anybody may have written.
    private static func owner(_ descriptor: Int32) -> Int32? {
        let written = written(descriptor)
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { return written }
        let holders = KernelLocks.holders(ofFile: UInt64(found.st_ino))
        if holders.isEmpty || written.map(holders.contains) == true { return written }
        return holders.count == 1 ? holders[0] : nil
    }

    private static func written(_ descriptor: Int32) -> Int32? {
        var text = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &text, text.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: text.prefix(count).prefix { $0 >= 48 && $0 <= 57 }, as: UTF8.self))
    }
}
