import CReluxProcess
import Glibc
import ReluxControl

/// The lifeline of a process that takes part in a cluster without being its supervisor's child: it is told of that process's end all the same.
enum SupervisorWatch {
    /// A descriptor that becomes readable when the supervisor of the run directory has ended; nil when none runs, or it cannot be watched.
    static func descriptor(of run: RunDirectory) -> Int32? {
        guard let pid = run.runningSupervisor() else { return nil }
        let descriptor = relux_process_descriptor(pid)
        guard descriptor >= 0 else { return nil }
        // Had it ended before, its number could be a stranger's by now.
        guard run.runningSupervisor() == pid else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
