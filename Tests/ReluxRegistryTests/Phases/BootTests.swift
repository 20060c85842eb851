import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxTestKit
import ReluxWire
import Testing

@Suite struct BootTests {
    @Test func `the cluster comes up by phases and opens the ingress after the third`() throws {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        #expect(cluster.isOpen)
        #expect(cluster.facts.last == .clusterReady)
        let kinds = cluster.readyOrder.compactMap { cluster.registry.modules[$0]?.kind.phaseRank }
        #expect(kinds == kinds.sorted())
        #expect(kinds.count == 6)
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `given orchestrators started before domains, no orchestrator is ready before its domains are`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        #expect(cluster.registry.boot == .domains)
        #expect(cluster.phase("SessionOrchestration") == .verified)
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        #expect(cluster.isOpen)
        #expect(cluster.phase("SessionOrchestration") == .ready)
    }

    @Test func `a user interface starts after the domains, knows them, and nobody knows it`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        let interface = cluster.host(declaration("AuthUI", .userInterface), imports: ["AuthReluxInt"])
        cluster.boot([interface] + cluster.demo() + [cluster.host(declaration("Curious", .domain), imports: ["AuthUIReluxInt"])])
        #expect(cluster.registry.boot == .domains && cluster.phase("AuthUI") == .verified)
        let why = cluster.registry.whyNot("AuthUI").unmet
        #expect(why.contains("modules of the kind user interface start after the phase domains, which waits for Auth"), "\(why)")
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        #expect(cluster.isOpen && cluster.phase("AuthUI") == .ready)
        #expect(cluster.registry.modules["Curious"]?.refusal?.rule.rawValue == "layer.toOrchestrator")
    }

    @Test func `given a module with two dependencies, its dependencies are started and ready before it`() throws {
        var cluster = FakeCluster()
        let specs = [
            cluster.host(declaration("Top", .infrastructure), imports: ["SecondReluxInt", "FirstReluxInt"]),
            cluster.host(declaration("First", .infrastructure)),
            cluster.host(declaration("Second", .infrastructure), imports: ["FirstReluxInt"]),
        ]
        cluster.boot(specs)
        #expect(cluster.starts.map(\.rawValue) == ["first", "second", "top"])
        #expect(cluster.readyOrder == ["First", "Second", "Top"])
    }

    @Test func `a host that came first is still held back until what it imports is ready`() {
        var cluster = FakeCluster()
        cluster.slow = ["First"]
        cluster.boot([
            cluster.host(declaration("Top", .infrastructure), imports: ["FirstReluxInt"]),
            cluster.host(declaration("First", .infrastructure)),
        ])
        #expect(cluster.phase("Top") == .waiting)
        #expect(cluster.why("Top").contains("First is recovering"))
        #expect(cluster.running["top"]?.orders == [])
        cluster.host("first", says: .state(module: "First", state: ModuleState(.ready)))
        #expect(cluster.phase("Top") == .ready)
    }

    @Test func `a domain that crashes at boot holds up only those that import it`() {
        var cluster = FakeCluster()
        cluster.mute = ["auth"]
        var specs = cluster.demo()
        specs.append(cluster.host(declaration("NotesOrchestration", .orchestrator), imports: ["NotesReluxInt"]))
        cluster.boot(specs)
        #expect(cluster.registry.boot == .domains)
        cluster.crash("auth", restarts: false)
        #expect(cluster.isOpen)
        #expect(cluster.phase("Auth") == .backoff)
        #expect(cluster.phase("NotesOrchestration") == .ready)
        #expect(cluster.phase("SessionOrchestration") == .waiting)
        #expect(cluster.why("SessionOrchestration").contains("Auth is backoff"))
        cluster.supervisor(.quarantined(host: "auth", why: "5 crashes in 60 s"))
        #expect(cluster.phase("Auth") == .quarantined)
    }

    @Test func `a host that never says hello is quarantined and the others go on`() {
        var cluster = FakeCluster()
        cluster.mute = ["navigation"]
        cluster.boot(cluster.demo())
        #expect(cluster.registry.boot == .infrastructure)
        cluster.pass(.seconds(31), in: 31)
        #expect(cluster.phase("Navigation") == .quarantined)
        #expect(cluster.phase("Auth") == .waiting)
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.isOpen)
    }

    @Test func `a module that never becomes ready loses the patience of its phase`() {
        var cluster = FakeCluster()
        cluster.slow = ["Profile"]
        cluster.boot(cluster.demo())
        #expect(cluster.registry.boot == .domains)
        cluster.pass(.seconds(31), in: 31)
        #expect(cluster.isOpen)
        #expect(cluster.phase("Profile") == .recovering)
        #expect(cluster.phase("SessionOrchestration") == .waiting)
    }

    @Test func `a ready that nobody asked for is refused and counted`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        cluster.boot([])
        cluster.host("notes", says: .state(module: "Notes", state: ModuleState(.quarantined)))
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.registry.counters.illegalTransitions == 1)
        var late = FakeCluster()
        late.slow = ["First"]
        late.boot([
            late.host(declaration("Top", .infrastructure), imports: ["FirstReluxInt"]),
            late.host(declaration("First", .infrastructure)),
        ])
        late.host("top", says: .state(module: "Top", state: ModuleState(.ready)))
        #expect(late.phase("Top") == .waiting)
        #expect(late.registry.counters.illegalTransitions == 1)
    }

    @Test func `several modules live in one host and become ready in the order of the phases`() {
        var cluster = FakeCluster()
        let directories = [
            cluster.pack(declaration("Both", .orchestrator), imports: ["OneReluxInt", "TwoReluxInt"]),
            cluster.pack(declaration("One", .domain)),
            cluster.pack(declaration("Two", .domain), imports: ["BaseReluxInt"]),
            cluster.pack(declaration("Base", .infrastructure)),
        ]
        cluster.boot([HostSpec(id: "shared", plugins: directories)])
        #expect(cluster.starts == ["shared"])
        #expect(cluster.readyOrder.first == "Base")
        #expect(cluster.readyOrder.last == "Both")
        #expect(cluster.isOpen)
        #expect(Set(cluster.running["shared"]?.epochs.keys.map(\.rawValue) ?? []) == ["Both", "One", "Two", "Base"])
    }

    @Test func `an executable of its own is taken for a domain until it says what it is`() {
        var cluster = FakeCluster()
        cluster.mute = ["notes"]
        cluster.boot([
            cluster.host(declaration("Data", .orchestrator), imports: ["NotesReluxInt"]),
            HostSpec(id: "notes", plugins: [], executable: "/opt/notes"),
        ])
        #expect(cluster.starts == ["notes"])
        #expect(cluster.registry.boot == .domains)
        let hello = HostHello.Module(
            declaration: declaration("Notes", .domain), imports: [], epoch: nil, state: ModuleState(.recovering))
        cluster.running["notes"]?.modules = [hello]
        if let process = cluster.running["notes"] {
            cluster.host("notes", says: .hello(cluster.hello(process, resumed: false)))
        }
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.phase("Data") == .ready)
    }

    @Test func `without a supervisor hosts come as they like and orchestrators still wait for their domains`() {
        var cluster = FakeCluster(RegistryConfiguration(supervised: false))
        cluster.spawn(cluster.host(declaration("Data", .orchestrator), imports: ["NotesReluxInt"]))
        cluster.play()
        #expect(cluster.isOpen)
        #expect(cluster.phase("Data") == .waiting)
        cluster.spawn(cluster.host(declaration("Notes", .domain)))
        cluster.play()
        #expect(cluster.readyOrder == ["Notes", "Data"])
        #expect(cluster.ask(.restart(module: "Notes"))?.refusal?.code == "no-supervisor")
        cluster.mute = ["notes"]
        cluster.pass(.seconds(6), in: 12)
        #expect(cluster.phase("Notes") == .backoff)
        #expect(cluster.running["data"]?.ended["Notes"] == Epoch(rawValue: 1))
        #expect(cluster.phase("Data") == .ready)
    }

    @Test func `a supervisor that was silent introduces itself again`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        let starts = cluster.starts
        cluster.send(.silent(FakeCluster.supervisor))
        cluster.supervisor(.pong)
        #expect(cluster.supervisorOrders.last == "introduce")
        cluster.boot(specs)
        #expect(cluster.starts == starts)
        #expect(cluster.isOpen)
        #expect(cluster.registry.status.supervisorPid == 7)
    }

    @Test func `only a limited number of processes is started at once`() {
        var cluster = FakeCluster(RegistryConfiguration(startsAtOnce: 2))
        let specs = ["A", "B", "C", "D"].map { cluster.host(declaration(name($0), .domain)) }
        cluster.mute = Set(specs.map(\.id))
        cluster.boot(specs)
        #expect(cluster.starts.map(\.rawValue) == ["a", "b"])
        if let process = cluster.running["a"] {
            cluster.host("a", says: .hello(cluster.hello(process, resumed: false)))
        }
        #expect(cluster.starts.map(\.rawValue) == ["a", "b", "c"])
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `the order of declaration never matters`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var cluster = FakeCluster(RegistryConfiguration(startsAtOnce: Int.random(in: 1...5, using: &random)))
        var specs: [HostSpec] = []
        for index in 0..<6 {
            let imports = (0..<index).filter { _ in Bool.random(using: &random) }.map { "I\($0)ReluxInt" }
            specs.append(cluster.host(declaration(name("I\(index)"), .infrastructure), imports: imports))
        }
        for index in 0..<8 {
            let imports = (0..<6).filter { _ in Bool.random(using: &random) }.map { "I\($0)ReluxInt" }
            specs.append(cluster.host(declaration(name("D\(index)"), .domain), imports: imports))
        }
        for index in 0..<5 {
            let imports = (0..<8).filter { _ in Bool.random(using: &random) }.map { "D\($0)ReluxInt" }
            specs.append(cluster.host(declaration(name("O\(index)"), .orchestrator), imports: imports))
        }
        specs.shuffle(using: &random)
        cluster.boot(specs)
        #expect(cluster.isOpen)
        #expect(cluster.complaints.isEmpty)
        #expect(cluster.registry.counters == Notices.Counters())
        let order = cluster.readyOrder
        #expect(order.count == 19)
        for (place, id) in order.enumerated() {
            guard let record = cluster.registry.modules[id] else { continue }
            for name in record.imports {
                let provider = order.firstIndex { "\($0)ReluxInt" == name } ?? .max
                #expect(provider < place, "\(id) was ready before \(name)")
            }
            #expect(order[..<place].allSatisfy { cluster.registry.modules[$0]!.kind.phaseRank <= record.kind.phaseRank })
        }
    }
}

extension ModuleDeclaration.Kind {
    var phaseRank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
