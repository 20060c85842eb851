import Glibc
import ReluxControl
import ReluxSystem

/// A child's output: one file that the child itself appends to, with one older one beside it (`.1`).
///
/// The child holds the descriptor, so its lines survive the supervisor. The size is looked at when a child starts and,
/// for those that live long, from time to time by ``trim(_:limit:)``.
enum HostLog {
    static let sizeLimit: Int64 = 8 << 20

    /// Opens the log for a new child; a log that has reached the limit becomes the older one first. A child whose log cannot be had serves without, and
    /// says so.
    ///
    /// - Throws: the errno and the path of the log.
    static func open(_ path: String, limit: Int64 = sizeLimit) throws(SpawnError) -> Int32 {
        var found = stat()
        if stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG, Int64(found.st_size) >= limit {
            FilePlace.clear(path + ".1")
            rename(path, path + ".1")
        }
        let descriptor = LogPlace.openOrNowhere(path)
        guard descriptor >= 0 else { throw SpawnError(executable: path, errno: errno) }
        // The standard descriptors and the lifeline's number are the child's, see CReluxProcess.
        guard descriptor <= 3 else { return descriptor }
        let higher = fcntl(descriptor, F_DUPFD_CLOEXEC, 4)
        let failure = errno
        close(descriptor)
        guard higher >= 0 else { throw SpawnError(executable: path, errno: failure) }
        return higher
    }

    /// Where a child that is started now will begin to write.
    static func end(of path: String, limit: Int64 = sizeLimit) -> Int64 {
        var found = stat()
        guard stat(path, &found) == 0, Int64(found.st_size) < limit else { return 0 }
        return Int64(found.st_size)
    }

    /// The words of a process that stopped itself: the last `Fatal error`, failed precondition or assertion with the lines that belong
    /// to it, nil when there is none.
    ///
    /// - Parameter begin: where the process began to write; of what follows, the last 64 KiB are looked at.
    static func lastWords(in path: String, from begin: Int64) -> String? { tail(of: path, from: begin).flatMap(LastWords.find) }

    /// Why a process ended that was not stopped from outside, on one line: its last words, else what it gave as the reason; nil when it said
    /// nothing.
    static func reason(in path: String, from begin: Int64) -> String? {
        guard let text = tail(of: path, from: begin) else { return nil }
        return LastWords.find(in: text)?.split(separator: "\n").first.map(String.init) ?? LastWords.reason(in: text)
    }

    private static func tail(of path: String, from begin: Int64) -> String? {
        let descriptor = LogPlace.openForReading(path)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var found = stat()
        guard fstat(descriptor, &found) == 0 else { return nil }
        let size = Int64(found.st_size)
        // A log that was emptied meanwhile begins anew.
        let start = max(begin <= size ? begin : 0, size - (1 << 16))
        var bytes = [UInt8](repeating: 0, count: Int(size - start))
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    /// Copies a log that has reached the limit to the older one and empties it under its writer, which appends.
    ///
    /// Lines written between the last copied byte and the emptying are lost: the log is for people, nothing depends on
    /// it. A copy that fails leaves the log as it is.
    static func trim(_ path: String, limit: Int64 = sizeLimit) {
        var found = stat()
        guard stat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG, Int64(found.st_size) >= limit else { return }
        let source = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard source >= 0 else { return }
        defer { close(source) }
        FilePlace.clear(path + ".1")
        let target = Glibc.open(path + ".1", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard target >= 0 else { return }
        defer { close(target) }
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
            while true {
                let count = read(source, buffer.baseAddress, buffer.count)
                if count == 0 { break }
                guard count > 0, write(target, buffer.baseAddress, count) == count else { return }
            }
            ftruncate(source, 0)
        }
    }
}
