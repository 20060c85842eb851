import Glibc
import ReluxControl
import ReluxZeroMQ

/// Processes that run already of the cluster that is to be started. Two supervisors of one run directory would fight for it.
struct Predecessors {
    let run: RunDirectory
    let session: CommandSession
    /// Whether what is on its way down is waited for.
    let isPatient: Bool

    private static let pollMicroseconds: UInt32 = 50_000
    private static let patience: Duration = .seconds(30)

    /// The supervisor that runs, which is not to be doubled; nil when nothing is left of any.
    ///
    /// A supervisor whose files were taken away makes them anew or ends, one that was asked to end does, and what has lost its supervisor ends: all are
    /// waited for.
    /// - Throws: `cluster.remains` with the processes that neither end nor have a supervisor.
    func supervisor() throws(CLIError) -> Int32? {
        let clock = ContinuousClock()
        let end = clock.now + session.timeout(Self.patience)
        var isSaid = false
        var (running, ending): (Int32?, Int32?)
        while true {
            if let pid = run.runningSupervisor() {
                if run.isEnding { ending = pid }
                guard isPatient, clock.now < end else { return pid }
                guard pid == ending else {
                    // Its note that it ends goes a moment before it does.
                    if pid == running { return pid }
                    running = pid
                    usleep(Self.pollMicroseconds)
                    continue
                }
                if !isSaid { session.say("waiting for the cluster in \(run.path) to end: supervisor \(pid)") }
                isSaid = true
                usleep(Self.pollMicroseconds)
                continue
            }
            let left = ClusterProcesses.find(run).filter { if case .interface = $0.role { false } else { true } }
            let isHeld = SocketLock.isHeld(run.brokerSocket)
            if left.isEmpty, !isHeld { return nil }
            let who = left.isEmpty ? "a process that cannot be seen from here holds \(run.brokerSocket)" : ClusterProcesses.list(left)
            guard isPatient, clock.now < end else {
                throw CLIError(
                    .failed, "cluster.remains", "a cluster runs in \(run.path) without a supervisor that could be found: \(who)",
                    hint: "relux down ends it; relux doctor compares its processes with its files")
            }
            if !isSaid { session.say("waiting for what still runs in \(run.path): \(who)") }
            isSaid = true
            usleep(Self.pollMicroseconds)
        }
    }
}
