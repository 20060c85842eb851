import Glibc
import Relux
import ReluxBus
import ReluxHost
import ReluxPlugin
import ReluxZeroMQ

/// The same for many hosts: real processes of one module each, and a real broker. The supervisor is played.
enum IdleHostsBench {
    /// - Parameter broker: path of `relux-broker`.
    static func run(_ broker: String, count: Int, seconds: Int) throws {
        let place = try SocketDirectory()
        let run = RunDirectory(path: place.path + "/run")
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        setenv(Lifeline.environmentKey, "\(Peer.lifeline)", 1)
        let process = try Peer(program: broker, ["--run", run.path])
        var options = SocketOptions()
        options.linger = .zero
        let supervisor = try ZeroMQSocket(.dealer, in: try ZeroMQContext(), options: options)
        try supervisor.connect(run.membersEndpoint)
        let hello = SupervisorHello(pid: getpid(), instance: "bench", running: [:], declared: [])
        _ = try supervisor.send(try CBOR.encode(BrokerInbound.supervisor(.hello(hello))))
        var talk = try BrokerTalk(run.path)
        _ = try talk.status(when: "broker that has opened") { $0.phase == "open" }
        let hosts = try (1...count).map { try Peer(["idle-host", run.path, "Idle\($0)"]) }
        let status = try talk.status(when: "status with all hosts ready") { $0.modules.count { $0.state.phase == .ready } >= count }
        // What a start leaves to be done is done.
        sleep(5)
        let costs = try IdleBench.costs(of: status.modules.map(\.pid) + [status.brokerPid], seconds: seconds)
        var line = Line("relux.idle.\(count)")
        line.add("seconds", seconds)
        IdleBench.add(costs.dropLast(), to: &line)
        line.add("broker_cpu_percent", costs[count].percent)
        line.add("broker_wakeups", costs[count].wakeUps)
        line.printed()
        for host in hosts { try host.end() }
        try process.end()
    }

    /// One of the hosts; its module handles nothing.
    @MainActor static func host(_ directory: String, _ name: String) async -> Never {
        let id = ModuleID(rawValue: name) ?? "Idle"
        let box = PluginBox.of(id, version: "1.0.0", kind: .domain, handles: [], emits: []) { Idle(moduleID: id) }
        await HostMain.run(["relux-bench", "--run", directory, "--host", name.lowercased()], linked: [box])
    }

    private struct Idle: Relux.Module {
        let moduleID: ModuleID
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga] = []
    }
}
