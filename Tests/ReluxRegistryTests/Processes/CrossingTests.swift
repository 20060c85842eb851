import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// A process that ends by itself, and what is loaded into its host or taken out of it at that moment.
@Suite struct CrossingTests {
    private static let why = "exit 78: read its log"

    /// Two modules in one host, of which the second was refused by it.
    private static func booted(restart: HostSpec.Restart = .permanent) -> FakeCluster {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("A", .domain)), cluster.pack(declaration("B", .domain))]
        cluster.boot([HostSpec(id: "shared", plugins: plugins, restart: restart)])
        cluster.host("shared", says: .refused(module: "B", code: "host.load", message: "a symbol is missing"))
        cluster.running["shared"]?.modules.removeAll { $0.declaration.id == "B" }
        return cluster
    }

    private static func third(_ cluster: inout FakeCluster) -> HostSpec {
        HostSpec(id: "shared", plugins: [cluster.pack(declaration("C", .domain))])
    }

    @Test(arguments: [true, false])
    func `a host whose last module leaves ends, also when a refused one is left behind`(isEvicted: Bool) {
        var cluster = Self.booted()
        #expect(cluster.phase("A") == .ready && cluster.phase("B") == .refused)
        cluster.ask(isEvicted ? .evict(module: "A", yes: true, dryRun: false) : .unload(module: "A", yes: true))
        #expect(cluster.running["shared"] == nil)
        #expect(cluster.registry.hosts["shared"]?.process == .ended)
        #expect(cluster.phase("B") == .refused)
        // It starts for what is loaded into it, and for nothing before.
        let starts = cluster.starts.count
        let host = Self.third(&cluster)
        cluster.ask(.load(host: host, dryRun: false))
        #expect(cluster.starts.count == starts + 1 && cluster.phase("C") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    /// An order to stop it was overtaken by the modules that joined again; the supervisor follows it late, and leaves the host at rest.
    @Test(arguments: [HostSpec.Restart.permanent, .temporary])
    func `a process that is stopped for nothing is started again, unless it is started once only`(restart: HostSpec.Restart) throws {
        var cluster = Self.booted(restart: restart)
        let starts = cluster.starts.count
        let process = try #require(cluster.running["shared"])
        cluster.running["shared"] = nil
        cluster.supervisor(.exited(host: "shared", pid: process.pid, status: "signal 9 (SIGKILL)", report: "", next: .resting))
        cluster.pass(.seconds(1), in: 10)
        #expect(cluster.starts.count == starts + (restart == .permanent ? 1 : 0))
        #expect(cluster.phase("A") == (restart == .permanent ? .ready : .stopped), "\(cluster.why("A"))")
    }

    @Test func `a host ends when its last module has moved away from a refused one`() {
        var cluster = Self.booted()
        cluster.ask(.move(module: "A", to: nil, dryRun: false))
        cluster.pass(.seconds(1), in: 10)
        #expect(cluster.phase("A") == .ready && cluster.registry.modules["A"]?.host != "shared")
        #expect(cluster.running["shared"] == nil && cluster.registry.hosts["shared"]?.process == .ended)
    }

    @Test func `what is loaded into a host that was given up says so, and comes with its restart`() {
        var cluster = Self.booted()
        cluster.crash("shared", restarts: false)
        cluster.supervisor(.quarantined(host: "shared", why: Self.why))
        let host = Self.third(&cluster)
        guard case .done(let lines) = cluster.ask(.load(host: host, dryRun: false)) else {
            Issue.record("the load was refused")
            return
        }
        #expect(lines.count == 1 && lines[0].hasPrefix("C: host shared is quarantined;") && lines[0].hasSuffix("relux module restart C"), "\(lines)")
        #expect(cluster.phase("C") == .quarantined && cluster.why("C") == Self.why)
        cluster.ask(.restart(module: "C", yes: true))
        #expect(cluster.phase("A") == .ready && cluster.phase("C") == .ready)
    }

    @Test func `a host that was given up is tried again when its configuration is changed`() throws {
        var cluster = Self.booted()
        cluster.crash("shared", restarts: false)
        cluster.supervisor(.quarantined(host: "shared", why: Self.why))
        #expect(cluster.phase("A") == .quarantined)
        var spec = try #require(cluster.registry.hosts["shared"]?.spec)
        spec.environment["FOO"] = "mended"
        cluster.ask(.configure(host: spec))
        #expect(cluster.phase("A") == .ready, "\(cluster.why("A"))")
        #expect(cluster.registry.hosts["shared"]?.spec.environment["FOO"] == "mended")
    }

    @Test(arguments: [HostSpec.Restart.transient, .temporary])
    func `what is loaded while its host ends of itself gets a process of that host`(restart: HostSpec.Restart) throws {
        var cluster = Self.booted(restart: restart)
        let process = try #require(cluster.running["shared"])
        // Somebody has asked it from outside.
        cluster.host("shared", says: .left(module: "A"))
        cluster.running["shared"] = nil
        let host = Self.third(&cluster)
        cluster.ask(.load(host: host, dryRun: false))
        cluster.supervisor(.exited(host: "shared", pid: process.pid, status: "exit 0", next: .resting))
        #expect(cluster.phase("C") == .ready, "\(cluster.why("C"))")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `the end of a process that said no hello does not count against the next one`() throws {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Auth", .domain))
        cluster.mute = ["auth"]
        cluster.boot([spec])
        let first = try #require(cluster.running["auth"])
        cluster.running["auth"] = nil
        cluster.pass(cluster.registry.configuration.startPatience + .seconds(1))
        #expect(cluster.phase("Auth") == .quarantined)
        // Before the supervisor's word on the first comes.
        cluster.mute = []
        let actions = cluster.registry.on(
            .client(FakeCluster.client, ClientRequest(id: "r", body: .restart(module: "Auth", yes: true)), plugins: [:]), now: cluster.now)
        #expect(actions.contains { if case .toSupervisor(_, .start) = $0 { true } else { false } }, "\(actions)")
        cluster.supervisor(.exited(host: "auth", pid: first.pid, status: "signal 9 (SIGKILL)"))
        #expect(cluster.registry.hosts["auth"]?.process == .ordered)
        cluster.spawn(spec)
        cluster.play()
        #expect(cluster.phase("Auth") == .ready)
    }

    /// The registry has taken the order's words out and the test keeps them: the process ends before the supervisor has them.
    @Test(arguments: [HostSpec.Restart.temporary, .transient])
    func `a restart that crosses the end of its process is not lost, whatever the host's restart says`(restart: HostSpec.Restart) throws {
        var cluster = Self.booted(restart: restart)
        let process = try #require(cluster.running["shared"])
        let orders = cluster.registry.on(.silent(process.connection), now: cluster.now)
        #expect(orders.contains { if case .toSupervisor(_, .restart) = $0 { true } else { false } }, "\(orders)")
        cluster.running["shared"] = nil
        cluster.supervisor(.exited(host: "shared", pid: process.pid, status: "exit 0", next: .resting))
        #expect(cluster.registry.hosts["shared"]?.process == .ordered)
        // Now it has the order, and the host rests.
        let order = try #require(cluster.registry.hosts["shared"]?.order)
        (cluster.orders["shared"], cluster.latestOrder) = (order, order)
        cluster.spawn(process.spec)
        cluster.play()
        #expect(cluster.phase("A") == .ready && cluster.running["shared"]?.pid != process.pid, "\(cluster.why("A"))")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test(arguments: [ProcessEnd.Next.resting, .backoff(milliseconds: 0, why: "killed"), .quarantined(why: "killed")])
    func `a late end does not take down a host that waits for its turn to start`(next: ProcessEnd.Next) throws {
        var cluster = FakeCluster(RegistryConfiguration(startsAtOnce: 1))
        cluster.mute = ["auth"]
        let specs = [cluster.host(declaration("Auth", .domain)), cluster.host(declaration("Notes", .domain))]
        cluster.boot(specs)
        let first = try #require(cluster.running["auth"])
        cluster.running["auth"] = nil
        // Another one has its turn, and says nothing either.
        cluster.mute.insert("notes")
        cluster.pass(cluster.registry.configuration.startPatience + .seconds(1))
        #expect(cluster.phase("Auth") == .quarantined)
        cluster.mute.remove("auth")
        cluster.ask(.restart(module: "Auth", yes: true))
        #expect(cluster.registry.hosts["auth"]?.process == .idle && cluster.registry.hosts["notes"]?.process == .ordered)
        cluster.supervisor(.exited(host: "auth", pid: first.pid, status: "signal 9 (SIGKILL)", next: next))
        #expect(cluster.registry.hosts["auth"]?.process == .idle)
        cluster.mute = []
        cluster.resume("notes")
        #expect(cluster.phase("Auth") == .ready, "\(cluster.why("Auth"))")
    }

    @Test func `a host of an executable that has not said what it holds outlives the cluster's end`() throws {
        var cluster = FakeCluster()
        cluster.mute = ["tool"]
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        cluster.ask(.load(host: HostSpec(id: "tool", plugins: [], executable: "/opt/tool"), dryRun: false))
        let process = try #require(cluster.running["tool"])
        cluster.supervisor(.ending)
        cluster.running["tool"] = nil
        cluster.supervisor(.exited(host: "tool", pid: process.pid, status: "signal 15 (SIGTERM)", next: .resting))
        #expect(cluster.registry.hosts["tool"] != nil)
    }

    @Test(arguments: [false, true])
    func `a quarantine that is told late does not bury the process that came since`(isHeardFirst: Bool) throws {
        var cluster = Self.booted()
        let first = try #require(cluster.running["shared"])
        // The first dies and is given up, and is to be restarted before anybody has heard of that.
        cluster.slow = ["A"]
        let asked = ClientRequest(id: "r", body: .restart(module: "A", yes: true))
        _ = cluster.registry.on(.client(FakeCluster.client, asked, plugins: [:]), now: cluster.now)
        cluster.slow = []
        cluster.running["shared"] = nil
        let ended = cluster.numbered(
            .supervisor(
                FakeCluster.supervisor, .exited(host: "shared", pid: first.pid, status: "exit 1", next: .quarantined(why: Self.why)), plugins: [:]))
        if !isHeardFirst { cluster.send(ended) }
        cluster.orders["shared"] = cluster.registry.hosts["shared"]?.order
        cluster.spawn(HostSpec(id: "shared", plugins: ["plugins/A/1.0.0-abc"]))
        let told = cluster.queue.removeFirst()
        cluster.play()
        if isHeardFirst { cluster.send(ended) }
        let second = try #require(cluster.running["shared"])
        #expect(cluster.phase("A") == .ready)
        cluster.send(told)
        #expect(cluster.registry.hosts["shared"]?.pid == second.pid && cluster.running["shared"]?.pid == second.pid)
        #expect(cluster.phase("A") == .ready)
    }

    @Test func `a child of a process whose end was told is not let in, whatever its pid`() throws {
        var cluster = Self.booted()
        let shell = try #require(cluster.running["shared"])
        // The supervisor started a shell, say, and the host is a child of that: the supervisor ends it with its group.
        var child = shell
        child.pid += 1000
        child.instance = "another"
        child.epochs = [:]
        cluster.numbers[child.pid] = cluster.numbers[shell.pid]
        cluster.running["shared"] = child
        cluster.supervisor(.exited(host: "shared", pid: shell.pid, status: "exit 1", next: .quarantined(why: Self.why)))
        #expect(cluster.registry.hosts["shared"]?.process == .quarantined)
        cluster.host("shared", says: .hello(cluster.hello(child, resumed: false)))
        #expect(cluster.registry.hosts["shared"]?.process == .quarantined && cluster.registry.hosts["shared"]?.pid == 0)
    }

    @Test func `a child of the process that the supervisor started is the host, whatever its pid`() throws {
        var cluster = FakeCluster()
        cluster.mute = ["auth"]
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        var child = try #require(cluster.running["auth"])
        cluster.numbers[child.pid + 1000] = cluster.numbers[child.pid]
        child.pid += 1000
        cluster.running["auth"] = child
        cluster.host("auth", says: .hello(cluster.hello(child, resumed: false)))
        #expect(cluster.phase("Auth") == .ready && cluster.registry.hosts["auth"]?.pid == child.pid)
        cluster.boot([])
        #expect(cluster.phase("Auth") == .ready && cluster.starts == ["auth"] && cluster.registry.hosts["auth"]?.pid == child.pid)
    }

    @Test func `a process that comes to a host that was given up gets what was loaded into it`() {
        var cluster = Self.booted()
        cluster.crash("shared", restarts: false)
        cluster.supervisor(.quarantined(host: "shared", why: Self.why))
        let host = Self.third(&cluster)
        cluster.ask(.load(host: host, dryRun: false))
        #expect(cluster.phase("C") == .quarantined)
        cluster.spawn(HostSpec(id: "shared", plugins: ["plugins/A/1.0.0-abc"]))
        cluster.queue.removeFirst()
        cluster.play()
        #expect(cluster.phase("A") == .ready && cluster.phase("C") == .ready, "\(cluster.why("C"))")
    }

    @Test func `a host that was removed and loaded while the supervisor was away does not inherit a quarantine`() {
        var cluster = Self.booted()
        let spec = HostSpec(id: "shared", plugins: ["plugins/A/1.0.0-abc"])
        cluster.crash("shared", restarts: false)
        cluster.supervisor(.quarantined(host: "shared", why: Self.why))
        cluster.send(.silent(FakeCluster.supervisor))
        cluster.ask(.unload(module: "A", yes: true))
        cluster.ask(.unload(module: "B", yes: true))
        cluster.ask(.load(host: spec, dryRun: false))
        #expect(cluster.registry.hosts["shared"]?.process == .idle)
        cluster.waiting = ["shared": .quarantined(why: Self.why)]
        cluster.boot([])
        #expect(cluster.phase("A") == .ready, "\(cluster.why("A"))")
    }
}
