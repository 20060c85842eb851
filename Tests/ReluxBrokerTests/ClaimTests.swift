import Relux
import ReluxBroker
import ReluxBus
import ReluxPlugin
import ReluxWire
import Testing

/// Lives of one host follow each other faster than the broker hears of them, and what they say comes in any order.
@Suite struct ClaimTests {
    private static let killed = "signal 9 (SIGKILL)"

    /// The words of the supervisor on three lives of which the last one goes on, in their order.
    private static func words(_ first: Int32, _ second: Int32, _ third: Int32) -> [SupervisorMessage] {
        [
            .exited(host: "auth", pid: first, status: killed), .backoff(host: "auth", milliseconds: 1, why: killed),
            .started(host: "auth", pid: second), .exited(host: "auth", pid: second, status: killed),
            .backoff(host: "auth", milliseconds: 1, why: killed), .started(host: "auth", pid: third),
        ]
    }

    private static func process(_ pid: Int32, as process: FakeCluster.Process) -> FakeCluster.Process {
        var next = process
        next.pid = pid
        next.instance = "life \(pid)"
        next.connection = ConnectionID(ByteString(withUnsafeBytes(of: pid) { Array($0) }))
        next.epochs = [:]
        return next
    }

    private static func booted() -> (FakeCluster, FakeCluster.Process)? {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        guard let process = cluster.running["auth"] else { return nil }
        return (cluster, process)
    }

    /// The hellos of the second and the third life among the supervisor's words, in all ways.
    private static let ways = (0...6).flatMap { second in (0...6).flatMap { third in [true, false].map { (second, third, $0) } } }

    @Test(arguments: ways) func `whatever comes first, the life that goes on is let in`(_ second: Int, _ third: Int, _ isYoungerFirst: Bool) throws {
        var (cluster, first) = try #require(Self.booted())
        let (dead, alive) = (Self.process(4242, as: first), Self.process(4243, as: first))
        // What the dead one is told reaches nobody.
        cluster.running["auth"] = alive
        let dying = HostMessage.hello(cluster.hello(dead, resumed: false)), living = HostMessage.hello(cluster.hello(alive, resumed: false))
        var words = Self.words(first.pid, 4242, 4243).map(Optional.some)
        words.append(nil)
        for (place, word) in words.enumerated() {
            if isYoungerFirst, place == third { cluster.send(.host(alive.connection, living)) }
            if place == second { cluster.send(.host(dead.connection, dying)) }
            if !isYoungerFirst, place == third { cluster.send(.host(alive.connection, living)) }
            if let word { cluster.supervisor(word) }
        }
        cluster.pass(.seconds(20), in: 200)
        #expect(cluster.registry.hosts["auth"]?.instance == alive.instance)
        #expect(cluster.phase("Auth") == .ready, "\(cluster.why("Auth"))")
        #expect(cluster.running["auth"]?.pid == 4243, "\(cluster.supervisorOrders)")
        #expect(cluster.running["auth"]?.orders.contains { $0.hasPrefix("refuse") || $0 == "stop" } == false)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
        // Nobody has taken the dead one for the successor of the next one.
        cluster.crash("auth")
        cluster.pass(.seconds(20), in: 200)
        #expect(cluster.phase("Auth") == .ready && cluster.registry.hosts["auth"]?.pid == cluster.running["auth"]?.pid)
    }

