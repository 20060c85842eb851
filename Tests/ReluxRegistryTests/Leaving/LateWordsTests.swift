import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// Words about a process, or by it, that come when its host is over, or is another one.
@Suite struct LateWordsTests {
    private static let killed = "signal 9 (SIGKILL)"

    private static func booted() -> (FakeCluster, HostSpec, FakeCluster.Process)? {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Auth", .domain))
        cluster.boot([spec])
        guard let process = cluster.running["auth"] else { return nil }
        return (cluster, spec, process)
    }

    @Test(arguments: [true, false])
    func `the hello of a process whose end was told brings neither its host nor its module back`(isEvicted: Bool) throws {
        var (cluster, spec, dead) = try #require(Self.booted())
        cluster.ask(isEvicted ? .evict(module: "Auth", yes: true, dryRun: false) : .unload(module: "Auth", yes: true))
        #expect(cluster.running["auth"] == nil && cluster.registry.hosts["auth"] == nil)
        let hello = HostMessage.hello(cluster.hello(dead, resumed: true))
        cluster.send(.host(dead.connection, hello))
        #expect(cluster.registry.hosts["auth"] == nil && cluster.registry.modules["Auth"] == nil)
        #expect(cluster.registry.counters.stale == 1)
        // The number may become another process's.
        cluster.lastPid = dead.pid - 1
        cluster.ask(.load(host: spec, dryRun: false))
        #expect(cluster.running["auth"]?.pid == dead.pid && cluster.phase("Auth") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test(arguments: [false, true])
    func `a process that was started before its start was called off is turned away`(isNextBroker: Bool) throws {
        var (cluster, spec, _) = try #require(Self.booted())
        cluster.crash("auth", restarts: false)
        cluster.supervisor(.backoff(host: "auth", milliseconds: 50, why: Self.killed))
        cluster.ask(.unload(module: "Auth", yes: true))
        #expect(cluster.registry.hosts["auth"] == nil)
        if isNextBroker { cluster.restartBroker() }
        cluster.spawn(spec)
        // The supervisor's word on it comes later.
        cluster.queue.removeFirst()
        cluster.play()
        #expect(cluster.running["auth"]?.orders == ["refuse Auth host-name-taken", "stop"])
        #expect(cluster.registry.hosts["auth"] == nil && cluster.registry.modules["Auth"] == nil)
        // Whoever asks for it again means it.
        cluster.running["auth"] = nil
        if isNextBroker { cluster.boot([]) }
        cluster.ask(.load(host: spec, dryRun: false))
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `somebody else may start a host of a name that was taken out`() throws {
        var (cluster, spec, _) = try #require(Self.booted())
        cluster.crash("auth", restarts: false)
        cluster.supervisor(.backoff(host: "auth", milliseconds: 50, why: Self.killed))
        cluster.ask(.unload(module: "Auth", yes: true))
        cluster.spawn(spec)
        cluster.running["auth"]?.start = nil
        let process = try #require(cluster.running["auth"])
        cluster.queue = [.host(process.connection, .hello(cluster.hello(process, resumed: false)))]
        cluster.play()
        #expect(cluster.registry.hosts["auth"]?.isForeign == true && cluster.phase("Auth") == .ready)
    }

    @Test(arguments: ["backoff", "quarantined"])
    func `what was said of the process before does not keep the host that is loaded anew from its start`(word: String) throws {
        var (cluster, spec, process) = try #require(Self.booted())
        cluster.slow = ["Auth"]
        cluster.ask(.unload(module: "Auth", yes: true))
        cluster.ask(.load(host: spec, dryRun: false))
        cluster.slow = []
        cluster.running["auth"] = nil
        cluster.stopping = []
        // The process died by itself, before the supervisor had the order to stop it; the broker gets both words at once.
        let next: SupervisorMessage =
            word == "backoff" ? .backoff(host: "auth", milliseconds: 50, why: Self.killed) : .quarantined(host: "auth", why: Self.killed)
        for word in [.exited(host: "auth", pid: process.pid, status: Self.killed), next] {
            cluster.enqueue(.supervisor(FakeCluster.supervisor, word, plugins: [:]))
        }
        cluster.playInBatches()
        #expect(cluster.starts == ["auth", "auth"])
        #expect(cluster.phase("Auth") == .ready && cluster.registry.modules["Auth"]?.epoch == Epoch(2))
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `a host that rests because of an order for the process before it is started again`() throws {
        var (cluster, _, process) = try #require(Self.booted())
        cluster.crash("auth", restarts: false)
        #expect(cluster.phase("Auth") == .backoff)
        cluster.supervisor(.resting(host: "auth"))
        #expect(cluster.starts == ["auth", "auth"])
        #expect(cluster.phase("Auth") == .ready && cluster.registry.hosts["auth"]?.pid != process.pid)
        // A host that runs, or is wanted no more, stays as it is.
        cluster.supervisor(.resting(host: "auth"))
        #expect(cluster.phase("Auth") == .ready && cluster.starts.count == 2)
        cluster.crash("auth", restarts: false)
        cluster.ask(.unload(module: "Auth", yes: true))
        cluster.supervisor(.resting(host: "auth"))
        #expect(cluster.starts.count == 2 && cluster.registry.hosts.isEmpty)
    }

    @Test func `a temporary host that rests is not started again`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Job", .domain), restart: .temporary)])
        cluster.crash("job", status: "exit 0", restarts: false)
        #expect(cluster.starts == ["job"] && cluster.phase("Job") == .stopped)
    }

    @Test func `a host on its way down gets no module that was taken out of it`() {
        var cluster = FakeCluster()
        let one = cluster.pack(declaration("One", .domain)), two = cluster.pack(declaration("Two", .domain))
        cluster.boot([HostSpec(id: "shared", plugins: [one])])
        cluster.slow = ["One"]
        cluster.ask(.unload(module: "One", yes: false))
        // Told to load before, and done with it now.
        cluster.host("shared", says: .left(module: "One"))
        cluster.running["shared"]?.epochs = [:]
        cluster.running["shared"]?.modules = [cluster.libraries[two]].compactMap { $0 }
        cluster.running["shared"]?.orders = []
        cluster.resume("shared")
        #expect(cluster.registry.modules["Two"] == nil && cluster.registry.picture.members.isEmpty)
        #expect(cluster.running["shared"] == nil && cluster.registry.hosts.isEmpty, "\(cluster.running["shared"]?.orders ?? [])")
    }
}

/// Orders that the supervisor never had: the broker died behind writing them down, and the supervisor's link drops what it had not read.
@Suite struct LostOrderTests {
    private static func booted(_ restart: HostSpec.Restart = .permanent) -> (FakeCluster, HostSpec) {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Auth", .domain), restart: restart)
        cluster.boot([spec])
        return (cluster, spec)
    }

    /// The request reaches the registry and its file, and no word of it anybody else; then another broker comes.
    private static func lose(_ bodies: [ClientRequest.Body], in cluster: inout FakeCluster) {
        for body in bodies {
            let request = ClientRequest(id: "lost", body: body)
            _ = cluster.registry.on(.client(FakeCluster.client, request, plugins: cluster.manifests), now: cluster.now)
        }
        cluster.persisted = cluster.registry.snapshot
        cluster.restartBroker()
    }

    @Test(arguments: [HostSpec.Restart.permanent, .temporary]) func `a restart is ordered again`(restart: HostSpec.Restart) throws {
        var (cluster, _) = Self.booted(restart)
        let first = try #require(cluster.running["auth"])
        Self.lose([.restart(module: "Auth", yes: true)], in: &cluster)
        cluster.resume("auth")
        cluster.boot([])
        #expect(cluster.running["auth"]?.pid != first.pid && cluster.phase("Auth") == .ready, "\(cluster.supervisorOrders)")
        // Its end is not taken for that of another process.
        cluster.crash("auth", restarts: false)
        #expect(cluster.registry.hosts["auth"]?.process == (restart == .temporary ? .ended : .backoff))
    }

    @Test func `a restart out of quarantine is ordered again`() {
        var (cluster, _) = Self.booted()
        cluster.crash("auth", restarts: false)
        cluster.supervisor(.quarantined(host: "auth", why: "too often"))
        #expect(cluster.phase("Auth") == .quarantined)
        Self.lose([.restart(module: "Auth", yes: true)], in: &cluster)
        cluster.waiting = ["auth": .quarantined(why: "too often")]
        cluster.boot([])
        #expect(cluster.phase("Auth") == .ready, "\(cluster.why("Auth"))")
    }

    @Test(arguments: [true, false]) func `a host that was taken out and loaded again is started again`(isRunning: Bool) {
        var (cluster, spec) = Self.booted()
        cluster.crash("auth", restarts: false)
        cluster.supervisor(.quarantined(host: "auth", why: "too often"))
        Self.lose([.unload(module: "Auth", yes: true), .load(host: spec, dryRun: false)], in: &cluster)
        #expect(cluster.registry.hosts["auth"]?.process == .ordered)
        if isRunning { cluster.spawn(spec) } else { cluster.waiting = ["auth": .quarantined(why: "too often")] }
        cluster.queue = []
        cluster.boot([])
        #expect(cluster.phase("Auth") == .ready, "\(cluster.why("Auth"))")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `a host of somebody else's that had a plugin loaded may come back`() throws {
        var cluster = FakeCluster()
        cluster.boot([])
        let own = HostHello.Module(declaration: declaration("UI", .domain), imports: [], epoch: nil, state: ModuleState(.recovering))
        func hello(_ pid: Int32) -> HostHello {
            HostHello(host: "ui", pid: pid, instance: "\(pid)", endpoint: "ipc://\(pid)", tapEndpoint: "ipc://t\(pid)", modules: [own], resumed: false)
        }
        cluster.send(.host(ConnectionID(ByteString([9])), .hello(hello(9))))
        let guest = cluster.pack(declaration("Guest", .domain))
        cluster.ask(.load(host: HostSpec(id: "ui", plugins: [guest]), dryRun: false))
        #expect(cluster.registry.hosts["ui"]?.isForeign == true)
        cluster.send(.silent(ConnectionID(ByteString([9]))))
        cluster.send(.host(ConnectionID(ByteString([10])), .hello(hello(10))))
        #expect(cluster.registry.hosts["ui"]?.pid == 10 && cluster.registry.noteLines.allSatisfy { !$0.contains("host-name-taken") })
    }

    @Test func `the supervisor's late words on a process do not end the one of somebody else that has the name since`() throws {
        var (cluster, _) = Self.booted()
        let ours = try #require(cluster.running["auth"])
        cluster.crash("auth", restarts: false)
        cluster.ask(.unload(module: "Auth", yes: true))
        var process = ours
        (process.start, process.pid, process.instance) = (nil, 9000, "somebody else's")
        process.epochs = [:]
        cluster.running["auth"] = process
        cluster.host("auth", says: .hello(cluster.hello(process, resumed: false)))
        #expect(cluster.registry.hosts["auth"]?.isForeign == true)
        cluster.supervisor(.started(host: "auth", pid: ours.pid + 1))
        cluster.supervisor(.exited(host: "auth", pid: ours.pid + 1, status: "signal 9 (SIGKILL)"))
        #expect(cluster.registry.hosts["auth"]?.pid == 9000 && cluster.phase("Auth") == .ready)
    }

    @Test func `one process that says a huge number before the supervisor has come does not use up those that are left`() throws {
        var (cluster, _) = Self.booted()
        let first = try #require(cluster.running["auth"])
        cluster.restartBroker()
        var rogue = first
        (rogue.pid, rogue.instance, rogue.connection) = (9999, "rogue", ConnectionID(ByteString([77])))
        for order in [StartNumber.orderLimit, StartNumber.orderLimit / 2] {
            cluster.numbers[9999] = StartNumber(order: order, attempt: 1)
            cluster.send(.host(rogue.connection, .hello(cluster.hello(rogue, resumed: false))))
        }
        cluster.resume("auth")
        cluster.boot([])
        #expect(cluster.registry.hosts["auth"]?.pid == first.pid && cluster.phase("Auth") == .ready)
        #expect(cluster.registry.snapshot.orders == cluster.latestOrder)
    }

    @Test func `a program that drops the variable is known by its pid`() throws {
        var cluster = FakeCluster()
        cluster.mute = ["auth"]
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        cluster.running["auth"]?.start = nil
        let process = try #require(cluster.running["auth"])
        cluster.host("auth", says: .hello(cluster.hello(process, resumed: false)))
        #expect(cluster.phase("Auth") == .ready && cluster.registry.hosts["auth"]?.isForeign == false)
        cluster.host("auth", says: .hello(cluster.hello(process, resumed: true)))
        #expect(cluster.phase("Auth") == .ready)
    }

    @Test(arguments: [HostSpec.Restart.temporary, .transient]) func `a restart of a host that has ended since is not lost`(restart: HostSpec.Restart) throws {
        var (cluster, _) = Self.booted(restart)
        Self.lose([.restart(module: "Auth", yes: true)], in: &cluster)
        // It rests: the supervisor's hello names it nowhere.
        cluster.running["auth"] = nil
        let starts = cluster.starts.count
        cluster.boot([])
        #expect(cluster.phase("Auth") == .ready && cluster.starts.count == starts + 1, "\(cluster.why("Auth"))")
        #expect(cluster.supervisorOrders.allSatisfy { !$0.hasPrefix("restart") && !$0.hasPrefix("stop") }, "\(cluster.supervisorOrders)")
    }

    @Test func `a process that came after an order that was lost is not restarted for it`() throws {
        var (cluster, spec) = Self.booted()
        cluster.crash("auth", restarts: false)
        Self.lose([.restart(module: "Auth", yes: true)], in: &cluster)
        cluster.spawn(spec)
        let process = try #require(cluster.running["auth"])
        // It is heard before the supervisor's hello.
        cluster.queue = [.host(process.connection, .hello(cluster.hello(process, resumed: false)))]
        cluster.play()
        cluster.boot([])
        #expect(cluster.running["auth"]?.pid == process.pid && cluster.phase("Auth") == .ready)
        #expect(cluster.supervisorOrders.allSatisfy { !$0.hasPrefix("restart") }, "\(cluster.supervisorOrders)")
    }

    @Test func `a wrapper that drops the variable is refused with the reason, as soon as its pid is known`() throws {
        var cluster = FakeCluster()
        cluster.mute = ["auth"]
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        var process = try #require(cluster.running["auth"])
        (process.start, process.pid, process.instance) = (nil, process.pid + 1, "child")
        cluster.running["auth"] = process
        cluster.host("auth", says: .hello(cluster.hello(process, resumed: false)))
        #expect(cluster.registry.noteLines.contains { $0.contains("RELUX_START") }, "\(cluster.registry.noteLines)")
    }
}
