import ArgumentParser
import Foundation
import ReluxControl
import ReluxWire

struct DownCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "down", abstract: "Drains and stops the cluster, and waits until its processes are gone.")
    static let examples = ["relux down", "relux down --timeout 1m --dry-run"]

    private static let pollMicroseconds: UInt32 = 20_000

    @Flag(help: "Say what would be stopped.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let run = try session.location().run
        // By the processes themselves: the files that they have left may be gone.
        let processes = ClusterProcesses.find(run)
        guard !processes.isEmpty || run.runningSupervisor() != nil else {
            session.say("no cluster runs in \(run.path)")
            return .ok
        }
        if dryRun {
            session.printLines(processes.map { "stop      pid \($0.pid)" }, .plan)
            return .ok
        }
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + session.timeout(.seconds(60))
        var seen = Set(processes)
        var asked: Set<ProcessIdentity> = []
        var left = processes
        while true {
            try ask(left, &asked)
            repeat { usleep(Self.pollMicroseconds) } while left.contains(where: \.identity.isAlive) && clock.now < end && asked.isSuperset(of: firsts(left))
            // The search includes processes that were started meanwhile.
            left = ClusterProcesses.find(run)
            seen.formUnion(left)
            if left.isEmpty, run.runningSupervisor() == nil { break }
            guard clock.now < end else {
                throw CLIError(
                    .timeout, "cluster.notDown", "these processes still run: \(ClusterProcesses.list(left))",
                    hint: "look into `relux logs supervisor`")
            }
        }
        let stopped = seen.count
        let milliseconds = Int(start.duration(to: clock.now) / .milliseconds(1))
        if session.format.isJSON {
            session.print(
                .object([
                    .init("schema", "relux.down/1"), .init("stopped", .integer(Int128(stopped))),
                    .init("milliseconds", .integer(Int128(milliseconds))),
                ]))
        } else {
            session.say("\(stopped) processes stopped in \(milliseconds)ms")
        }
        return .ok
    }

    /// The processes that are told to end now: the supervisor, which ends the others in order; without one the hosts, then the broker that they need.
    private func firsts(_ processes: [ClusterProcess]) -> [ProcessIdentity] {
        let alive = processes.filter(\.identity.isAlive)
        let supervisors = alive.filter { $0.role == .supervisor }
        let hosts = alive.filter { $0.role != .broker }
        return (supervisors.isEmpty ? hosts.isEmpty ? alive : hosts : supervisors).map(\.identity)
    }

    /// Each once: a second signal would end all without a drain.
    private func ask(_ processes: [ClusterProcess], _ asked: inout Set<ProcessIdentity>) throws(CLIError) {
        for identity in firsts(processes) where asked.insert(identity).inserted {
            guard kill(identity.pid, SIGTERM) == 0 || errno == ESRCH else {
                throw CLIError(
                    .failed, "supervisor.signal", "process \(identity.pid) takes no signal: \(String(cString: strerror(errno)))")
            }
            // A stopped process takes the signal only after it continues.
            if ProcessState.isStopped(identity.pid) { kill(identity.pid, SIGCONT) }
        }
    }
}
