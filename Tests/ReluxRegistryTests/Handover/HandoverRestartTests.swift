import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@testable import ReluxRegistry

/// The broker ends at every stage of a hand-over, with each process alive or dead: it is brought to its end all the same.
@Suite struct HandoverRestartTests {
    enum Point: String, CaseIterable, Sendable {
        case preparing, cuttingOver, sealed, serving, restored, committed
        /// The order to serve was given, and the broker died before it had written so; the order came, or did not.
        case orderedUnwritten, restoredUnwritten
        /// The process follows the order of an earlier attempt; the present one's is on its way, or died with its broker.
        case restoredEarlier

        /// The orders that are held back so that the scene stops there.
        var heldBack: Set<String> {
            switch self {
            case .preparing: ["Auth standby"]
            case .cuttingOver, .sealed: ["auth handOver"]
            case .serving, .restored, .restoredEarlier: ["Auth serve"]
            case .committed: []
            case .orderedUnwritten, .restoredUnwritten: ["auth handOver", "Auth serve"]
            }
        }

        /// Where the broker that dies takes it to be.
        var stage: Handover.Stage {
            switch self {
            case .preparing: .preparing
            case .cuttingOver, .sealed: .cuttingOver
            case .serving, .restored, .orderedUnwritten, .restoredUnwritten, .restoredEarlier: .serving
            case .committed: .committed
            }
        }
    }

    private func scene(at point: Point) -> HandoverScene {
        var scene = HandoverScene()
        scene.cluster.heldBack = point.heldBack
        if point == .committed { scene.cluster.slow = ["Auth"] }
        scene.upgrade()
        switch point {
        // The steps of the process while nobody listened.
        case .sealed:
            scene.cluster.running["auth"]?.epochs["Auth"] = nil
            scene.set("auth", .standby)
        case .restored:
            scene.cluster.running["Auth"]?.epochs["Auth"] = Epoch(rawValue: 2)
            scene.set("Auth", .waiting)
        case .restoredEarlier:
            scene.cluster.outdated = ["Auth"]
            scene.cluster.running["Auth"]?.epochs["Auth"] = Epoch(rawValue: 1)
            scene.set("Auth", .waiting)
        case .orderedUnwritten, .restoredUnwritten:
            scene.cluster.isForgetful = true
            scene.cluster.running["auth"]?.epochs["Auth"] = nil
            scene.set("auth", .standby)
            scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
            guard point == .restoredUnwritten else { break }
            scene.cluster.running["Auth"]?.epochs["Auth"] = Epoch(rawValue: 2)
            scene.set("Auth", .waiting)
        default: break
        }
        scene.cluster.heldBack = []
        scene.cluster.slow = []
        return scene
    }