    @Test func `also a broker that has just come back, and takes the first life for alive`() throws {
        var (cluster, first) = try #require(Self.booted())
        let (dead, alive) = (Self.process(4242, as: first), Self.process(4243, as: first))
        cluster.running["auth"] = alive
        cluster.restartBroker()
        cluster.send(.host(alive.connection, .hello(cluster.hello(alive, resumed: false))))
        cluster.send(.host(dead.connection, .hello(cluster.hello(dead, resumed: false))))
        // Said when the broker was started, and the second life just ran.
        cluster.running["auth"] = dead
        cluster.boot([])
        cluster.running["auth"] = alive
        for word in Self.words(first.pid, 4242, 4243).dropFirst(3) { cluster.supervisor(word) }
        cluster.pass(.seconds(20), in: 200)
        #expect(cluster.registry.hosts["auth"]?.pid == 4243 && cluster.phase("Auth") == .ready, "\(cluster.why("Auth"))")
        #expect(cluster.running["auth"]?.orders.contains { $0.hasPrefix("refuse") || $0 == "stop" } == false)
        #expect(cluster.supervisorOrders.allSatisfy { !$0.hasPrefix("restart") && !$0.hasPrefix("stop") }, "\(cluster.supervisorOrders)")
    }

    @Test func `who asks for a name again and again is turned away when its time is over`() throws {
        var (cluster, first) = try #require(Self.booted())
        let rogue = Self.process(9999, as: first)
        for _ in 0..<12 {
            cluster.send(.host(rogue.connection, .hello(cluster.hello(rogue, resumed: false))))
            cluster.pass(.milliseconds(500), in: 5)
        }
        #expect(cluster.registry.hosts["auth"]?.pid == first.pid && cluster.phase("Auth") == .ready)
        #expect(cluster.registry.noteLines.contains { $0.contains("host-name-taken") })
    }

    /// A process of a supervisor that is gone has the name; the present supervisor's own one claims it.
    private static func orphaned() -> FakeCluster? {
        guard case (var cluster, let first)? = booted() else { return nil }
        let orphan = process(9000, as: first)
        cluster.send(.host(orphan.connection, .hello(cluster.hello(orphan, resumed: false))))
        cluster.crash("auth", restarts: false)
        guard cluster.registry.hosts["auth"]?.pid == 9000 else { return nil }
        cluster.pass(.seconds(2), in: 20)
        cluster.spawn(first.spec)
        cluster.play()
        return cluster
    }

    @Test func `an orphan that falls silent gives the name back, and nobody is told to restart the process that claims it`() throws {
        var cluster = try #require(Self.orphaned())
        #expect(cluster.registry.hosts["auth"]?.pid == 9000)
        cluster.pass(.seconds(4), in: 40)
        #expect(cluster.phase("Auth") == .ready && cluster.registry.hosts["auth"]?.pid == cluster.running["auth"]?.pid)
        #expect(cluster.supervisorOrders.allSatisfy { !$0.hasPrefix("restart") }, "\(cluster.supervisorOrders)")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `the process that got the name of an orphan is the supervisor's own, and restarted when it hangs`() throws {
        var cluster = try #require(Self.orphaned())
        cluster.pass(.seconds(4), in: 40)
        let hung = cluster.running["auth"]?.pid
        cluster.mute = ["auth"]
        cluster.pass(.milliseconds(5_200), in: 52)
        #expect(cluster.supervisorOrders.count { $0.hasPrefix("restart") } == 1, "\(cluster.supervisorOrders)")
        #expect(cluster.running["auth"]?.pid != hung)
        cluster.resume("auth")
        #expect(cluster.phase("Auth") == .ready, "\(cluster.why("Auth"))")
    }

    @Test func `an orphan that falls silent while nobody claims its name is followed by a process of the supervisor's own`() throws {
        var (cluster, first) = try #require(Self.booted())
        // It runs, and the supervisor that comes does not know it.
        cluster.running = [:]
        cluster.supervisorInstance = "supervisor-2"
        cluster.boot([first.spec])
        #expect(cluster.registry.hosts["auth"]?.pid == first.pid && cluster.starts == ["auth"])
        cluster.pass(.seconds(6), in: 60)
        #expect(cluster.starts == ["auth", "auth"])
        #expect(cluster.phase("Auth") == .ready && cluster.registry.hosts["auth"]?.pid == cluster.running["auth"]?.pid)
        #expect(cluster.supervisorOrders.allSatisfy { !$0.hasPrefix("restart") }, "\(cluster.supervisorOrders)")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }
}
