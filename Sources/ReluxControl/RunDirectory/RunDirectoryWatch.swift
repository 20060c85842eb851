import Glibc
import ReluxSystem

/// The watch that a process of the cluster keeps in the run directory while it lives: over the directory itself, its parts, the process's log.
///
/// `git clean` or an eager script may take them away. A part is made anew; without the directory nothing that was accepted is there any
/// more, and the process ends in order. A log that was deleted, or that somebody else has rotated, is opened again.
package struct RunDirectoryWatch: Sendable {
    /// How often processes look.
    package static let interval = Duration.seconds(1)

    private let run: RunDirectory
    private let anchor: Anchor
    private let log: String
    /// The identity of standard error while that is the log, or ``LogPlace/nowhere``; nil when it is somebody else's.
    private var logged: FileIdentity?

    /// Call it when the directory has been made.
    ///
    /// - Parameter process: the process's name among the logs.
    package init(_ run: RunDirectory, process: String) {
        self.run = run
        anchor = Anchor(run.path)
        log = run.log(of: process)
        let error = FileIdentity(descriptor: STDERR_FILENO)
        logged = error == FileIdentity(path: log) || error == FileIdentity(path: LogPlace.nowhere) ? error : nil
    }

    /// Makes anew what is missing.
    ///
    /// - Returns: what cannot be made anew, and why, a line each.
    /// - Throws: `lost` when the directory itself is gone or another one; else as ``RunDirectory/provide()``.
    @discardableResult package mutating func look() throws(RunDirectoryError) -> [String] {
        guard FileIdentity(path: run.path) == anchor.identity else {
            throw RunDirectoryError(
                code: .lost,
                message: "the run directory \(run.path) was removed, and with it what the cluster had accepted; "
                    + "this process ends, and `relux up` begins anew")
        }
        return try run.provide() + openLogAgain()
    }

    /// - Returns: why the log cannot be had.
    private mutating func openLogAgain() -> [String] {
        guard let before = logged, FileIdentity(path: log) != before else { return [] }
        let descriptor = LogPlace.open(log)
        guard descriptor > STDERR_FILENO else { return [LogPlace.trouble(log)] }
        if FileIdentity(descriptor: STDOUT_FILENO) == before { dup2(descriptor, STDOUT_FILENO) }
        dup2(descriptor, STDERR_FILENO)
        logged = FileIdentity(descriptor: descriptor)
        close(descriptor)
        return []
    }

    /// Keeps the directory open: as long as it is, no other one can get its number.
    private final class Anchor: Sendable {
        private let descriptor: Int32
        let identity: FileIdentity?

        init(_ path: String) {
            descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            identity = FileIdentity(descriptor: descriptor)
        }

        deinit { close(descriptor) }
    }
}
