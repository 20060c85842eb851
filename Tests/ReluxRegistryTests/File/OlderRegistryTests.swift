import Relux
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

/// The registry's file, a host or a message says numbers that do not fit to what the others know.
@Suite struct OlderRegistryTests {
    private func booted() -> (FakeCluster, [HostSpec]) {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        return (cluster, specs)
    }

    @Test func `an older registry goes on behind what the journals say, and says so`() {
        var (cluster, _) = booted()
        let older = cluster.registry.snapshot
        for _ in 0..<3 { cluster.crash("auth") }
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(4))
        cluster.running = [:]
        cluster.registry = Registry(configuration: cluster.registry.configuration, restoring: older, now: cluster.now)
        cluster.registry.learn(written: ["Auth": Epoch(4), "Notes": Epoch(1)])
        #expect(cluster.registry.epochs.next(of: "Auth") == Epoch(5))
        #expect(cluster.registry.noteLines.filter { $0.hasPrefix("journal: ") }.map { $0.contains("Auth") && $0.contains("epoch 4") } == [true])
    }

    @Test func `where a module's journal is an older copy too, the journals of others say which lives there were, of the broker as well`() {
        var (cluster, _) = booted()
        cluster.registry.learn(
            written: ["Auth": Epoch(1), "Notes": Epoch(1), "Cluster": Epoch(1)],
            heard: ["Auth": ["Notes": Epoch(1), "Gone": Epoch(4)], "Notes": ["Auth": Epoch(6), "Cluster": Epoch(9), "Else": .limit]])
        #expect(cluster.registry.epochs.next(of: "Auth") == Epoch(7) && cluster.registry.ownEpoch == Epoch(10))
        #expect(cluster.registry.epochs.next(of: "Notes") == Epoch(2) && cluster.registry.epochs.next(of: "Gone") == Epoch(5))
        #expect(cluster.registry.epochs.next(of: "Else") < Epoch(9), "nobody is left without a next life by one number")
        let told = cluster.registry.noteLines.filter { $0.hasPrefix("journal: the journal of Notes has heard") }
        #expect(told.count == 2 && told[0].contains("Auth under epoch 6, and the registry's file and the journal of Auth know 1"), "\(told)")
        #expect(cluster.registry.modules["Gone"] == nil)
    }

    @Test func `a broker that a host has heard in a later life ends for one that goes on behind that`() throws {
        var (cluster, _) = booted()
        let process = try #require(cluster.running["auth"])
        var counters = BusCounters()
        counters.laterLives = ["Cluster": Epoch(40)]
        cluster.queue.append(.host(process.connection, .bus(counters)))
        cluster.play()
        #expect(cluster.registry.outlivedBy == Epoch(40))
        let next = Registry(configuration: cluster.registry.configuration, restoring: cluster.registry.snapshot, now: cluster.now)
        #expect(next.ownEpoch == Epoch(41) && next.outlivedBy == nil)
    }

    @Test func `a broker with an older registry makes no picture and no membership of a number that was out`() throws {
        var (cluster, specs) = booted()
        let older = cluster.registry.snapshot
        let notes = try #require(specs.first { $0.id == "notes" })
        for _ in 0..<20 {
            cluster.ask(.unload(module: "Notes", yes: true))
            cluster.ask(.load(host: notes, dryRun: false))
        }
        let (last, own) = (cluster.registry.pictureVersion, cluster.registry.ownEpoch)
        #expect(last > older.pictureVersion)
        // Nobody is left to say which pictures there were.
        cluster.running = [:]
        cluster.persisted = older
        cluster.restartBroker()
        cluster.registry.learn(written: ["Cluster": own])
        cluster.supervisorInstance = "supervisor-2"
        cluster.boot(specs)
        #expect(cluster.registry.pictureVersion > last)
        cluster.ask(.unload(module: "Notes", yes: true))
        #expect(cluster.phase("Notes") == nil)
        cluster.ask(.load(host: notes, dryRun: false))
        #expect(cluster.registry.picture.members.first { $0.module == "Notes" }.map { $0.since > last } == true)
    }

    @Test func `an epoch that a process runs under is given to nobody else, also when the process is turned away`() throws {
        var (cluster, specs) = booted()
        let notes = try #require(specs.first { $0.id == "notes" })
        let auth = try #require(cluster.running["auth"])
        var hello = cluster.hello(auth, resumed: true)
        var guest = try #require(cluster.running["notes"].map { cluster.hello($0, resumed: true).modules[0] })
        cluster.ask(.unload(module: "Notes", yes: true))
        // The broker before gave both, and died before it had written that.
        hello.modules[0].epoch = Epoch(2)
        guest.epoch = Epoch(2)
        hello.modules.append(guest)
        cluster.queue.append(.host(auth.connection, .hello(hello)))
        cluster.play()
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(2))
        #expect(cluster.registry.modules["Notes"] == nil && cluster.registry.epochs.next(of: "Notes") == Epoch(3))
        cluster.ask(.load(host: notes, dryRun: false))
        #expect(cluster.registry.modules["Notes"]?.epoch == Epoch(3))
    }

    @Test func `a process of a host that an older registry does not know does not come in by its own word`() throws {
        var (cluster, specs) = booted()
        let older = cluster.registry.snapshot
        let guest = cluster.host(declaration("Guest", .domain))
        cluster.ask(.load(host: guest, dryRun: false))
        let process = try #require(cluster.running[guest.id])
        cluster.persisted = older
        cluster.restartBroker()
        let running = cluster.processes
        cluster.enqueue(
            .supervisor(
                FakeCluster.supervisor,
                .hello(SupervisorHello(pid: 7, instance: cluster.supervisorInstance, running: running, order: cluster.latestOrder, declared: specs)),
                plugins: cluster.manifests))
        // The order to stop has not reached it yet.
        cluster.enqueue(.host(process.connection, .hello(cluster.hello(process, resumed: true))))
        cluster.playInBatches()
        #expect(cluster.registry.modules["Guest"] == nil && cluster.registry.hosts[guest.id] == nil)
        #expect(cluster.running[guest.id] == nil)
    }

    @Test func `an epoch that nobody can have given is not believed, and leaves the module its next life`() throws {
        var (cluster, _) = booted()
        let process = try #require(cluster.running["auth"])
        var hello = cluster.hello(process, resumed: true)
        hello.instance = "another"
        hello.modules[0].epoch = .limit
        cluster.queue.append(.host(process.connection, .hello(hello)))
        cluster.play()
        #expect(cluster.registry.epochs.next(of: "Auth").rawValue < 10)
        #expect(cluster.registry.noteLines.contains { $0.contains("Auth says that it has epoch \(Epoch.limit)") })
    }

    @Test func `a module without an epoch left is refused by name`() {
        var cluster = FakeCluster()
        cluster.registry.learn(written: ["Auth": .limit])
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        #expect(cluster.registry.modules["Auth"]?.state.phase == .refused)
        #expect(cluster.registry.modules["Auth"]?.refusal?.message.contains("the limit is \(Epoch.limit)") == true)
    }

    @Test func `a module with hardly an epoch left is not handed over`() {
        var scene = HandoverScene(RegistryConfiguration())
        scene.cluster.registry.epochs.note(given: Epoch(rawValue: Epoch.limit.rawValue - 3), to: "Auth")
        let answer = scene.cluster.ask(.upgrade(module: "Auth", directory: HandoverScene.second, dryRun: true))
        guard case .refused(let code, let message, _)? = answer else {
            Issue.record("\(String(describing: answer))")
            return
        }
        #expect(code == "stale-epoch" && message.contains("the limit is \(Epoch.limit)"))
    }

    @Test(arguments: [1000, UInt64(1) << 62]) func `a host's picture is believed within bounds only`(_ version: UInt64) throws {
        var (cluster, _) = booted()
        let process = try #require(cluster.running["auth"])
        let before = cluster.registry.pictureVersion
        var hello = cluster.hello(process, resumed: true)
        hello.pictureVersion = version
        cluster.queue.append(.host(process.connection, .hello(hello)))
        cluster.play()
        let isBelieved = version == 1000
        #expect((cluster.registry.pictureVersion > version) == isBelieved)
        #expect(cluster.registry.pictureVersion > before && cluster.registry.pictureVersion < 1 << 40)
        #expect(cluster.registry.noteLines.contains { $0.contains("is not believed") } == !isBelieved)
    }

    @Test func `who was heard in a later life than the registry knows is started again behind that`() throws {
        var (cluster, _) = booted()
        let host = try #require(cluster.running["notes"]).connection
        var counters = BusCounters()
        counters.laterLives = ["Auth": Epoch(9)]
        let actions = cluster.registry.on(.host(host, .bus(counters)), now: cluster.now)
        #expect(cluster.registry.epochs.next(of: "Auth") == Epoch(10))
        #expect(actions.contains { if case .toSupervisor(_, .restart(let host, _, _)) = $0 { host == "auth" } else { false } })
        #expect(actions.contains { if case .persist = $0 { true } else { false } })
        // Said again, and far beyond: nothing more happens.
        counters.laterLives = ["Auth": Epoch(9), "Notes": .limit]
        let more = cluster.registry.on(.host(host, .bus(counters)), now: cluster.now)
        #expect(!more.contains { if case .toSupervisor = $0 { true } else { false } })
        #expect(cluster.registry.epochs.next(of: "Notes") == Epoch(2))
    }

    @Test(arguments: [(written: Epoch(2), next: Epoch(3)), (written: Epoch(7), next: Epoch(8))])
    func `a module whose journal knows a later epoch than it was given gets the next one, in its running process`(_ what: (written: Epoch, next: Epoch)) throws {
        var (cluster, _) = booted()
        cluster.crash("auth")
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(2))
        let host = try #require(cluster.running["auth"]).connection
        let actions = cluster.registry.on(.host(host, .outlived(module: "Auth", by: what.written)), now: cluster.now)
        let persisted = try #require(actions.firstIndex { if case .persist = $0 { true } else { false } })
        let welcomed = try #require(
            actions.firstIndex { if case .toHosts([host], .welcome(let epochs, _)) = $0 { epochs == ["Auth": what.next] } else { false } })
        #expect(persisted < welcomed, "an epoch that is not on the disk could be given twice")
        #expect(!actions.contains { if case .toSupervisor = $0 { true } else { false } })
        #expect(cluster.registry.modules["Auth"]?.epoch == what.next)
        #expect(cluster.registry.noteLines.contains { $0.contains("the journal of Auth was written under epoch \(what.written)") })
        // The word comes twice: nothing more happens.
        let again = cluster.registry.on(.host(host, .outlived(module: "Auth", by: what.written)), now: cluster.now)
        #expect(!again.contains { if case .toHosts(_, .welcome) = $0 { true } else { false } })
    }

    @Test func `a journal's epoch far beyond the registry's is not believed, and the module is refused with the way on`() throws {
        var (cluster, _) = booted()
        let host = try #require(cluster.running["auth"]).connection
        _ = cluster.registry.on(.host(host, .outlived(module: "Auth", by: .limit)), now: cluster.now)
        #expect(cluster.registry.modules["Auth"]?.state.phase == .refused)
        #expect(cluster.registry.modules["Auth"]?.state.why.contains("restart the broker") == true)
        #expect(cluster.registry.epochs.next(of: "Auth") == Epoch(2))
        _ = cluster.registry.on(.host(host, .outlived(module: "Notes", by: Epoch(5))), now: cluster.now)
        #expect(cluster.registry.epochs.next(of: "Notes") == Epoch(2), "it is another host's")
    }

    @Test func `no count from outside is more than can be, or makes the broker trap`() throws {
        var (cluster, _) = booted()
        let host = try #require(cluster.running["auth"]).connection
        var counters = ModuleCounters()
        counters.lost = .max
        let news: [HostMessage] = [
            .counters(["Auth": counters]), .bus(FakeCluster.totals(["Notes": LostBook(epoch: Epoch(1), ["Auth": .max], others: .max)])),
            .bus(FakeCluster.totals(["Profile": LostBook(epoch: Epoch(1), ["Auth": 3], others: 3)])),
            .interrupted(module: "Auth", count: .max, effects: []), .unsettled(count: .max, effects: []),
        ]
        _ = cluster.registry.on(news.map { .host(host, $0) }, now: cluster.now)
        #expect(cluster.registry.status.modules.first { $0.id == "Auth" }?.counters.lost == .max)
        #expect(cluster.registry.noteLines.contains { $0.contains("\(UInt64.max) effects were lost with further modules") })
        // Whoever told it tells the whole again, and is believed.
        _ = cluster.registry.on(.host(host, .bus(FakeCluster.totals(["Notes": LostBook(epoch: Epoch(1), ["Auth": 1])]))), now: cluster.now)
        #expect(cluster.registry.status.modules.first { $0.id == "Auth" }?.counters.lost == 4)
    }
}
