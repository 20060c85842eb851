import Relux
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

@Suite struct BrokerRestartTests {
    @Test func `a broker that comes back has the same members and starts nothing a second time`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.ask(.load(host: cluster.host(declaration("Settings", .domain)), dryRun: false))
        let picture = cluster.registry.picture
        let starts = cluster.starts
        cluster.restartBroker()
        #expect(cluster.registry.picture.members == picture.members)
        #expect(cluster.registry.picture.hosts == picture.hosts)
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        #expect(cluster.starts == starts)
        #expect(cluster.isOpen)
        #expect(cluster.registry.picture.members == picture.members)
        #expect(cluster.registry.picture.version > picture.version)
        for record in cluster.registry.modules.values { #expect(record.state.phase == .ready) }
        #expect(cluster.complaints.isEmpty)
        #expect(cluster.running["auth"]?.ended.isEmpty == true)
        cluster.crash("settings")
        #expect(cluster.registry.modules["Settings"]?.epoch == Epoch(rawValue: 2))
    }

    @Test func `a life that has ended in a process that goes on, while no broker heard it, is not given out again`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        // It left, and was made anew there: it waits for an epoch.
        cluster.running["auth"]?.epochs["Auth"] = nil
        cluster.running["auth"]?.modules[0].ended = Epoch(1)
        cluster.running["auth"]?.modules[0].state = ModuleState(.starting)
        cluster.restartBroker()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(2))
        #expect(cluster.phase("Auth") == .ready)
        // Said again, it is answered alike.
        cluster.running["auth"]?.epochs["Auth"] = nil
        cluster.resume("auth")
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(2))
    }

    @Test func `also when the supervisor speaks before the hosts`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        let starts = cluster.starts
        cluster.restartBroker()
        cluster.boot(specs)
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        #expect(cluster.starts == starts)
        #expect(cluster.isOpen)
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `a host that died while the broker was away is lost and started again under a new epoch`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.running["auth"] = nil
        cluster.restartBroker()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        #expect(cluster.running["notes"]?.ended["Auth"] == Epoch(rawValue: 1))
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 2))
        #expect(cluster.phase("Auth") == .ready)
    }

    @Test func `a broker that comes back forgives no backoff and no quarantine`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        let starts = cluster.starts
        cluster.running["auth"] = nil
        cluster.running["notes"] = nil
        cluster.restartBroker()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.waiting = [
            "auth": .backoff(milliseconds: 900, why: "exit 1"), "notes": .quarantined(why: "exit 1: too often"),
        ]
        cluster.boot(specs)
        #expect(cluster.starts == starts)
        #expect(cluster.phase("Auth") == .backoff)
        #expect(cluster.phase("Notes") == .quarantined)
        cluster.spawn(specs[1])
        cluster.play()
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `a module that was removed does not come back with the broker`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.ask(.unload(module: "Notes", yes: true))
        cluster.restartBroker()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        #expect(cluster.phase("Notes") == nil)
        #expect(cluster.running["notes"] == nil)
    }

    @Test func `quarantine and removal in progress survive the broker`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.crash("profile", restarts: false)
        cluster.supervisor(.quarantined(host: "profile", why: "too many crashes"))
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: true))
        cluster.restartBroker()
        #expect(cluster.phase("Profile") == .quarantined)
        #expect(cluster.phase("Notes") == .draining)
        cluster.slow = []
        cluster.resume("notes")
        #expect(cluster.phase("Notes") == nil)
        cluster.boot(specs)
        #expect(cluster.phase("Profile") == .quarantined)
        #expect(cluster.running["profile"] == nil)
    }

    @Test func `a host that speaks to a broker without introduction is asked for it`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.restartBroker()
        cluster.host("auth", says: .pong(stalled: []))
        #expect(cluster.registry.hosts["auth"]?.connection == cluster.running["auth"]?.connection)
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.registry.notices.strangers.messages == 0, "it has said who it is")
    }

    @Test func `hosts that have not introduced themselves yet are not taken for dead while the registry's disk is full`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        let (starts, orders) = (cluster.starts, cluster.supervisorOrders.count)
        cluster.restartBroker()
        cluster.isFull = true
        cluster.boot(specs)
        cluster.pass(.seconds(31), in: 31)
        #expect(cluster.gate.isHeld)
        cluster.isFull = false
        cluster.pass(.seconds(2), in: 2)
        #expect(!cluster.gate.isHeld && cluster.isOpen && cluster.starts == starts)
        let restarts = cluster.supervisorOrders.dropFirst(orders).filter { $0.contains("estart(") }
        #expect(restarts.isEmpty, "\(restarts)")
        for record in cluster.registry.modules.values { #expect(record.state.phase == .ready) }
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `without the registry file the epochs come back from the hosts`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.crash("auth")
        cluster.crash("auth")
        cluster.registry = Registry()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 3))
        #expect(cluster.isOpen)
        cluster.crash("auth")
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 4))
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `without the registry file nobody gets an epoch that a journal has seen, and who runs under it goes on`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.crash("auth")
        cluster.running["notes"] = nil
        cluster.registry = Registry()
        cluster.registry.learn(written: ["Auth": Epoch(2), "Notes": Epoch(7), "Cluster": Epoch(4)])
        #expect(cluster.registry.ownEpoch == Epoch(5))
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(2))
        #expect(cluster.registry.modules["Notes"]?.epoch == Epoch(8))
        #expect(cluster.isOpen)
        cluster.crash("auth")
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(3))
        #expect(cluster.complaints.isEmpty)
    }

    @Test(arguments: [true, false])
    func `without the registry file whoever has a journal is the member that it was`(hostsAreFirst: Bool) {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.registry = Registry()
        cluster.registry.learn(written: ["Auth": Epoch(1), "Cluster": Epoch(4)])
        if hostsAreFirst { for id in cluster.running.keys.sorted() { cluster.resume(id) } }
        cluster.boot(specs)
        #expect(cluster.registry.modules["Auth"].map { $0.isMember && $0.memberSince == 0 } == true)
        #expect(cluster.registry.modules["Notes"].map { $0.isMember && $0.memberSince > 0 } == true, "without a journal it is new")
        // Only once: whoever is removed and loaded again is another member.
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.ask(.unload(module: "Auth", yes: true))
        #expect(cluster.phase("Auth") == nil)
        if let auth = specs.first(where: { $0.id == "auth" }) { cluster.ask(.load(host: auth, dryRun: false)) }
        #expect(cluster.registry.modules["Auth"].map { $0.isMember && $0.memberSince > 0 } == true)
    }

    @Test(arguments: [true, false])
    func `without the registry file no picture lacks a host that runs`(supervisorIsFirst: Bool) throws {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        let all = cluster.running.keys.sorted()
        let before = try #require(cluster.running["auth"]?.picture)
        cluster.registry = Registry()
        cluster.registry.learn(written: ["Auth": Epoch(1), "Notes": Epoch(1), "Cluster": Epoch(4)])
        if supervisorIsFirst { cluster.boot(specs) }
        for id in all.dropLast() { cluster.resume(id) }
        #expect(cluster.running["auth"]?.picture?.version == before.version && cluster.registry.isRecollecting)
        cluster.resume(try #require(all.last))
        if !supervisorIsFirst { cluster.boot(specs) }
        #expect(!cluster.registry.isRecollecting && cluster.isOpen)
        let after = try #require(cluster.running["auth"]?.picture)
        #expect(after.version > before.version && Set(after.members.map(\.module)) == Set(before.members.map(\.module)))
        #expect(after.members.first { $0.module == "Notes" }?.since == 0)
        // A supervisor that says nothing is not waited for without end.
        cluster.registry = Registry()
        cluster.registry.learn(written: ["Auth": Epoch(1), "Cluster": Epoch(4)])
        cluster.resume("auth")
        cluster.pass(.seconds(31), in: 4)
        #expect(!cluster.registry.isRecollecting)
    }

    @Test func `without the registry file a module that was loaded at run time is the member that it was, once`() throws {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        let guest = cluster.host(declaration("Guest", .domain))
        cluster.ask(.load(host: guest, dryRun: false))
        cluster.registry = Registry()
        cluster.registry.learn(written: ["Guest": Epoch(1)])
        cluster.boot(specs)
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        #expect(cluster.registry.modules["Guest"].map { $0.isMember && $0.memberSince == 0 } == true)
        cluster.ask(.unload(module: "Guest", yes: true))
        #expect(cluster.phase("Guest") == nil)
        cluster.ask(.load(host: guest, dryRun: false))
        #expect(cluster.registry.modules["Guest"].map { $0.isMember && $0.memberSince > 0 } == true, "\(cluster.why("Guest"))")
    }

    @Test func `without the registry file a refusal expels nobody for whom something may wait`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Auth", .domain))
        cluster.registry.learn(written: ["Auth": Epoch(3)])
        cluster.boot([spec])
        cluster.host("auth", says: .refused(module: "Auth", code: "host.state", message: "its state is a newer one"))
        #expect(cluster.phase("Auth") == .refused && cluster.registry.modules["Auth"]?.isMember == true)
    }

    @Test func `without the registry file a host whose module was upgraded is started again with the file's version, and that is said`() throws {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Auth", .domain))
        cluster.boot([spec])
        cluster.running["auth"]?.modules[0].declaration.version = "2.0.0"
        cluster.registry = Registry()
        cluster.registry.learn(written: ["Auth": Epoch(1)])
        cluster.supervisorInstance = "supervisor-2"
        cluster.boot([spec])
        cluster.resume("auth")
        #expect(cluster.phase("Auth") == .ready && cluster.isOpen, "\(cluster.why("Auth"))")
        #expect(cluster.running["auth"]?.modules.map(\.declaration.version) == ["1.0.0"])
        #expect(cluster.registry.noteLines.contains { $0.contains("Auth ran version 2.0.0, which the registry does not know of") && $0.contains("relux module upgrade Auth") })
    }

    @Test func `what the registry knows to be later wins over the journals`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.crash("auth")
        cluster.restartBroker()
        cluster.registry.learn(written: ["Auth": Epoch(1), "Cluster": Epoch(1)])
        #expect(cluster.registry.ownEpoch == Epoch(2))
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        cluster.boot(specs)
        cluster.crash("auth")
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(3))
    }

    @Test func `an instance of the past is refused`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        guard var old = cluster.running["auth"] else { return }
        cluster.crash("auth")
        cluster.crash("auth", restarts: false)
        // One of which no supervisor has told the end.
        old.pid = 9000
        cluster.lastPid = old.pid
        cluster.running["auth"] = old
        cluster.resume("auth")
        #expect(cluster.registry.counters.stale == 1)
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(rawValue: 3))
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.running["auth"]?.pid != old.pid)
        #expect(cluster.complaints.isEmpty)
    }

    /// The registry's file is older by more lives than anybody may claim; the process has another module too, and goes on.
    @Test(arguments: [true, false])
    func `a module that is sent away from a process that goes on, and shall have it, comes to it anew`(isConnected: Bool) {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("Auth", .domain)), cluster.pack(declaration("Notes", .domain))]
        let specs = [HostSpec(id: "pair", plugins: plugins)]
        cluster.boot(specs)
        if !isConnected {
            cluster.restartBroker()
            cluster.boot(specs)
        }
        cluster.running["pair"]?.epochs["Notes"] = Epoch(3)
        cluster.resume("pair")
        #expect(cluster.phase("Auth") == .ready && cluster.registry.modules["Auth"]?.epoch == Epoch(1))
        #expect(cluster.phase("Notes") == .ready, "\(cluster.why("Notes"))")
        #expect(cluster.registry.modules["Notes"]?.epoch == Epoch(2) && cluster.running["pair"]?.epochs["Notes"] == Epoch(2))
        #expect(cluster.running["pair"]?.orders.contains("refuse Notes stale-epoch") == true)
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `the built-in node has a higher epoch in each life of the broker`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        #expect(cluster.registry.ownEpoch == Epoch(rawValue: 1))
        cluster.restartBroker()
        cluster.boot([])
        #expect(cluster.registry.ownEpoch == Epoch(rawValue: 2))
        cluster.restartBroker()
        #expect(cluster.registry.ownEpoch == Epoch(rawValue: 3))
    }
}
