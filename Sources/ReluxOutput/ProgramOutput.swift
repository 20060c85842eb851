import Glibc
import Synchronization

/// The output of a program: data on standard output, talk on standard error. A write that fails is a failure of the program.
///
/// Data that cannot be written ends the program at once. Where its reader has gone it ends quietly with ``readerGone``, as SIGPIPE would end it,
/// also when that signal is ignored (by a service manager, a CI runner, a shell's trap); for any other reason with ``unwritten`` and a line on
/// standard error. Talk that cannot be written keeps no data back: the program goes on, and ``status(_:)`` ends it with ``unwritten`` if it would
/// have ended well.
package final class ProgramOutput: Sendable {
    /// The exit status of a program that could not write (sysexits' EX_IOERR).
    package static let unwritten: Int32 = EX_IOERR
    /// The exit status of a program whose reader has gone: 128 and SIGPIPE's number.
    package static let readerGone: Int32 = 128 + SIGPIPE

    private let name: String
    private let hasLostTalk = Mutex(false)

    /// - Parameter name: the program's, for its last line.
    package init(_ name: String) { self.name = name }

    /// A text and a line feed, unless it ends with one.
    package func data(_ text: String) {
        let failure = attempt(text)
        if failure != 0 { exit(failure) }
    }

    /// The same for a program that has something to end before itself.
    ///
    /// - Returns: what it has to end with; 0 when all is written.
    package func attempt(_ text: String) -> Int32 { refused(Descriptor.write(Self.line(text), to: STDOUT_FILENO)) }

    package func talk(_ text: String) {
        switch Descriptor.write(Self.line(text), to: STDERR_FILENO) {
        case 0: return
        case EPIPE: exit(Self.readerGone)
        default: hasLostTalk.withLock { $0 = true }
        }
    }

    /// Closes standard output and returns the status that the program ends with: some file systems say only then that there was no room.
    package func status(_ status: Int32) -> Int32 {
        // A descriptor that was closed from the start had nothing to lose.
        let refusal = close(STDOUT_FILENO) == 0 || errno == EBADF || errno == EINTR ? 0 : errno
        let failure = refused(refusal)
        if failure != 0 { return failure }
        return status == 0 && hasLostTalk.withLock { $0 } ? Self.unwritten : status
    }

    /// The status that belongs to an error's number, which is told to people.
    private func refused(_ number: Int32) -> Int32 {
        switch number {
        case 0: return 0
        case EPIPE: return Self.readerGone
        default:
            talk("\(name): standard output cannot be written: \(String(cString: strerror(number)))")
            return Self.unwritten
        }
    }

    private static func line(_ text: String) -> [UInt8] { Array((text.utf8.last == UInt8(ascii: "\n") ? text : text + "\n").utf8) }
}
