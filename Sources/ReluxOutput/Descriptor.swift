internal import CReluxStandard
import Glibc

/// Writing to descriptors that somebody else has opened.
package enum Descriptor {
    /// Those of the three standard ones that were closed when this program began; nothing else has got their numbers.
    package static var closedAtStart: [Int32] { (STDIN_FILENO...STDERR_FILENO).filter { relux_standard_was_closed($0) != 0 } }

    /// Writes all the bytes, unbuffered, so that a reader sees each line at once.
    ///
    /// A short write goes on, and one that would block waits: a pipe that somebody has made non-blocking is still a pipe.
    /// - Returns: 0, or the error's number; EPIPE also where SIGPIPE is ignored. What was written before it stays written.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                start += count
                continue
            }
            let number = count == 0 ? EIO : errno
            switch number {
            case EINTR: continue
            case EAGAIN:
                var waited = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                guard poll(&waited, 1, -1) >= 0 || errno == EINTR else { return errno }
            default: return number
            }
        }
        return 0
    }

    /// Whether the other end of a pipe or a socket is closed.
    package static func hasLostReader(_ descriptor: Int32) -> Bool {
        var asked = pollfd(fd: descriptor, events: 0, revents: 0)
        return poll(&asked, 1, 0) > 0 && asked.revents & Int16(POLLERR | POLLHUP) != 0
    }
}
