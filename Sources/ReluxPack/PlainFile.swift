package import Foundation
import Glibc

/// Files that the platform reads and somebody may have replaced by something else.
package enum PlainFile {
    /// The bytes of a regular file; nil for all else, see ``FileReason/unread(_:)``. It never waits, as it would for a pipe that nobody writes.
    package static func contents(_ path: String) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return try? handle.readToEnd() ?? Data()
    }
}
