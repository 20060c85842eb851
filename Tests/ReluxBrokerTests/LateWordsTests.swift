import Relux
import ReluxBroker
import ReluxBus
import ReluxPlugin
import ReluxWire
import Testing

/// What is said of a process, or by it, comes when its host is over, or is another one.
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
        // What runs, or is wanted no more, stays as it is.
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
