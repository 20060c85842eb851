import Foundation
import ReluxControl
import ReluxWire

/// The kernel's word on a process (proc(5)).
enum ProcessState {
    /// Whether a signal such as SIGSTOP, or a debugger, has stopped it; false when there is no such process.
    static func isStopped(_ pid: pid_t) -> Bool {
        guard let data = FileManager.default.contents(atPath: "/proc/\(pid)/stat") else { return false }
        // The name before the state may hold anything, `)` too.
        let rest = String(decoding: data, as: UTF8.self).split(separator: ")").last
        return rest?.trimmingPrefix(" ").first.map { "Tt".contains($0) } ?? false
    }

    /// That the cluster's supervisor or broker was stopped, with the way on; nil when both go on.
    static func stopped(_ run: RunDirectory) -> CLIError? {
        let processes = ClusterProcesses.find(run).filter { [.supervisor, .broker].contains($0.role) && isStopped($0.pid) }
        guard let first = processes.first else { return nil }
        let names = processes.map { $0.role == .broker ? "the broker, process \($0.pid)" : "supervisor \($0.pid)" }.joined(separator: ", and ")
        let what = first.role == .broker ? "nobody answers" : "nothing is started, ended or started again"
        return CLIError(
            .timeout, "cluster.stopped", "\(names) was stopped by a signal: \(what) until it goes on",
            hint: "let it go on: kill -CONT \(processes.map { "\($0.pid)" }.joined(separator: " "))")
    }
}

extension ClusterStatus {
    /// With the processes that have ended and whose end a stopped supervisor keeps to itself: the broker takes their modules for ready.
    var knowingEnds: ClusterStatus {
        guard supervisorPid > 0, ProcessState.isStopped(supervisorPid) else { return self }
        var status = self
        for (index, module) in modules.enumerated() where module.pid > 0 && ProcessFiles.facts(of: module.pid) == nil {
            let why = "its process \(module.pid) is gone, and supervisor \(supervisorPid), which was stopped by a signal, has not said so"
            status.modules[index].state = ModuleState(.stopped, why: why)
        }
        return status
    }
}
