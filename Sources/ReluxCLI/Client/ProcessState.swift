import Foundation

/// What the kernel says of a process (proc(5)).
enum ProcessState {
    /// Whether a signal such as SIGSTOP, or a debugger, has stopped it; false when there is no such process.
    static func isStopped(_ pid: pid_t) -> Bool {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return false }
        // The name before the state may hold anything, `)` too.
        let rest = String(decoding: data, as: UTF8.self).split(separator: ")").last
        return rest?.trimmingPrefix(" ").first.map { "Tt".contains($0) } ?? false
    }
}
