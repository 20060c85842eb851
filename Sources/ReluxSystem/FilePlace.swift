import Glibc

/// The place of a file that the cluster makes by itself: somebody may have put there what is no file. Links are not followed.
package enum FilePlace {
    package static let link = "a symbolic link"
    private static let device = "a device"

    package static func isTaken(_ path: String) -> Bool { kind(path) != nil }
    package static func isPipe(_ path: String) -> Bool { kind(path) == S_IFIFO }

    private static func kind(_ path: String) -> mode_t? {
        var found = stat()
        return lstat(path, &found) == 0 ? found.st_mode & S_IFMT : nil
    }

    /// The kind of thing there: `a directory`, `a symbolic link`, `a pipe`, `a socket`, `a device`. Nil of a file, and where nothing lies.
    package static func stranger(_ path: String) -> String? {
        guard let kind = kind(path) else { return nil }
        return switch kind {
        case S_IFREG: nil
        case S_IFDIR: "a directory"
        case S_IFLNK: link
        case S_IFIFO: "a pipe"
        case S_IFSOCK: "a socket"
        default: device
        }
    }

    /// Sets aside what lies there and is no file: nobody of the cluster has put it there, and the cluster can go on without it. A device stays: it is
    /// the system's, as `/dev/null` is where logs are wanted nowhere.
    ///
    /// - Returns: a line for a log when something lay there.
    @discardableResult package static func clear(_ path: String) -> String? {
        guard let stranger = stranger(path), stranger != device else { return nil }
        guard let aside = FreeName.aside(path) else { return "\(stranger) lies in the place of the file \(path), and so do a thousand others; delete them" }
        guard rename(path, aside) == 0 else {
            return "\(stranger) lies in the place of the file \(path) and cannot be moved (\(String(cString: strerror(errno)))); move it away"
        }
        return "\(stranger) lay in the place of the file \(path), and is \(aside) now"
    }
}
