import Foundation
import Glibc

/// Tells that something in some directories was made, moved, deleted or written. Blocks its thread: for use in ``offPool(_:)``.
final class DirectoryWatch {
    private let descriptor: Int32

    /// - Throws: a directory that is not there.
    init(_ paths: [String]) throws {
        descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { throw HarnessError("no inotify: \(String(cString: strerror(errno)))") }
        let events = UInt32(IN_CREATE | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE)
        for path in paths where inotify_add_watch(descriptor, path, events) < 0 {
            let problem = String(cString: strerror(errno))
            close(descriptor)
            throw HarnessError("\(path) cannot be watched: \(problem)")
        }
    }

    deinit { close(descriptor) }

    /// Returns when something has happened since the last call, or when the limit is over.
    func wait(limit: Duration) {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&watched, 1, Int32(clamping: Int(limit / .milliseconds(1)) + 1))
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while Glibc.read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
