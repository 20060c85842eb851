import Glibc
import ReluxSystem

/// The file that a process's output goes to.
package enum LogPlace {
    /// Opens it for appending, and never waits: what is no file is set aside, but for a pipe that somebody reads.
    ///
    /// - Returns: the descriptor; below 0 when it cannot be had, with `errno`.
    package static func open(_ path: String) -> Int32 {
        var descriptor = append(to: path)
        if descriptor < 0, [EISDIR, ENXIO, ELOOP].contains(errno) {
            FilePlace.clear(path)
            descriptor = append(to: path)
        }
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    /// Where the output goes that has no file.
    package static let nowhere = "/dev/null"

    /// The same for a process that serves also without a log: ``nowhere`` where the file cannot be had.
    package static func openOrNowhere(_ path: String) -> Int32 {
        let descriptor = open(path)
        return descriptor >= 0 ? descriptor : Glibc.open(nowhere, O_WRONLY | O_CLOEXEC)
    }

    /// Why the file cannot be had, which was just tried; from `errno`.
    package static func trouble(_ path: String) -> String {
        "\(path) cannot be opened (\(String(cString: strerror(errno)))): what the process says is lost; let this user write there"
    }

    private static func append(to path: String) -> Int32 {
        Glibc.open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }

    /// Opens it for reading; below 0 for what is no file.
    package static func openForReading(_ path: String) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return descriptor }
        var found = stat()
        if fstat(descriptor, &found) == 0, found.st_mode & S_IFMT == S_IFREG { return descriptor }
        close(descriptor)
        return -1
    }
}
