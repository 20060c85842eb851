import Glibc
import Relux
import ReluxControl
import ReluxHost
import ReluxPlugin
import ReluxZeroMQ

/// The cost of many idle hosts: real processes of one module each, and a real broker. The supervisor is played.
enum IdleHostsBench {
    /// - Parameter broker: path of `relux-broker`.
    static func run(_ broker: String, count: Int, seconds: Int) throws {
        let broker = try BenchBroker(broker, in: try ZeroMQContext())
        var talk = try BrokerTalk(broker.run.path)
        let hosts = try (1...count).map { try Peer(["idle-host", broker.run.path, "Idle\($0)"]) }
        let status = try talk.status(when: "status with all hosts ready") { $0.modules.count { $0.state.phase == .ready } >= count }
        // A host tidies up for some seconds after its start.
        sleep(5)
        let costs = try IdleBench.costs(of: status.modules.map(\.pid) + [status.brokerPid], seconds: seconds)
        var line = Line("relux.idle.\(count)")
        line.add("seconds", seconds)
        IdleBench.add(costs.dropLast(), to: &line)
        line.add("broker_cpu_percent", costs[count].percent)
        line.add("broker_wakeups", costs[count].wakeUps)
        line.printed()
        for host in hosts { try host.end() }
        try broker.end()
    }

    /// One of the hosts; its module handles nothing.
    @MainActor static func host(_ directory: String, _ name: String) async -> Never {
        let id = ModuleID(rawValue: name) ?? "Idle"
        let box = PluginBox(declaration: ModuleDeclaration(id: id, version: "1.0.0", kind: .domain, handles: [], emits: [])) { Idle(moduleID: id) }
        await HostMain.run(["relux-bench", "--run", directory, "--host", name.lowercased()], linked: [box])
    }

    private struct Idle: Relux.Module {
        let moduleID: ModuleID
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga] = []
    }
}
