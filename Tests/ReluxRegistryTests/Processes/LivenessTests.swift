import ReluxControl
@testable import ReluxRegistry
import Testing

/// The broker asks hosts for a sign of life, and takes silent ones for dead.
@Suite struct LivenessTests {
    private func booted() -> FakeCluster {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        return cluster
    }

    /// A second passes, in which these hosts have beaten; who is pinged, and who is cut.
    private func second(_ cluster: inout FakeCluster, _ alive: [HostID]) -> (pinged: Set<HostID>, cut: [String: String]) {
        cluster.now += .seconds(1)
        let connections = alive.compactMap { cluster.running[$0]?.connection }
        var pinged: Set<HostID> = []
        var cut: [String: String] = [:]
        for action in cluster.registry.on([.heartbeats(connections), .tick], now: cluster.now) {
            switch action {
            case .toHosts(let asked, .ping): pinged.formUnion(cluster.running.filter { asked.contains($1.connection) }.keys)
            case .toSupervisor(_, .restart(let host, let restart, _)): cut[host.rawValue] = restart.why
            default: break
            }
        }
        return (pinged, cut)
    }

    @Test func `hosts whose heartbeats are heard are asked over their connection once a minute, others once a second`() throws {
        var cluster = booted()
        let hosts = Set(cluster.running.keys)
        let silent = try #require(hosts.first { $0 == "auth" })
        var asked = 0
        for number in 1...60 {
            let (pinged, cut) = second(&cluster, hosts.subtracting([silent]).sorted())
            #expect(cut.isEmpty)
            #expect(pinged.contains(silent))
            if pinged.contains("notes") {
                asked += 1
                #expect(number >= 60)
                #expect(pinged == hosts)
            }
            let connection = try #require(cluster.running[silent]?.connection)
            _ = cluster.registry.on(.host(connection, .pong(stalled: [])), now: cluster.now)
        }
        #expect(asked == 1)
    }

    @Test func `a host that beats no more is cut after the limit of silence`() {
        var cluster = booted()
        let hosts = Set(cluster.running.keys)
        var cut: [String: String] = [:]
        for _ in 1...6 {
            #expect(cut.isEmpty)
            cut = second(&cluster, hosts.subtracting(["auth"]).sorted()).cut
        }
        #expect(cut == ["auth": "its host said nothing for 5s"])
    }

    @Test func `a host that beats and answers nothing over its connection is cut all the same`() {
        var cluster = booted()
        let hosts = cluster.running.keys.sorted()
        var cut: [String: String] = [:]
        for _ in 1...66 {
            #expect(cut.isEmpty)
            let connections = hosts.filter { $0 != "auth" }.compactMap { cluster.running[$0]?.connection }
            for connection in connections { _ = cluster.registry.on(.host(connection, .pong(stalled: [])), now: cluster.now) }
            // A message that nobody asked for does not show that the host hears.
            cluster.host("auth", says: .counters([:]))
            cut = second(&cluster, hosts).cut
        }
        #expect(cut == ["auth": "its host lives, and has answered nothing for 65s"])
    }

    @Test func `a heartbeat of a process that the broker does not know makes it ask who that is`() throws {
        let cluster = booted()
        let process = try #require(cluster.running["auth"])
        var registry = Registry(configuration: cluster.registry.configuration, restoring: cluster.registry.snapshot, now: cluster.now)
        let actions = registry.on([.heartbeats([process.connection]), .tick], now: cluster.now + .seconds(1))
        #expect(actions.contains { if case .toHosts([process.connection], .introduce) = $0 { true } else { false } })
        #expect(cluster.registry.noteLines.allSatisfy { !$0.contains("have not said who they are") })
    }
}
