import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@testable import ReluxRegistry

/// A start of the whole cluster, with a supervisor that knows nothing but the file: the registry says who is a member.
@Suite struct StartTests {
    private var cluster = FakeCluster()
    private let specs: [HostSpec]

    init() {
        specs = cluster.demo()
        cluster.boot(specs)
    }

    private func since(_ id: ModuleID, in cluster: FakeCluster) -> UInt64? { cluster.registry.picture.members.first { $0.module == id }?.since }

    @Test func `what was loaded while the cluster ran is started again, as the member that it was`() {
        var cluster = cluster
        let settings = cluster.host(declaration("Settings", .domain, handles: ["Settings.Business.Effect"]), restart: .transient)
        cluster.ask(.load(host: settings, dryRun: false))
        let before = since("Settings", in: cluster)
        cluster.startAgain(specs)
        #expect(cluster.isOpen)
        #expect(cluster.phase("Settings") == .ready)
        #expect(since("Settings", in: cluster) == before)
        #expect(cluster.running["settings"]?.spec == settings)
        #expect(cluster.registry.modules["Settings"]?.epoch == Epoch(2))
        #expect(cluster.registry.modules["Auth"]?.epoch == Epoch(2))
        // Whoever wants to know compares again: what was done about it since would leave the remark of a start untrue.
        #expect(cluster.registry.noteLines.allSatisfy { !$0.contains("the file does not name it") }, "\(cluster.registry.noteLines)")
        let notes = cluster.said
        #expect(notes.contains { $0.hasPrefix("Settings starts: it is a member, and the file does not name it; relux apply takes it out") }, "\(notes)")
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `what was unloaded stays out, until the file names it anew`() {
        var cluster = cluster
        cluster.ask(.unload(module: "Notes", yes: true))
        for _ in 0..<2 {
            cluster.startAgain(specs)
            #expect(cluster.phase("Notes") == nil && cluster.isOpen)
            #expect(cluster.said.contains { $0.hasPrefix("Notes stays out: it was unloaded") })
        }
        cluster.startAgain(specs.filter { $0.id != "notes" })
        cluster.startAgain(specs)
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `a removal that a start has cut is done`() {
        var cluster = cluster
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: true))
        #expect(cluster.phase("Notes") == .draining)
        cluster.startAgain(specs)
        #expect(cluster.phase("Notes") == nil && cluster.isOpen)
    }

