import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
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
        // Words to the dead one reach nobody.
        cluster.running["auth"] = alive
        cluster.lastPid = 4243
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

    @Test func `a process that nobody of ours has started does not get the name of one that is ours`() throws {
        var (cluster, first) = try #require(Self.booted())
        var rogue = Self.process(9999, as: first)
        rogue.start = nil
        cluster.send(.host(rogue.connection, .hello(cluster.hello(rogue, resumed: false))))
        #expect(cluster.registry.hosts["auth"]?.pid == first.pid && cluster.phase("Auth") == .ready)
        #expect(cluster.registry.noteLines.contains { $0.contains("host-name-taken") && $0.contains("supervisor starts it") })
        // Nor while there is no process of ours.
        cluster.crash("auth", restarts: false)
        cluster.send(.host(rogue.connection, .hello(cluster.hello(rogue, resumed: false))))
        #expect(cluster.registry.hosts["auth"]?.pid == 0)
    }

    @Test func `a number that was never given is refused, and does not keep the next process out`() throws {
        var (cluster, first) = try #require(Self.booted())
        for order in [UInt64(1_000), .max] {
            let rogue = Self.process(9999, as: first)
            cluster.numbers[9999] = StartNumber(order: order, attempt: .max)
            cluster.send(.host(rogue.connection, .hello(cluster.hello(rogue, resumed: false))))
            #expect(cluster.registry.hosts["auth"]?.pid == first.pid && cluster.phase("Auth") == .ready)
            #expect(cluster.registry.noteLines.contains { $0.contains("\(order).") && $0.contains("the latest order is 1") }, "\(cluster.registry.noteLines)")
        }
        cluster.crash("auth")
        #expect(cluster.phase("Auth") == .ready)
    }

    @Test func `two processes that somebody else starts under one name: the second waits for the end of the first, or is turned away`() throws {
        var cluster = FakeCluster(RegistryConfiguration(supervised: false))
        cluster.spawn(HostSpec(id: "own", plugins: [cluster.pack(declaration("Own", .domain))]))
        cluster.running["own"]?.start = nil
        let first = try #require(cluster.running["own"])
        cluster.queue = [.host(first.connection, .hello(cluster.hello(first, resumed: false)))]
        cluster.play()
        #expect(cluster.phase("Own") == .ready && cluster.registry.hosts["own"]?.isForeign == true)
        let second = Self.process(9999, as: first)
        func hello(after milliseconds: UInt64) -> HostMessage {
            var hello = cluster.hello(second, resumed: false)
            hello.ageMilliseconds = milliseconds
            return .hello(hello)
        }
        cluster.send(.host(second.connection, hello(after: 1_000)))
        #expect(cluster.registry.hosts["own"]?.pid == first.pid && cluster.registry.noteLines.isEmpty, "its end may not be known yet")
        var other = cluster
        other.send(.host(second.connection, hello(after: 5_001)))
        #expect(other.registry.hosts["own"]?.pid == first.pid && other.registry.noteLines.contains { $0.contains("host-name-taken") })
        cluster.send(.silent(first.connection))
        cluster.running["own"] = second
        cluster.send(.host(second.connection, hello(after: 2_000)))
        #expect(cluster.registry.hosts["own"]?.pid == 9999 && cluster.phase("Own") == .ready)
    }

    @Test func `what a process of an earlier supervisor says comes late, as soon as the next one has come`() throws {
        var (cluster, first) = try #require(Self.booted())
        // It runs, and the supervisor that comes does not know it.
        cluster.running = [:]
        cluster.supervisorInstance = "supervisor-2"
        cluster.boot([first.spec])
        #expect(cluster.starts == ["auth", "auth"] && cluster.phase("Auth") == .ready)
        let second = try #require(cluster.running["auth"])
        cluster.send(.host(first.connection, .hello(cluster.hello(first, resumed: true))))
        #expect(cluster.registry.hosts["auth"]?.pid == second.pid && cluster.phase("Auth") == .ready)
        #expect(cluster.supervisorOrders.allSatisfy { !$0.hasPrefix("restart") }, "\(cluster.supervisorOrders)")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }
}
