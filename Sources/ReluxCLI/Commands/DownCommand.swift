import ArgumentParser
import Foundation
import ReluxBus
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
        guard let supervisor = run.runningSupervisor() else {
            session.say("no cluster runs in \(run.path)")
            return .ok
        }
        // The lock on its pid file is held by this very process, so the pid is no stranger's.
        var processes = [ProcessIdentity(pid: supervisor)]
        if let client = try? BrokerClient(run: run, patience: .zero),
            case .status(let status)? = try? client.ask(.status, timeout: .seconds(1))
        {
            processes += Set(status.modules.map(\.pid) + [status.brokerPid]).sorted().filter { $0 > 0 }.map(ProcessIdentity.init)
        }
        if dryRun {
            session.printLines(processes.map { "stop      pid \($0.pid)" }, schema: "relux.plan/1")
            return .ok
        }
        let clock = ContinuousClock()
        let start = clock.now
        let end = start + session.timeout(.seconds(60))
        guard kill(supervisor, SIGTERM) == 0 || errno == ESRCH else {
            throw CLIError(
                .failed, "supervisor.signal", "supervisor \(supervisor) takes no signal: \(String(cString: strerror(errno)))")
        }
        while run.runningSupervisor() != nil || processes.contains(where: \.isAlive) {
            guard clock.now < end else {
                let left = processes.filter(\.isAlive).map { "\($0.pid)" }.joined(separator: ", ")
                throw CLIError(
                    .timeout, "cluster.notDown", "these processes still run: \(left)", hint: "look into `relux logs supervisor`")
            }
            usleep(Self.pollMicroseconds)
        }
        let milliseconds = Int(start.duration(to: clock.now) / .milliseconds(1))
        if session.format.isJSON {
            session.print(
                .object([
                    .init("schema", "relux.down/1"), .init("stopped", .integer(Int128(processes.count))),
                    .init("milliseconds", .integer(Int128(milliseconds))),
                ]))
        } else {
            session.say("\(processes.count) processes stopped in \(milliseconds)ms")
        }
        return .ok
    }
}
