import CReluxProcess
import Foundation
import Glibc

/// Waits for the ends of processes, whoever is their parent. Blocks its thread: for use in ``offPool(_:)``.
enum ProcessEnd {
    /// Returns when the process has ended, whether it was reaped or not.
    static func wait(for pid: Int32, until deadline: ContinuousClock.Instant) throws {
        let descriptor = relux_process_descriptor(pid)
        guard descriptor >= 0 else {
            if errno == ESRCH { return }
            throw HarnessError("process \(pid) cannot be watched: \(String(cString: strerror(errno)))")
        }
        defer { close(descriptor) }
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let left = Int32(clamping: Int(ContinuousClock.now.duration(to: deadline) / .milliseconds(1)))
            let count = poll(&watched, 1, max(0, left))
            if count > 0 { return }
            guard count < 0, errno == EINTR else { throw HarnessError("gave up waiting for the end of process \(pid)") }
        }
    }

    /// Returns when none of the cluster is left, those included that were started meanwhile.
    static func ofAll(in run: String, limit: Duration = watchdog) throws {
        let deadline = ContinuousClock.now + limit
        while let process = ProcessTable.cluster(in: run).first { try wait(for: process.pid, until: deadline) }
    }
}