    private func expectEnd(_ scene: HandoverScene, isNew: Bool, _ location: SourceLocation = #_sourceLocation) {
        #expect(scene.servers == [isNew ? "Auth" : "auth"], sourceLocation: location)
        #expect(scene.cluster.phase("Auth") == .ready, sourceLocation: location)
        #expect(scene.cluster.registry.handovers.isEmpty, sourceLocation: location)
        #expect(scene.cluster.registry.modules["Auth"]?.directory == (isNew ? HandoverScene.second : HandoverScene.first), sourceLocation: location)
        #expect(scene.cluster.running.keys.sorted() == [isNew ? "Auth" : "auth", "session", "shared"], sourceLocation: location)
        #expect(scene.cluster.registry.hosts.keys.sorted() == [isNew ? "Auth" : "auth", "session", "shared"], sourceLocation: location)
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)", sourceLocation: location)
    }

    @Test(arguments: Point.allCases)
    func `the next broker goes on where it stands`(point: Point) {
        var scene = scene(at: point)
        #expect(scene.stage == point.stage)
        #expect(scene.cluster.running["Auth"]?.orders.contains("serve Auth") == (point.stage != .preparing && point.stage != .cuttingOver))
        scene.restartBroker()
        scene.cluster.pass(.seconds(8), in: 8)
        expectEnd(scene, isNew: true)
        let asked = scene.cluster.ask(.upgrade(module: "Auth", directory: HandoverScene.second, dryRun: false), id: "upgrade")
        #expect(asked?.lines?.first?.hasPrefix("Auth 1.0.0 → 2.0.0 in host Auth") == true)
    }

    @Test(arguments: Point.allCases, [1, 2, 3])
    func `processes that died with the broker are missed`(point: Point, dead: Int) {
        var scene = scene(at: point)
        if dead & 1 != 0 { scene.cluster.running["auth"] = nil }
        if dead & 2 != 0 { scene.cluster.running["Auth"] = nil }
        scene.restartBroker()
        // Hosts that ended are started again, as their supervisor would do it.
        for _ in 0..<3 {
            scene.cluster.pass(.seconds(8), in: 8)
            for (id, host) in scene.cluster.registry.hosts where host.process == .backoff && scene.cluster.running[id] == nil {
                scene.cluster.spawn(host.spec)
                scene.cluster.play()
            }
        }
        let isCommitted = point == .committed
        let isNewAlive = dead & 2 == 0
        expectEnd(scene, isNew: isCommitted || isNewAlive)
    }

    @Test(arguments: Point.allCases)
    func `a cluster that is started again serves what was committed`(point: Point) {
        var scene = scene(at: point)
        scene.cluster.running = [:]
        scene.cluster.restartBroker()
        scene.cluster.supervisorInstance = "supervisor-2"
        scene.cluster.boot(scene.specs)
        #expect(scene.cluster.registry.handovers.isEmpty)
        #expect(scene.cluster.phase("Auth") == .ready)
        let hasFailed = scene.cluster.facts.contains { if case .upgradeFailed = $0 { true } else { false } }
        #expect(hasFailed == (point != .committed))
        #expect(scene.servers == ["auth"])
        #expect(scene.cluster.running["auth"]?.spec.plugins == [point == .committed ? HandoverScene.second : HandoverScene.first])
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)")
    }

    @Test func `what was served is started again, whatever was packed since, and there is a way back`() {
        var scene = HandoverScene()
        scene.upgrade()
        let third = scene.cluster.pack(HandoverScene.auth("3.0.0"), imports: ["AuthReluxInt"])
        scene.startAgain([HostSpec(id: "auth", plugins: [third])])
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
        let notes = scene.cluster.said
        #expect(notes.contains("Auth starts 2.0.0, which was served last; 3.0.0 is packed but not served: relux module upgrade Auth"), "\(notes)")
        #expect(scene.cluster.ask(.rollback(module: "Auth", dryRun: false))?.lines != nil)
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)")
    }

    @Test func `a rollback stays, also where the configuration names whatever is newest`() {
        var scene = HandoverScene()
        scene.upgrade()
        scene.cluster.ask(.rollback(module: "Auth", dryRun: false))
        for _ in 0..<2 {
            scene.startAgain([HostSpec(id: "auth", plugins: [HandoverScene.second])])
            #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
        }
        #expect(scene.cluster.ask(.rollback(module: "Auth", dryRun: true))?.refusal?.code == "no-way-back")
    }

    @Test func `a version that was served and is gone is named, and its module stays the member that it was`() throws {
        var scene = HandoverScene()
        scene.upgrade()
        let since = scene.member?.since
        let manifest = scene.cluster.manifests[HandoverScene.second]
        scene.cluster.manifests[HandoverScene.second] = .unreadable(code: "x", message: "no such directory")
        scene.startAgain(scene.specs)
        #expect(scene.cluster.phase("Auth") == .refused)
        let why = scene.cluster.why("Auth")
        #expect(why.contains("Auth was served from \(HandoverScene.second), which is not there any more (no such directory)"), "\(why)")
        #expect(why.contains("relux module restart Auth; or start 1.0.0, which is packed now: relux down, relux up --packed"), "\(why)")
        var alone = scene
        alone.startAgain([HostSpec(id: "auth", plugins: [HandoverScene.second])])
        #expect(alone.cluster.why("Auth").contains("relux module restart Auth; or load another version in its place: relux module load DIRECTORY"))
        #expect(scene.member?.since == since && scene.member?.host == nil)
        // Somebody says what becomes of it.
        var other = scene
        #expect(other.cluster.ask(.load(host: scene.specs[0], dryRun: false))?.lines != nil)
        #expect(other.cluster.phase("Auth") == .ready && other.member?.since == since)
        // Or it is back.
        scene.cluster.manifests[HandoverScene.second] = manifest
        scene.startAgain(scene.specs)
        #expect(scene.cluster.phase("Auth") == .ready && scene.member?.since == since)
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
        #expect(scene.cluster.complaints.isEmpty && other.cluster.complaints.isEmpty)
    }

    @Test func `a served version that is gone is its module's, also where its folder has another name`() throws {
        var scene = HandoverScene()
        let elsewhere = "elsewhere/x"
        scene.cluster.manifests[elsewhere] = scene.cluster.manifests[HandoverScene.second]
        scene.cluster.libraries[elsewhere] = scene.cluster.libraries[HandoverScene.second]
        scene.cluster.stored[elsewhere] = scene.cluster.stored[HandoverScene.second]
        scene.upgrade(elsewhere)
        try #require(scene.cluster.registry.modules["Auth"]?.directory == elsewhere)
        let kind = scene.cluster.registry.modules["Auth"]?.kind
        scene.cluster.manifests[elsewhere] = .unreadable(code: "x", message: "no such directory")
        scene.startAgain(scene.specs)
        #expect(scene.cluster.phase("Auth") == .refused && scene.cluster.registry.modules["Auth"]?.kind == kind)
        #expect(scene.cluster.registry.modules.keys.sorted() == ["Auth", "Notes", "Profile", "Session"])
    }

    @Test func `a module that is removed and loaded by its name comes as it was served last`() throws {
        var scene = HandoverScene()
        scene.upgrade()
        scene.cluster.ask(.rollback(module: "Auth", dryRun: false))
        scene.cluster.ask(.unload(module: "Auth", yes: true))
        let packed = HostSpec(id: "auth", plugins: [HandoverScene.second])
        let lines = try #require(scene.cluster.ask(.load(host: packed, dryRun: false, takesServed: true))?.lines)
        #expect(
            lines.last == "Auth 1.0.0 was served last; 2.0.0 is packed but not served: relux module upgrade Auth"
        )
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
        #expect(scene.cluster.phase("Auth") == .ready)
        scene.cluster.ask(.unload(module: "Auth", yes: true))
        scene.cluster.ask(.load(host: packed, dryRun: false))
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
        #expect(scene.cluster.ask(.rollback(module: "Auth", dryRun: false))?.lines != nil)
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
    }

    @Test func `what was served last and is gone is not replaced by what is packed`() {
        var scene = HandoverScene()
        scene.cluster.ask(.unload(module: "Auth", yes: true))
        scene.cluster.manifests[HandoverScene.first] = .unreadable(code: "x", message: "no such directory")
        let packed = HostSpec(id: "auth", plugins: [HandoverScene.second])
        let refusal = scene.cluster.ask(.load(host: packed, dryRun: false, takesServed: true))?.refusal
        #expect(refusal?.code == "served-version-gone")
        #expect(refusal?.message.contains(HandoverScene.first) == true && refusal?.message.contains("relux module load Auth --packed") == true)
        #expect(scene.cluster.phase("Auth") == nil)
    }

    @Test func `the file of a broker that handed nothing over and remembered less is read`() throws {
        struct Older: Codable {
            var pictureVersion: UInt64
            var boot: BootPhase
            var supervisorInstance: String
            var epochs: [ModuleID: UInt64]
            var hosts: [HostRecord]
            var modules: [Module]
            struct Module: Codable {
                var id: ModuleID
                var declaration: ModuleDeclaration?
                var imports: [String]
                var directory: String
                var host: HostID
                var state: ModuleState
                var order: UInt64
                var epoch: Epoch
                var isLive: Bool
                var isMember: Bool
                var memberSince: UInt64
                var isFromManifest: Bool
                var isLeaving: Bool
            }
        }
        var scene = HandoverScene()
        // It knows neither of these, a newer one writes both.
        scene.cluster.slow = ["Notes"]
        scene.cluster.ask(.evict(module: "Notes", yes: true, dryRun: false))
        scene.cluster.crash("session", restarts: false)
        scene.cluster.ask(.unload(module: "Session", yes: true))
        let persisted = try #require(scene.cluster.persisted)
        #expect(persisted.parting == ["shared": ["Notes"]] && persisted.orders == scene.cluster.latestOrder && scene.cluster.latestOrder > 0)
        let bytes = try CBOR.encode(persisted)
        let older = try CBOR.encode(try CBOR.decode(Older.self, from: bytes))
        let read = try CBOR.decode(RegistrySnapshot.self, from: older)
        let registry = Registry(configuration: RegistryConfiguration(), restoring: read, now: .zero)
        #expect(registry.modules.keys.sorted() == ["Auth", "Profile"])
        #expect(registry.handovers.isEmpty && registry.writers.isEmpty && registry.startQueue.latest == 0)
        #expect(registry.modules["Auth"]?.stored == nil)
    }
}

extension HandoverScene {
    /// All processes end, and a new supervisor comes with these hosts.
    mutating func startAgain(_ specs: [HostSpec], _ start: SupervisorHello.Start? = nil) { cluster.startAgain(specs, start) }

    mutating func set(_ host: HostID, _ phase: ModuleState.Phase) {
        for index in cluster.running[host]?.modules.indices ?? 0..<0 where cluster.running[host]?.modules[index].declaration.id == "Auth" {
            cluster.running[host]?.modules[index].state = ModuleState(phase)
        }
    }
}
