import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

@Suite struct MembershipTests {
    @Test func `a module is a member from the acceptance of its declaration until its removal`() throws {
        var cluster = FakeCluster()
        cluster.mute = ["auth"]
        cluster.boot([cluster.host(declaration("Auth", .domain, handles: ["Auth.Business.Effect"]))])
        let declared = try #require(cluster.registry.picture.members.first)
        #expect(declared.module == "Auth")
        #expect(declared.host == nil)
        #expect(declared.epoch == Epoch(rawValue: 0))
        if let process = cluster.running["auth"] {
            cluster.host("auth", says: .hello(cluster.hello(process, resumed: false)))
        }
        #expect(cluster.registry.picture.members.first?.host == "auth")
        cluster.crash("auth", restarts: false)
        #expect(cluster.registry.picture.members.map(\.module) == ["Auth"])
        #expect(cluster.registry.picture.members.first?.host == nil)
        cluster.ask(.unload(module: "Auth", yes: false))
        #expect(cluster.registry.picture.members.isEmpty)
    }

    @Test func `each change raises the picture's version and every connected host sees the last one`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let version = cluster.registry.pictureVersion
        for process in cluster.running.values { #expect(process.picture == cluster.registry.picture) }
        cluster.crash("notes")
        #expect(cluster.registry.pictureVersion > version)
        for process in cluster.running.values { #expect(process.picture == cluster.registry.picture) }
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `what a welcome says is on disk before it is said`() throws {
        var registry = Registry()
        let hello = HostHello(
            host: "auth", pid: 3, instance: "x", endpoint: "ipc://x", tapEndpoint: "ipc://y",
            modules: [
                HostHello.Module(
                    declaration: declaration("Auth", .domain), imports: [], epoch: nil, state: ModuleState(.recovering))
            ], resumed: false)
        let actions = registry.on(.host(ConnectionID(ByteString([9])), .hello(hello)), now: .zero)
        guard case .persist(let snapshot) = try #require(actions.first) else {
            Issue.record("the first action is \(actions[0])")
            return
        }
        #expect(snapshot.epochs["Auth"] == 1)
        guard case .toHosts(_, .welcome(let epochs, let picture)) = actions[1] else {
            Issue.record("the second action is \(actions[1])")
            return
        }
        #expect(epochs["Auth"] == Epoch(rawValue: 1))
        #expect(picture.version == snapshot.pictureVersion)
    }

    @Test func `given a plugin process killed with SIGKILL, others learn that its instance is lost and it comes back`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.crash("auth")
        #expect(cluster.running["notes"]?.ended["Auth"] == Epoch(rawValue: 1))
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.running["auth"]?.epochs["Auth"] == Epoch(rawValue: 2))
        #expect(cluster.facts.contains(.moduleLost(module: "Auth", why: "signal 9 (SIGKILL)")))
        #expect(
            cluster.facts.contains(.hostExited(host: "auth", status: "signal 9 (SIGKILL)", report: "crash/auth")))
        #expect(cluster.facts.contains(.moduleBackoff(module: "Auth", milliseconds: 100, why: "signal 9 (SIGKILL)")))
        #expect(cluster.registry.hosts["auth"]?.restarts == 1)
    }

    @Test func `a broker that was killed before it could say that a life is over leaves that to the next one`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.crash("auth", restarts: false)
        #expect(cluster.facts.contains(.instanceEnded(module: "Auth", epoch: 1)))
        cluster.facts = []
        cluster.restartBroker()
        cluster.pass(.milliseconds(1))
        let ended = cluster.facts.filter { if case .instanceEnded = $0 { true } else { false } }
        #expect(ended == [.instanceEnded(module: "Auth", epoch: 1)], "and nothing of those that live")
    }

    @Test func `a host whose hello overtakes the supervisor's word is counted as restarted, and once`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.hasty = ["auth"]
        cluster.pass(.seconds(60))
        cluster.crash("auth")
        #expect(cluster.registry.hosts["auth"]?.restarts == 1)
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.registry.modules["Auth"]?.present.readyMilliseconds == 0, "its start counts from the end of the life before, not from that one's start")
        cluster.hasty = []
        cluster.crash("auth")
        #expect(cluster.registry.hosts["auth"]?.restarts == 2)
    }

    @Test func `a death is told by the picture alone: the next instance keeps the place of the former`() throws {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain)), cluster.host(declaration("Notes", .domain))])
        let old = try #require(cluster.running["auth"])
        var new = old
        new.pid = 4242
        new.instance = "successor"
        new.epochs = [:]
        let since = cluster.registry.picture.members.first?.since
        let actions = cluster.registry.on(
            [
                cluster.numbered(.supervisor(FakeCluster.supervisor, .exited(host: "auth", pid: old.pid, status: "exit 3"), plugins: [:])),
                .host(ConnectionID(ByteString([8])), .hello(cluster.hello(new, resumed: false))),
            ], now: .zero)
        let orders = actions.compactMap { action -> String? in
            guard case .toHosts(let connections, let order) = action,
                connections.contains(cluster.running["notes"]!.connection)
            else { return nil }
            return String("\(order)".prefix { $0.isLetter })
        }
        #expect(orders == ["picture"])
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 2))
        #expect(cluster.registry.picture.members.first?.since == since)
        #expect(since ?? 0 > 0)
    }

    @Test func `a crash of an imported domain leaves the orchestrator ready and in its place`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let before = cluster.readyOrder.filter { $0 == "SessionOrchestration" }.count
        cluster.crash("auth", restarts: false)
        #expect(cluster.phase("SessionOrchestration") == .ready)
        #expect(before == 1)
    }

    @Test func `given a domain hot-added later, an orchestrator that waits for it becomes ready without restart`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Data", .orchestrator), imports: ["NotesReluxInt"])])
        #expect(cluster.isOpen)
        #expect(cluster.phase("Data") == .waiting)
        #expect(cluster.why("Data").contains("no module provides"))
        let pid = cluster.running["data"]?.pid
        let answer = cluster.ask(.load(host: cluster.host(declaration("Notes", .domain)), dryRun: false))
        #expect(answer?.lines == ["Notes: host notes starts with it"])
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.phase("Data") == .ready)
        #expect(cluster.running["data"]?.pid == pid)
    }

    @Test func `given the same module registered twice, nothing happens the second time`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        let epoch = cluster.registry.modules["Auth"]?.epoch
        cluster.resume("auth")
        #expect(cluster.registry.modules["Auth"]?.epoch == epoch)
        #expect(cluster.registry.picture.members.count == 1)
        let again = HostSpec(id: "auth", plugins: ["plugins/Auth/1.0.0-abc"])
        #expect(
            cluster.ask(.load(host: again, dryRun: false))?.lines == ["Auth 1.0.0 is loaded already, in host auth, and ready: nothing is done"])
        let packed = HostSpec(id: "auth", plugins: [cluster.pack(declaration("Auth", .domain, version: "1.1.0"))])
        #expect(
            cluster.ask(.load(host: packed, dryRun: false, takesServed: true))?.lines == [
                "Auth 1.0.0 is loaded already, in host auth, and ready: nothing is done",
                "Auth 1.1.0 is packed but not served: relux module upgrade Auth",
            ])
        #expect(cluster.registry.picture.members.count == 1)
        #expect(cluster.starts == ["auth"])
    }

    @Test func `a plugin is added to a host that runs`() {
        var cluster = FakeCluster()
        let one = cluster.pack(declaration("One", .domain))
        cluster.boot([HostSpec(id: "shared", plugins: [one])])
        let two = cluster.pack(declaration("Two", .domain))
        #expect(
            cluster.ask(.load(host: HostSpec(id: "shared", plugins: [two]), dryRun: true))?.lines
                == ["Two: host shared loads it"])
        #expect(cluster.phase("Two") == nil)
        cluster.ask(.load(host: HostSpec(id: "shared", plugins: [two]), dryRun: false))
        #expect(cluster.phase("Two") == .ready)
        #expect(cluster.phase("One") == .ready)
        #expect(cluster.running["shared"]?.epochs["One"] == Epoch(rawValue: 1))
        #expect(cluster.running["shared"]?.spec.plugins == [one, two])
        #expect(cluster.starts == ["shared"])
    }

    @Test func `a second process under a host's name is turned away while the first one lives`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        let rogue = ConnectionID(ByteString([77]))
        let hello = HostHello(
            host: "auth", pid: 9999, instance: "rogue", endpoint: "", tapEndpoint: "", modules: [], resumed: false)
        cluster.send(.host(rogue, .hello(hello)))
        cluster.pass(.seconds(6), in: 12)
        #expect(cluster.registry.hosts["auth"]?.instance == cluster.running["auth"]?.instance)
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.registry.noteLines.contains { $0.contains("host-name-taken") })
    }

    @Test func `a successor that speaks before its predecessor's end is reported takes over at once`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        guard var process = cluster.running["auth"] else { return }
        let pid = process.pid
        process.pid = 4242
        process.instance = "successor"
        process.connection = ConnectionID(ByteString([55]))
        process.epochs = [:]
        cluster.running["auth"] = process
        cluster.host("auth", says: .hello(cluster.hello(process, resumed: false)))
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 2))
        cluster.supervisor(.exited(host: "auth", pid: pid, status: "signal 11 (SIGSEGV)"))
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 2))
        #expect(cluster.registry.hosts["auth"]?.pid == 4242)
        #expect(cluster.phase("Auth") == .ready)
    }

    @Test func `what the supervisor says late, of processes that have died since, does not end the one that lives`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        guard var process = cluster.running["auth"] else { return }
        let first = process.pid
        process.pid = 4243
        process.instance = "the third"
        process.connection = ConnectionID(ByteString([55]))
        process.epochs = [:]
        cluster.running["auth"] = process
        // The broker stood still: the third life's hello is read before the supervisor's words on the first and the second.
        cluster.host("auth", says: .hello(cluster.hello(process, resumed: false)))
        cluster.supervisor(.exited(host: "auth", pid: first, status: "signal 9 (SIGKILL)"))
        cluster.supervisor(.backoff(host: "auth", milliseconds: 1, why: "signal 9 (SIGKILL)"))
        for pid: Int32 in [4242, 4243] {
            cluster.supervisor(.started(host: "auth", pid: pid))
            if pid == 4242 { cluster.supervisor(.exited(host: "auth", pid: pid, status: "signal 9 (SIGKILL)")) }
            #expect(cluster.registry.hosts["auth"]?.pid == 4243)
            #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 2))
            #expect(cluster.phase("Auth") == .ready)
        }
        #expect(cluster.supervisorOrders.allSatisfy { !$0.hasPrefix("restart") }, "\(cluster.supervisorOrders)")
        // The supervisor is believed about its own end.
        cluster.supervisor(.exited(host: "auth", pid: 4243, status: "signal 9 (SIGKILL)"))
        #expect(cluster.registry.modules["Auth"]?.isLive == false)
    }

    @Test func `a host that falls silent is restarted by the supervisor`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain)), cluster.host(declaration("Notes", .domain))])
        cluster.mute = ["auth"]
        cluster.pass(.seconds(6), in: 12)
        #expect(cluster.supervisorOrders.contains { $0.hasPrefix("restart") })
        #expect(cluster.phase("Auth") == .starting)
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.running["notes"]?.ended["Auth"] == Epoch(rawValue: 1))
    }

    @Test func `a process that is cut for a stalled module had in flight also what its modules said to each other`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        let pid = cluster.running["auth"]?.pid ?? 0
        let effects = [EffectID(module: "Auth", position: 7)]
        for wait in [Duration.zero, cluster.registry.configuration.stallLimit + .milliseconds(1)] {
            cluster.now += wait
            cluster.host("auth", says: .unsettled(effects))
            cluster.host("auth", says: .pong(stalled: ["Auth"]))
        }
        let cut = cluster.supervisorOrders.first { $0.hasPrefix("restart") }
        #expect(cut?.contains("the executor of Auth answered no ping") == true)
        let inFlight = SupervisorOrder.inFlight(host: "auth", pid: pid, count: 1, effects: effects)
        #expect(cluster.supervisorOrders.filter { $0 == "\(inFlight)" }.count == 1)
        cluster.crash("auth")
        #expect(cluster.supervisorOrders.filter { $0.hasPrefix("inFlight") }.count == 1, "the next process is another")
    }

    @Test func `a module that blocks its executor for a while disturbs nobody`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        cluster.host("auth", says: .pong(stalled: ["Auth"]))
        cluster.pass(.seconds(3), in: 6)
        #expect(cluster.phase("Auth") == .ready)
        cluster.host("auth", says: .pong(stalled: ["Auth"]))
        #expect(cluster.registry.whyNot("Auth").unmet.contains { $0.contains("executor") })
        #expect(!cluster.supervisorOrders.contains { $0.hasPrefix("restart") })
    }
}
