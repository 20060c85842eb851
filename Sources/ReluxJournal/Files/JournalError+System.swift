import Glibc

extension SystemError: CustomStringConvertible {
    package var description: String { "\(call.rawValue) failed: \(String(cString: strerror(number))) (\(number))" }
}

extension JournalError {
    /// Runs calls to the system; what fails is told with the file and a remedy.
    ///
    /// - Parameter isReading: a file that is opened is only read.
    static func wrap<Result>(
        _ file: @autoclosure () -> String, isReading: Bool = false, _ body: () throws(SystemError) -> Result
    ) throws(JournalError) -> Result {
        do { return try body() } catch { throw JournalError(error, file: file(), isReading: isReading) }
    }

    init(_ error: SystemError, file: String, isReading: Bool = false) {
        let changesNothing =
            switch error.call {
            case .open: isReading
            case .read, .stat, .list: true
            default: false
            }
        let reason = "\(error)"
        switch error.number {
        case ENOTDIR where error.call == .mkdir:
            self.init(.failed, file: file, reason, remedy: "a directory belongs here: move away what lies there, and bring the directory back from a copy if there was one")
        case ENOSPC, EDQUOT, EFBIG:
            self.init(.full, file: file, reason, remedy: "free room on this disk, or lower the retention; nothing was accepted")
        case EACCES, EPERM, EROFS:
            self.init(
                .denied, file: file, reason,
                remedy: changesNothing
                    ? "give this user the right to read it (ls -ld), or ask as the user that runs the cluster"
                    : "give this user the right to write here, or choose another cluster.directory")
        case ENOENT, ENOTDIR:
            self.init(.missing, file: file, reason, remedy: "see `relux journal ls` for what is there")
        case EMFILE, ENFILE:
            self.init(.failed, file: file, reason, remedy: "raise the limit of open files (ulimit -n)")
        case EISDIR:
            self.init(
                .failed, file: file, reason,
                remedy: "a file belongs here: move the directory away, and bring the file back from a copy if there was one")
        // A socket cannot even be opened.
        case ESPIPE, ENXIO:
            self.init(
                .failed, file: file, reason,
                remedy: "it is a pipe, a socket or a device: put the file itself in its place, from a copy if it is gone")
        case ELOOP:
            self.init(
                .failed, file: file, reason,
                remedy: "it is a symbolic link, or leads in a circle: put the file or directory itself in its place, from a copy if it is gone")
        default:
            self.init(
                .failed, file: file, reason,
                remedy: "look at the disk (dmesg)" + (changesNothing ? ", and try again" : "; the module starts again from what is there"))
        }
    }

    static func damaged(_ file: String, _ position: UInt64?, _ reason: String, module: String) -> JournalError {
        JournalError(
            .damaged, file: file, position: position, reason,
            remedy: "bring the whole journal back from a copy, and what came behind the copy is named as lost at the next start; or see what a repair would lose "
                + "with `relux journal repair \(module)`")
    }
}
