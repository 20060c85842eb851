internal import CReluxProcess
import Foundation
import Glibc

/// SIGTERM, SIGINT and SIGHUP as events on a thread of its own.
enum SupervisorSignals {
    /// Calls `received` for each signal for as long as the process lives. One watcher per process.
    ///
    /// - Throws: `SpawnError` when there are no descriptors left.
    static func watch(_ received: @escaping @Sendable (Int32) -> Void) throws(SpawnError) {
        let pipe = try ChildPipe()
        _ = fcntl(pipe.writeEnd, F_SETFL, O_NONBLOCK)
        guard relux_process_signals_to(pipe.writeEnd) == 0 else { throw SpawnError(executable: "signals", errno: errno) }
        // A peer that hangs up must not end the supervisor.
        signal(SIGPIPE, SIG_IGN)
        Thread {
            // The handler writes to the pipe for ever, so its owner never ends.
            var number: UInt8 = 0
            while true {
                if read(pipe.readEnd, &number, 1) == 1 { received(Int32(number)) }
            }
        }.start()
    }
}