    @Test func `what was moved stays where it is, until the file says otherwise`() {
        var cluster = cluster
        cluster.ask(.move(module: "Notes", to: "profile", dryRun: false))
        cluster.startAgain(specs)
        #expect(cluster.registry.modules["Notes"]?.host == "profile")
        #expect(cluster.running["profile"]?.spec.plugins.count == 2 && cluster.running["notes"] == nil)
        let notes = cluster.said
        #expect(notes.contains { $0.hasPrefix("Notes starts in host profile, where it was taken while the cluster ran; the file says notes") }, "\(notes)")
        var edited = specs
        edited[edited.firstIndex { $0.id == "notes" } ?? 0].id = "elsewhere"
        cluster.startAgain(edited)
        #expect(cluster.registry.modules["Notes"]?.host == "elsewhere")
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.complaints.isEmpty, "\(cluster.complaints)")
    }

    @Test func `an upgrade out of a shared host leaves the module's place to the next start`() {
        var scene = HandoverScene()
        scene.cluster.ask(.upgrade(module: "Notes", directory: "plugins/Notes/2.0.0-abc", dryRun: false))
        #expect(scene.cluster.registry.modules["Notes"]?.host == "Notes")
        scene.startAgain(scene.specs)
        #expect(scene.cluster.registry.modules["Notes"]?.host == "shared")
        #expect(scene.cluster.registry.modules["Notes"]?.directory == "plugins/Notes/2.0.0-abc")
    }

    @Test func `what the file names no more is a member still, and what it names more is started`() {
        var cluster = cluster
        let weather = cluster.host(declaration("Weather", .domain))
        let before = since("Profile", in: cluster)
        cluster.startAgain(specs.filter { $0.id != "profile" } + [weather])
        #expect(cluster.phase("Profile") == .ready && cluster.phase("Weather") == .ready)
        #expect(since("Profile", in: cluster) == before)
        let notes = cluster.said
        // Also behind another start, whose file named it no more than this one does.
        cluster.startAgain(specs.filter { $0.id != "profile" } + [weather])
        #expect(cluster.said.allSatisfy { !$0.contains("was loaded") && !$0.contains("taken out") }, "\(cluster.said)")
        #expect(notes.contains { $0.hasPrefix("Profile starts: it is a member, and the file does not name it") })
        #expect(notes.contains("Weather starts in host weather: it is new in the file"))
    }

    @Test func `what the file says of a host counts from the next start on`() {
        var cluster = cluster
        var edited = specs
        let index = edited.firstIndex { $0.id == "auth" } ?? 0
        edited[index].environment = ["RELUX_SERVICES_Auth": "mock"]
        edited[index].restart = .transient
        cluster.startAgain(edited)
        #expect(cluster.running["auth"]?.spec == edited[index])
        let notes = cluster.said
        #expect(notes.contains("host auth starts with the file's environment (RELUX_SERVICES_Auth), restart (permanent)"), "\(notes)")
    }

    @Test func `a host that starts is told the kinds of all modules there are, wherever they are packed`() {
        var cluster = cluster
        cluster.ask(.load(host: cluster.host(declaration("Settings", .domain)), dryRun: false))
        let told = cluster.kinds["settings"]
        #expect(told?["Settings"] == .domain && told?["Auth"] == .domain)
        let known = Dictionary(uniqueKeysWithValues: cluster.registry.modules.values.map { ($0.id.rawValue, $0.kind) })
        #expect(told == known)
        cluster.ask(.unload(module: "Settings", yes: true))
        cluster.ask(.restart(module: "Auth"))
        #expect(cluster.kinds["auth"]?["Settings"] == nil && cluster.kinds["auth"]?["Auth"] == .domain)
    }

    @Test func `a reset goes back to the file, and only it drops members`() {
        var cluster = cluster
        cluster.ask(.load(host: cluster.host(declaration("Settings", .domain)), dryRun: false))
        cluster.ask(.unload(module: "Notes", yes: true))
        cluster.ask(.move(module: "Auth", to: "profile", dryRun: false))
        cluster.startAgain(specs, .init(isReset: true))
        #expect(cluster.phase("Settings") == nil && cluster.running["settings"] == nil)
        #expect(cluster.phase("Notes") == .ready)
        #expect(cluster.registry.modules["Auth"]?.host == "auth")
        let notes = cluster.said
        #expect(notes.contains("Settings is dropped: the file does not name it; what pends on it is lost"), "\(notes)")
    }

    @Test func `a start with what is packed takes each version whose contract allows it`() throws {
        var scene = HandoverScene()
        func contract(_ name: String) throws -> ByteString {
            ByteString(try CBOR.encode(Contract(topics: [TopicContract(topic: "Auth.Business.Effect", cases: [CaseContract(name: name)])])))
        }
        for (directory, version, name) in [(HandoverScene.first, "1.0.0", "login"), (HandoverScene.second, "2.0.0", "signIn")] {
            let handles = scene.cluster.manifests[directory]?.declaration?.handles ?? []
            scene.cluster.manifests[directory] = .manifest(
                HandoverScene.auth(version, handles: handles), imports: ["AuthReluxInt"], contract: try contract(name))
        }
        let packed = [HostSpec(id: "auth", plugins: [HandoverScene.second]), scene.specs[2]]
        scene.startAgain(packed, .init(isPacked: true))
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
        let notes = scene.cluster.said
        #expect(notes.contains { $0.contains("Auth 2.0.0 breaks the contract of 1.0.0") }, "\(notes)")
        // Refused here as in an upgrade and in a load.
        #expect(scene.upgrade()?.refusal?.code == "contract-broken")
        scene.cluster.ask(.unload(module: "Auth", yes: true))
        let load = HostSpec(id: "auth", plugins: [HandoverScene.second])
        #expect(scene.cluster.ask(.load(host: load, dryRun: false))?.refusal?.code == "contract-broken")
        #expect(scene.cluster.ask(.load(host: load, dryRun: true, yes: true))?.lines != nil)
        scene.cluster.manifests[HandoverScene.second] = .manifest(
            HandoverScene.auth("2.0.0", handles: ["Auth.Business.Effect", "Other.Business.Effect"]), imports: ["AuthReluxInt"],
            contract: try contract("login"))
        scene.cluster.ask(.load(host: HostSpec(id: "auth", plugins: [HandoverScene.first]), dryRun: false))
        scene.startAgain(packed, .init(isPacked: true))
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
        let back = scene.cluster.ask(.rollback(module: "Auth", dryRun: true))
        #expect(back?.lines != nil, "\(String(describing: back))")
    }

    @Test func `what was served for another runtime is not to be upgraded: a start with what is packed takes its place`() throws {
        var scene = HandoverScene()
        let packed = [HostSpec(scene.specs[0], plugins: [HandoverScene.second]), scene.specs[1], scene.specs[2]]
        // The runtime was built anew, and with it what is packed.
        scene.cluster.manifests[HandoverScene.first] = .manifest(
            HandoverScene.auth("1.0.0"), imports: ["AuthReluxInt"], contract: ByteString([]), runtime: "an earlier one")
        func notes(_ file: [HostSpec], _ purpose: MembershipPlan.Purpose) -> [String] {
            scene.cluster.registry.plan(file, scene.cluster.manifests, for: purpose).differences.map(\.text)
        }
        let what = "Auth 1.0.0, which was served last, was built for another runtime, and this one refuses it"
        #expect(notes(packed, .start()) == ["\(what); 2.0.0 is packed for this one: relux up --packed"])
        #expect(notes(packed, .running) == ["\(what); 2.0.0 is packed for this one: relux module load Auth --packed"])
        #expect(notes(scene.specs, .start()) == ["\(what): build it and pack it again, then relux up --packed"])
        scene.cluster.host("auth", says: .refused(module: "Auth", code: "loader.guard", message: "built for another; pack it again"))
        #expect(scene.cluster.why("Auth") == "built for another; pack it again, then: relux module load Auth --packed")
        scene.cluster.host("shared", says: .refused(module: "Notes", code: "loader.unreadable", message: "plugins/Notes/1.0.0-abc cannot be read"))
        #expect(scene.cluster.why("Notes").contains("bring that directory back and restart it: relux module restart Notes; or load another version in its place"))
        scene.cluster.ask(.unload(module: "Auth", yes: true))
        let load = HostSpec(id: "auth", plugins: [HandoverScene.second])
        let refusal = scene.cluster.ask(.load(host: load, dryRun: false, takesServed: true))?.refusal
        #expect(refusal?.code == "other-runtime" && refusal?.message.contains("relux module load Auth --packed") == true, "\(refusal?.message ?? "")")
        #expect(scene.cluster.ask(.load(host: load, dryRun: false))?.lines != nil)
        #expect(scene.cluster.phase("Auth") == .ready && scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
    }

    @Test func `what is packed beside a member that the file does not name is said, and a start with what is packed takes it`() throws {
        let scene = HandoverScene()
        let file = Array(scene.specs.dropFirst())
        var manifests = scene.cluster.manifests
        let link = try #require(PluginFacts.current(beside: HandoverScene.first))
        #expect(scene.cluster.registry.directories(toCompareWith: file).contains(link))
        manifests[HandoverScene.second] = .manifest(HandoverScene.auth("2.0.0"), imports: ["AuthReluxInt"], contract: ByteString([]), place: HandoverScene.second)
        manifests[link] = manifests[HandoverScene.second]
        func notes(_ purpose: MembershipPlan.Purpose) -> [String] {
            scene.cluster.registry.plan(file, manifests, for: purpose).differences.map(\.text).filter { $0.contains("2.0.0") }
        }
        #expect(notes(.running) == ["Auth 1.0.0 is served; 2.0.0 is packed but not served: relux module upgrade Auth"])
        #expect(notes(.start()) == ["Auth starts 1.0.0, which was served last; 2.0.0 is packed but not served: relux module upgrade Auth"])
        let plan = scene.cluster.registry.plan(file, manifests, for: .start(isPacked: true))
        #expect(plan.hosts.contains { $0.plugins.contains(HandoverScene.second) }, "\(plan.hosts)")
        #expect(notes(.start(isPacked: true)) == ["Auth starts 2.0.0, which was packed last; 1.0.0 was served before"])
    }

    @Test func `two directories of one version are told apart, also where one is not named after it`() {
        var scene = HandoverScene()
        let elsewhere = "elsewhere/Auth"
        scene.cluster.manifests[elsewhere] = scene.cluster.manifests[HandoverScene.first]
        let file = [HostSpec(scene.specs[0], plugins: [elsewhere]), scene.specs[1], scene.specs[2]]
        let notes = scene.cluster.registry.plan(file, scene.cluster.manifests, for: .start()).differences.map(\.text)
        #expect(notes.contains { $0.hasPrefix("Auth starts 1.0.0-abc, which was served last; 1.0.0 in \(elsewhere) is packed but not served") }, "\(notes)")
    }

    @Test func `a start with what is packed takes also what was rolled back from, where what is served cannot run any more`() {
        var scene = HandoverScene()
        scene.upgrade()
        scene.cluster.ask(.rollback(module: "Auth", dryRun: false))
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
        let packed = [HostSpec(scene.specs[0], plugins: [HandoverScene.second]), scene.specs[1], scene.specs[2]]
        let before = scene.cluster.registry.plan(packed, scene.cluster.manifests, for: .start(isPacked: true))
        #expect(before.hosts.first?.plugins == [HandoverScene.first])
        scene.cluster.manifests[HandoverScene.first] = .manifest(
            HandoverScene.auth("1.0.0"), imports: ["AuthReluxInt"], contract: ByteString([]), runtime: "an earlier one")
        let plan = scene.cluster.registry.plan(packed, scene.cluster.manifests, for: .start(isPacked: true))
        #expect(plan.hosts.first?.plugins == [HandoverScene.second])
        #expect(plan.differences.map(\.text) == ["Auth starts 2.0.0, which was packed last; 1.0.0 was served before, and was built for another runtime"])
    }

    @Test func `a module that the file misspells is no other one: nothing is taken out for it`() {
        let misspelt = specs.map { $0.id == "notes" ? HostSpec(id: "notes", plugins: ["plugins/notes/current"]) : $0 }
        var manifests = cluster.manifests
        manifests["plugins/notes/current"] = .unreadable(code: "loader.unreadable", message: "no such file")
        let differences = cluster.registry.plan(misspelt, manifests, for: .running).differences
        #expect(
            differences == [
                MembershipDifference(
                    "notes is in the file, and nothing is packed in plugins/notes/current; Notes, which runs, is not in the file: did you mean 'Notes'?")
            ])
        // Another module, which is packed, is another module.
        manifests["plugins/notes/current"] = .manifest(declaration("notes", .domain), imports: [], contract: ByteString([]))
        let steps = cluster.registry.plan(misspelt, manifests, for: .running).differences.map(\.step)
        #expect(steps.contains(.unload("Notes")) && steps.count == 2, "\(steps)")
    }

    @Test func `a cluster whose folder has another name finds its versions in it`() {
        var cluster = cluster
        let settings = cluster.host(declaration("Settings", .domain))
        cluster.ask(.load(host: settings, dryRun: false))
        cluster.rename("plugins", to: "renamed")
        let moved = specs.map { HostSpec(id: $0.id, plugins: $0.plugins.map { "renamed" + $0.dropFirst("plugins".count) }) }
        cluster.startAgain(moved)
        for record in cluster.registry.modules.values {
            #expect(record.state.phase == .ready && record.directory.hasPrefix("renamed/"), "\(record.id) \(record.state) \(record.directory)")
        }
        #expect(cluster.registry.modules.count == specs.count + 1)
        cluster.startAgain(moved)
        #expect(cluster.said.allSatisfy { !$0.contains("lies now") })
    }

    @Test func `a member whose library is refused stays one, and is served by another version`() {
        var scene = HandoverScene()
        scene.cluster.isSetUp("Notes", in: "shared")
        let before = since("Notes", in: scene.cluster)
        scene.cluster.host("shared", says: .refused(module: "Notes", code: "loader.hash", message: "its sha256 is another one"))
        #expect(scene.cluster.phase("Notes") == .refused && since("Notes", in: scene.cluster) == before)
        scene.cluster.ask(.load(host: HostSpec(id: "notes", plugins: ["plugins/Notes/2.0.0-abc"]), dryRun: false))
        #expect(scene.cluster.phase("Notes") == .ready && since("Notes", in: scene.cluster) == before)
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)")
    }

    @Test func `a module that has never been set up is no member when it is refused`() {
        var cluster = cluster
        let spec = cluster.host(declaration("Settings", .domain))
        cluster.mute = ["settings"]
        cluster.ask(.load(host: spec, dryRun: false))
        cluster.resume("settings")
        cluster.host("settings", says: .refused(module: "Settings", code: "host.module", message: "it could not be set up"))
        #expect(cluster.phase("Settings") == .refused && since("Settings", in: cluster) == nil)
    }

    @Test func `a load that waited for a removal comes with the next start`() {
        var cluster = cluster
        cluster.slow = ["Notes"]
        cluster.ask(.unload(module: "Notes", yes: true))
        let lines = cluster.ask(.load(host: specs[3], dryRun: false))?.lines
        #expect(lines?.first?.contains("as soon as the removal of Notes has ended") == true)
        cluster.slow = []
        cluster.startAgain(specs)
        #expect(cluster.phase("Notes") == .ready)
    }

    @Test func `a linked module that no directory brings back waits for its host`() {
        var cluster = cluster
        let ui = HostSpec(id: "ui", plugins: [])
        cluster.spawn(ui)
        cluster.running["ui"]?.start = nil
        cluster.running["ui"]?.modules = [
            HostHello.Module(
                declaration: declaration("UI", .domain, handles: ["UI.Effect"]), imports: [], epoch: nil, state: ModuleState(.recovering))
        ]
        cluster.queue = []
        cluster.send(.host(cluster.running["ui"]?.connection ?? FakeCluster.client, .hello(cluster.hello(cluster.running["ui"] ?? cluster.none, resumed: false))))
        #expect(cluster.phase("UI") == .ready)
        let before = since("UI", in: cluster)
        cluster.startAgain(specs)
        #expect(cluster.phase("UI") == .stopped && since("UI", in: cluster) == before)
        #expect(cluster.isOpen)
    }
}

extension FakeCluster {
    /// All processes end, and a new supervisor comes with these hosts.
    mutating func startAgain(_ specs: [HostSpec], _ start: SupervisorHello.Start? = nil) {
        running = [:]
        restartBroker()
        supervisorInstance += "'"
        let purpose = MembershipPlan.Purpose.start(isReset: start?.isReset == true, isPacked: start?.isPacked == true)
        said = registry.plan(specs, manifests, for: purpose).differences.map(\.text)
        boot(specs, start)
    }

    /// The folder of packed plugins has another name.
    mutating func rename(_ old: String, to new: String) {
        func renamed(_ directory: String) -> String { new + directory.dropFirst(old.count) }
        libraries = Dictionary(uniqueKeysWithValues: libraries.map { (renamed($0), $1) })
        manifests = Dictionary(uniqueKeysWithValues: manifests.map { (renamed($0), $1) })
    }

    var none: Process {
        Process(
            spec: HostSpec(id: "none", plugins: []), pid: 0, instance: "", connection: Self.client, start: nil)
    }
}
