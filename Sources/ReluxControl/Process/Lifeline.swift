import Glibc

/// The child's end of the pipe that tells it that its supervisor has died, however it died.
///
/// The supervisor holds the only writing end and never writes; the reading end is inherited under the number in
/// `RELUX_LIFELINE_FD`. End of file therefore means one thing: no supervisor is left, and this process must drain and
/// end. It is a pipe and not `PR_SET_PDEATHSIG`, which fires when the *thread* that forked ends.
package enum Lifeline {
    /// The environment's key for the descriptor's number.
    package static let environmentKey = "RELUX_LIFELINE_FD"

    /// The inherited descriptor, or nil if this process was not started by a supervisor (or the number is not open).
    package static func inherited() -> Int32? {
        guard let text = getenv(environmentKey), let descriptor = Int32(String(cString: text)),
            descriptor > 2, fcntl(descriptor, F_GETFD) >= 0
        else { return nil }
        return descriptor
    }

    /// Starts a thread of its own that waits for the end of `descriptor` and calls `ended` once.
    ///
    /// Call it once, before other threads; the descriptor becomes the watcher's and is not passed on to children.
    /// `ended` runs on the watcher's thread: it asks for the drain and returns. A process that is still there
    /// `graceSeconds` later ends at once with status 69, so that not even a stuck main thread leaves an orphan.
    /// Without a thread to spare the process would be unguarded: the result is false and the caller should end.
    ///
    /// - Parameter isProcess: the descriptor is no pipe but a process, and that one's end is meant.
    package static func watch(
        _ descriptor: Int32, isProcess: Bool = false, graceSeconds: UInt32 = 7, ended: @escaping @Sendable () -> Void
    ) -> Bool {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let watcher = Unmanaged.passRetained(
            Watcher(descriptor: descriptor, isProcess: isProcess, grace: graceSeconds, ended: ended))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let failure = pthread_create(&thread, &attributes, { raw in
            Unmanaged<Watcher>.fromOpaque(raw!).takeRetainedValue().run()
            return nil
        }, watcher.toOpaque())
        if failure != 0 { watcher.release() }
        return failure == 0
    }

    private final class Watcher: Sendable {
        let descriptor: Int32
        let isProcess: Bool
        let grace: UInt32
        let ended: @Sendable () -> Void

        init(descriptor: Int32, isProcess: Bool, grace: UInt32, ended: @escaping @Sendable () -> Void) {
            self.descriptor = descriptor
            self.isProcess = isProcess
            self.grace = grace
            self.ended = ended
        }

        func run() {
            // Signals belong to the process's other threads; an interrupted read is simply repeated.
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_BLOCK, &all, nil)
            if isProcess { waitForProcess() } else { waitForEndOfFile() }
            ended()
            var left = grace
            while left > 0 { left = sleep(left) }
            _exit(unavailableStatus)
        }

        private func waitForEndOfFile() {
            var byte: UInt8 = 0
            while true {
                let count = read(descriptor, &byte, 1)
                guard count > 0 || (count < 0 && errno == EINTR) else { return }
            }
        }

        private func waitForProcess() {
            var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            while poll(&watched, 1, -1) < 0, errno == EINTR {}
        }
    }
}

/// sysexits' `EX_UNAVAILABLE`: the supervisor is gone.
private let unavailableStatus: Int32 = 69
