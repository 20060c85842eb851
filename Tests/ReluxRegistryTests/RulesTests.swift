import Relux
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

/// Each rule: its name, the offender in the message, and the others go on.
@Suite struct RulesTests {
    private func refused(_ cluster: FakeCluster, _ id: ModuleID) -> String? {
        cluster.registry.modules[id]?.refusal?.rule.rawValue
    }

    @Test func `given a second instance with an existing module id, it is refused and the first keeps working`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        let second = cluster.pack(declaration("Auth", .domain, version: "2.0.0"))
        let answer = cluster.ask(.load(host: HostSpec(id: "other", plugins: [second]), dryRun: false))
        #expect(answer?.refusal?.code == "module-id-taken")
        #expect(answer?.refusal?.message.contains("host auth runs it") == true)
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.registry.hosts["other"] == nil)
        #expect(cluster.starts == ["auth"])
    }

    @Test func `a process that claims a module of another host is sent away`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        let claim = HostHello.Module(
            declaration: declaration("Auth", .domain), imports: [], epoch: nil, state: ModuleState(.recovering))
        let hello = HostHello(
            host: "rogue", pid: 999, instance: "rogue", endpoint: "", tapEndpoint: "", modules: [claim], resumed: false)
        let rogue = ConnectionID(ByteString([99]))
        let orders = cluster.registry.on(.host(rogue, .hello(hello)), now: .zero).compactMap { action -> String? in
            guard case .toHosts([rogue], let order) = action else { return nil }
            return String("\(order)".prefix { $0.isLetter })
        }
        #expect(orders == ["welcome", "refuse", "stop"])
        #expect(cluster.registry.modules["Auth"]?.host == "auth")
        #expect(cluster.running["auth"]?.epochs["Auth"] == Epoch(rawValue: 1))
        #expect(cluster.phase("Auth") == .ready)
        #expect(cluster.registry.noteLines.contains { $0.contains("module-id-taken") })
    }

    @Test(arguments: [true, false])
    func `a module with a name that cannot travel is refused, the longest one that can is not`(isTooLong: Bool) throws {
        let name = try Topic(String(repeating: "x", count: Topic.snapshotByteLimit + (isTooLong ? 1 : 0)))
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("Wide", .domain, handles: [name], provides: [name])), cluster.host(declaration("D", .domain)),
        ])
        #expect(refused(cluster, "Wide") == (isTooLong ? "unusable-topic" : nil))
        #expect(cluster.why("Wide").contains("191 bytes, the limit is 190") == isTooLong)
        #expect(cluster.phase("D") == .ready)
    }

    @Test(arguments: ["Auth", "Ghost"] as [ModuleID])
    func `what a host refuses is noted, on the disk first, whatever became of it`(id: ModuleID) throws {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain)), cluster.host(declaration("D", .domain))])
        let connection = try #require(cluster.running["auth"]?.connection)
        let message = "host.module: it takes a whole number"
        let actions = cluster.registry.on(.host(connection, .refused(module: id, code: "host.module", message: message)), now: cluster.now)
        let noted = try #require(
            actions.firstIndex { if case .toHosts([connection], .refusalNoted(id)) = $0 { true } else { false } }, "\(actions)")
        if id == "Auth" {
            let written = try #require(actions.firstIndex { if case .persist = $0 { true } else { false } })
            #expect(written < noted)
        }
        // That is when the process ends, and the supervisor would not start it again.
        cluster.crash("auth", status: "exit 78", restarts: false)
        cluster.supervisor(.quarantined(host: "auth", why: "exit 78: read its log"))
        #expect(cluster.phase("Auth") == (id == "Auth" ? .refused : .quarantined))
        #expect(cluster.why("Auth") == (id == "Auth" ? message : "exit 78: read its log"))
        #expect(cluster.phase("D") == .ready)
    }

    @Test func `nothing is emitted on the platform's own streams`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Auth", .domain))])
        let answer = cluster.ask(.emit(topic: "~settled.Auth", payload: ByteString([]), deadlineMilliseconds: 1, label: ""))
        #expect(answer?.refusal?.code == "unusable-topic")
        #expect(answer?.refusal?.message.contains("~settled.Auth") == true)
    }

    @Test func `given a dependency cycle, it is refused and the cycle is printed`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("A", .infrastructure), imports: ["BReluxInt"]),
            cluster.host(declaration("B", .infrastructure), imports: ["CReluxInt"]),
            cluster.host(declaration("C", .infrastructure), imports: ["AReluxInt"]),
            cluster.host(declaration("D", .infrastructure)),
        ])
        #expect(refused(cluster, "C") == "import-cycle")
        #expect(cluster.why("C").contains("C → A → B → C"))
        #expect(cluster.phase("A") == .waiting)
        #expect(cluster.phase("D") == .ready)
        #expect(cluster.isOpen)
    }

    @Test(arguments: [("BReluxInt", "layer.domainToDomain"), ("BModels", "layer.domainToDomain"), ("BServiceInt", "layer.serviceInterface")])
    func `a domain that imports another domain is refused`(product: String, code: String) {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("B", .domain)), cluster.host(declaration("A", .domain), imports: [product]),
        ])
        #expect(refused(cluster, "A") == code)
        #expect(cluster.why("A").contains(product))
        #expect(cluster.phase("B") == .ready)
        #expect(cluster.running["a"] == nil)
    }

    @Test func `a domain is refused also when the domain that it imports is declared after it`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("A", .domain), imports: ["BReluxInt"]), cluster.host(declaration("B", .domain)),
        ])
        #expect(refused(cluster, "A") == "layer.domainToDomain")
        #expect(cluster.phase("B") == .ready)
        #expect(cluster.isOpen)
    }

    /// - Parameter isAway: its host has not come back yet to a broker that was started again.
    @Test(arguments: [false, true])
    func `an instance that is refused while it lives is told to let go, and writes until it has`(isAway: Bool) {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("A", .domain), imports: ["BReluxInt"]), cluster.pack(declaration("C", .domain))]
        let spec = HostSpec(id: "shared", plugins: plugins)
        cluster.boot([spec])
        // It waits for what it imports.
        #expect(cluster.phase("A") != .refused && cluster.registry.modules["A"]?.isLive == true)
        cluster.slow = ["A"]
        if isAway {
            cluster.restartBroker()
            cluster.boot([spec])
        }
        cluster.ask(.load(host: cluster.host(declaration("B", .domain)), dryRun: false))
        #expect(cluster.phase("A") == .refused)
        #expect(cluster.registry.writers == ["A"])
        if isAway { cluster.resume("shared") }
        #expect(cluster.running["shared"]?.orders.last == "drain A")
        cluster.leave("shared", "A")
        cluster.play()
        #expect(cluster.registry.writers.isEmpty && cluster.phase("A") == .refused && cluster.phase("C") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `one that was refused and stands by is told again by the next broker, and not served`() {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("A", .domain)), cluster.pack(declaration("C", .domain))]
        let spec = HostSpec(id: "shared", plugins: plugins)
        cluster.boot([spec])
        let module = cluster.running["shared"]?.modules.first { $0.declaration.id == "A" }
        cluster.host("shared", says: .refused(module: "A", code: "host.module", message: "it cannot be made"))
        #expect(cluster.phase("A") == .refused)
        // The broker died when it had written that down, and its host has only given the module up.
        cluster.running["shared"]?.modules.removeAll { $0.declaration.id == "A" }
        if var module {
            module.state = ModuleState(.standby)
            cluster.running["shared"]?.modules.append(module)
        }
        cluster.running["shared"]?.epochs["A"] = nil
        cluster.restartBroker()
        cluster.resume("shared")
        cluster.boot([spec])
        #expect(cluster.phase("A") == .refused && cluster.phase("C") == .ready)
        #expect(cluster.running["shared"]?.orders.contains { $0.hasPrefix("serve A") } == false)
        #expect(cluster.running["shared"]?.orders.contains("drain A") == true)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `an instance that lives under an epoch which the registry does not know is told to let go when a rule refuses it`() throws {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("A", .domain)), cluster.pack(declaration("C", .domain))]
        let spec = HostSpec(id: "shared", plugins: plugins)
        cluster.boot([spec])
        cluster.slow = ["A"]
        // The registry is an older copy: A was another host's then.
        let other = HostSpec(id: "other", plugins: [plugins[0]])
        cluster.registry = Registry(configuration: cluster.registry.configuration)
        let process = try #require(cluster.running["shared"])
        cluster.boot([other, HostSpec(id: "shared", plugins: [plugins[1]])])
        cluster.running["shared"]?.epochs["A"] = Epoch(7)
        cluster.running["shared"]?.modules = process.modules
        cluster.resume("shared")
        #expect(cluster.registry.modules["A"]?.host == "other")
        #expect(cluster.running["shared"]?.orders.suffix(2) == ["refuse A module-id-taken", "drain A"], "\(cluster.running["shared"]?.orders ?? [])")
        #expect(cluster.phase("C") == .ready)
    }

    @Test func `an orchestrator that imports an orchestrator is refused`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("One", .orchestrator)),
            cluster.host(declaration("Two", .orchestrator), imports: ["OneReluxInt"]),
        ])
        #expect(refused(cluster, "Two") == "layer.orchestratorToOrchestrator")
        #expect(cluster.phase("One") == .ready)
    }

    @Test func `infrastructure that imports a domain is refused`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("Notes", .domain)),
            cluster.host(declaration("Base", .infrastructure), imports: ["NotesReluxInt"]),
        ])
        #expect(refused(cluster, "Base") == "layer.infrastructureToDomain")
    }

    @Test(arguments: ["AuthReluxImpl", "AuthServiceImpl", "AuthUI", "AuthTestSupport"])
    func `an import of another's private product is refused`(product: String) {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Session", .orchestrator), imports: [product])])
        #expect(refused(cluster, "Session") == "layer.implToImpl")
        #expect(cluster.why("Session").contains("AuthReluxInt"))
    }

    @Test func `given an orchestrator that imports a service, it is refused with the named rule`() {
        var cluster = FakeCluster()
        cluster.boot([cluster.host(declaration("Reaching", .orchestrator), imports: ["AuthServiceInt"])])
        #expect(refused(cluster, "Reaching") == "layer.serviceInterface")
        #expect(cluster.starts.isEmpty)
        #expect(cluster.isOpen)
    }

    @Test func `a snapshot has one owner`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(declaration("A", .domain, provides: ["Shared.Snapshot"])),
            cluster.host(declaration("B", .domain, provides: ["Shared.Snapshot"])),
        ])
        #expect(refused(cluster, "B") == "snapshot-provided-twice")
        #expect(cluster.phase("A") == .ready)
    }

    @Test func `a library that says something else than its manifest is refused and its host is stopped`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Auth", .domain, emits: ["Auth.Business.Effect"]))
        var library = HostHello.Module(
            declaration: declaration("Auth", .domain, emits: ["Auth.Business.Effect", "Other.Effect"]), imports: [],
            epoch: nil, state: ModuleState(.recovering))
        cluster.libraries[spec.plugins[0]] = library
        cluster.boot([spec])
        #expect(refused(cluster, "Auth") == "declaration-differs")
        #expect(cluster.why("Auth").contains("emits"))
        #expect(cluster.running["auth"] == nil)
        #expect(cluster.registry.picture.members.isEmpty)

        library.declaration = declaration("Auth", .domain, emits: ["Auth.Business.Effect"])
        cluster.libraries[spec.plugins[0]] = library
        #expect(cluster.ask(.restart(module: "Auth"))?.lines != nil)
        #expect(cluster.phase("Auth") == .ready)
    }

    @Test func `the built library's imports win over the manifest's`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("A", .domain))
        cluster.libraries[spec.plugins[0]]?.imports = ["BReluxInt"]
        cluster.boot([spec, cluster.host(declaration("B", .domain))])
        #expect(refused(cluster, "A") == "layer.domainToDomain")
        #expect(cluster.phase("B") == .ready)
    }

    @Test func `a plugin that cannot be read is refused under its directory's name`() {
        var cluster = FakeCluster()
        cluster.manifests["plugins/Broken/1.0.0-x"] = .unreadable(code: "manifest-damaged", message: "line 3")
        cluster.boot([HostSpec(id: "broken", plugins: ["plugins/Broken/1.0.0-x"])])
        #expect(refused(cluster, "Broken") == "manifest-damaged")
        #expect(cluster.isOpen)
        #expect(cluster.starts.isEmpty)
    }

    @Test func `a module that its host could not load is refused with the host's reason`() {
        var cluster = FakeCluster()
        cluster.mute = ["auth"]
        cluster.boot([cluster.host(declaration("Auth", .domain)), cluster.host(declaration("Notes", .domain))])
        var process = cluster.running["auth"]
        process?.modules = []
        if let process { cluster.host("auth", says: .hello(cluster.hello(process, resumed: false))) }
        cluster.host("auth", says: .refused(module: "Auth", code: "other-runtime", message: "built with 6.2"))
        #expect(refused(cluster, "Auth") == "other-runtime")
        #expect(cluster.running["auth"] == nil)
        #expect(cluster.phase("Notes") == .ready)
    }

    @Test func `one refused module in a shared host leaves its neighbours alone`() {
        var cluster = FakeCluster()
        let good = cluster.pack(declaration("Good", .domain))
        let bad = cluster.pack(declaration("Bad", .domain), imports: ["GoodReluxImpl"])
        cluster.boot([HostSpec(id: "shared", plugins: [bad, good])])
        #expect(refused(cluster, "Bad") == "layer.implToImpl")
        #expect(cluster.phase("Good") == .ready)
        #expect(cluster.running["shared"]?.spec.plugins == [good])
    }

    @Test func `the broker's own names are nobody else's`() {
        var cluster = FakeCluster(
            RegistryConfiguration(
                brokerHost: ClusterPicture.Host(id: "broker", endpoint: "ipc://b", tapEndpoint: "ipc://t")))
        let taken = cluster.pack(declaration("Cluster", .domain))
        let fine = cluster.pack(declaration("Fine", .domain, handles: ["Fine.Effect"]))
        cluster.boot([HostSpec(id: "cluster", plugins: [taken]), HostSpec(id: "broker", plugins: [fine])])
        #expect(refused(cluster, "Cluster") == "reserved-id")
        #expect(cluster.phase("Fine") == nil)
        let member = cluster.registry.picture.members.first { $0.module == "Cluster" }
        #expect(member?.emits == ["Cluster.Business.Effect"])
        #expect(member?.epoch == Epoch(rawValue: 1))
    }

    @Test func `why-not says the rule of a refusal once, whoever has put it into the sentence`() {
        for sentence in ["the manifest cannot be read", "loader.unreadable: the manifest cannot be read"] {
            var cluster = FakeCluster()
            cluster.boot([cluster.host(declaration("Auth", .domain))])
            cluster.registry.refuse("Auth", Refusal(.loaderUnreadable, sentence))
            #expect(cluster.registry.whyNot("Auth").unmet.first == "refused: loader.unreadable: the manifest cannot be read")
        }
    }

    @Test func `topics of others without a counterpart are allowed and listed`() {
        var cluster = FakeCluster()
        cluster.boot([
            cluster.host(
                declaration(
                    "Auth", .domain, handles: ["Nobody.Effect", "Auth.Business.Request"],
                    emits: ["Auth.Business.Effect", "Orchestration.Business.Answer", "Elsewhere.Effect"]))
        ])
        #expect(cluster.phase("Auth") == .ready)
        #expect(
            cluster.registry.whyNot("Auth").notes == [
                "Auth handles Nobody.Effect, which no module emits",
                "Auth emits Elsewhere.Effect, which no module handles",
            ])
        #expect(cluster.registry.noteLines.count == 2)
    }

    @Test func `every arrow of a module's life leads to a state that can end`() {
        let all: [ModuleState.Phase] = [
            .declared, .verified, .starting, .recovering, .waiting, .ready, .draining, .stopped, .backoff,
            .quarantined, .refused,
        ]
        for phase in all {
            #expect(phase == .stopped || phase.successors.contains(.stopped))
            #expect(!phase.successors.contains(phase))
            #expect(!phase.successors.contains(.declared))
        }
        #expect(!ModuleState.Phase.refused.successors.contains(.ready))
        #expect(!ModuleState.Phase.backoff.successors.contains(.ready))
    }
}
