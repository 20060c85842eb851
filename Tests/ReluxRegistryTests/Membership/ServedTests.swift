import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@testable import ReluxRegistry

/// The build that serves is the one that starts: a build that was started and has never been ready is not started next.
@Suite struct ServedTests {
    /// `Auth` 1.0.0 has served; 2.0.0 was packed, is started instead, and does not become ready.
    private func tried() -> (scene: HandoverScene, packed: [HostSpec]) {
        var scene = HandoverScene()
        let packed = [HostSpec(scene.specs[0], plugins: [HandoverScene.second]), scene.specs[1], scene.specs[2]]
        scene.cluster.slow = ["Auth"]
        scene.startAgain(packed, .init(isPacked: true))
        scene.cluster.slow = []
        return (scene, packed)
    }

    private func expectServed(_ scene: HandoverScene, _ directory: String = HandoverScene.first, _ location: SourceLocation = #_sourceLocation) {
        let record = scene.cluster.registry.modules["Auth"]
        #expect(record?.state.phase == .ready && record?.directory == directory, "\(String(describing: record?.state))", sourceLocation: location)
        #expect(record?.declaration?.version == (directory == HandoverScene.first ? "1.0.0" : "2.0.0"), sourceLocation: location)
        #expect(record.flatMap { scene.cluster.running[$0.host] }?.spec.plugins == [directory], sourceLocation: location)
        #expect(scene.cluster.registry.served["Auth"]?.directory == directory, sourceLocation: location)
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)", sourceLocation: location)
    }

    @Test func `a build that is started and not ready yet is told from the one that serves`() throws {
        let (scene, packed) = tried()
        #expect(scene.cluster.phase("Auth") == .recovering && scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
        let differences = scene.cluster.registry.plan(packed, scene.cluster.manifests, for: .running).differences
        #expect(
            differences == [
                MembershipDifference("Auth 2.0.0 was started and has not been ready; its next start takes 1.0.0, which was served last", unserved: "Auth")
            ])
        var other = scene
        let lines = try #require(other.upgrade()?.lines)
        #expect(lines.first?.hasPrefix("nothing to do: Auth 2.0.0 was started from \(HandoverScene.second) already, and is recovering") == true, "\(lines)")
    }

    @Test(arguments: [false, true])
    func `the next start of the cluster takes what served last`(_ isFiled: Bool) {
        var (scene, packed) = tried()
        if !isFiled { packed.removeFirst() }
        scene.startAgain(packed)
        expectServed(scene)
        let remedy = "relux module upgrade Auth" + (isFiled ? "" : " \(HandoverScene.second)")
        #expect(scene.cluster.said.contains("Auth starts 1.0.0, which was served last; 2.0.0 is packed but not served: \(remedy)"), "\(scene.cluster.said)")
        // Whoever asks for what is packed gets it.
        guard isFiled else { return }
        scene.startAgain(packed, .init(isPacked: true))
        expectServed(scene, HandoverScene.second)
    }

    @Test func `a build that dies before it is ready gives way, and the note says how it has ended`() {
        var (scene, _) = tried()
        scene.cluster.crash("auth", status: "exit 3 (no licence)")
        expectServed(scene)
        #expect(
            scene.cluster.registry.noteLines.contains { $0.contains("2.0.0 was started and has not been ready, it ended with exit 3 (no licence); relux module upgrade") },
            "\(scene.cluster.registry.noteLines)")
    }

    @Test(arguments: [false, true])
    func `a restart of the module takes what served last`(_ isBehindABroker: Bool) throws {
        var (scene, packed) = tried()
        if isBehindABroker {
            scene.cluster.slow = ["Auth"]
            scene.cluster.restartBroker()
            for id in scene.cluster.running.keys.sorted() { scene.cluster.resume(id) }
            scene.cluster.boot(packed)
            #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
            scene.cluster.slow = []
        }
        let lines = try #require(scene.cluster.ask(.restart(module: "Auth"))?.lines)
        #expect(lines.last?.hasPrefix("Auth starts 1.0.0, which was served last: 2.0.0 was started and has not been ready") == true, "\(lines)")
        expectServed(scene)
    }

    @Test func `a change of its host's settings takes what served last`() {
        var (scene, _) = tried()
        var spec = scene.specs[0]
        spec.environment = ["A": "c"]
        scene.cluster.ask(.configure(host: spec))
        expectServed(scene)
    }

    @Test(arguments: ["signal 9 (SIGKILL)", "exit 78"])
    func `a process that ends before its build was ready is followed by one of what served last`(status: String) {
        var (scene, _) = tried()
        scene.cluster.crash("auth", status: status)
        expectServed(scene)
        #expect(scene.cluster.supervisorOrders.suffix(2).contains { $0.hasPrefix("restart") }, "\(scene.cluster.supervisorOrders.suffix(3))")
        #expect(scene.cluster.registry.noteLines.contains { $0.hasPrefix("Auth starts 1.0.0, which was served last: 2.0.0 was started") })
    }

    /// The broker dies with the process, whose next ones were started with the same build and are heard before the supervisor is.
    @Test(arguments: [1, 2], [false, true])
    func `the next processes of a build that was tried give way, whichever broker hears of them first`(_ count: Int, _ isHeardTwice: Bool) throws {
        var (scene, packed) = tried()
        scene.cluster.restartBroker()
        for _ in 0..<count {
            let dead = try #require(scene.cluster.running["auth"])
            scene.cluster.running["auth"] = nil
            scene.cluster.spawn(dead.spec)
            scene.cluster.queue.removeFirst()
            scene.cluster.play()
            let record = scene.cluster.registry.modules["Auth"]
            #expect(record?.directory == HandoverScene.first && record?.isMember == true && record?.state.phase == .backoff)
            #expect(scene.cluster.why("Auth") == "its process has another version; the supervisor starts it again when it is back")
        }
        // The wanted version is not loaded into a process that has another one, and a loader that refuses it there says nothing of it.
        scene.cluster.pass(.seconds(20), in: 20)
        scene.cluster.host("auth", says: .left(module: "Auth"))
        scene.cluster.host("auth", says: .refused(module: "Auth", code: "loader.moduleTwice", message: "it has another version"))
        #expect(scene.cluster.phase("Auth") == .backoff)
        #expect(scene.cluster.running["auth"]?.orders.contains { $0.hasPrefix("load") || $0.hasPrefix("refuse") } == false)
        if isHeardTwice {
            scene.cluster.restartBroker()
            scene.cluster.boot(packed)
            scene.cluster.resume("auth")
        }
        for id in scene.cluster.running.keys.sorted() { scene.cluster.resume(id) }
        if !isHeardTwice { scene.cluster.boot(packed) }
        expectServed(scene)
        let restarts = scene.cluster.supervisorOrders.filter { $0.hasPrefix("restart") }
        #expect(restarts.count == 1, "\(restarts)")
    }

    /// The broker dies with the order to restart; the process runs on, and says so to the next broker, before the supervisor does or after it.
    @Test(arguments: [false, true])
    func `a build that was put back by a restart is no fault of the one that served, whose order was lost`(_ isSupervisorFirst: Bool) {
        var (scene, packed) = tried()
        scene.cluster.isForgetful = true
        scene.cluster.ask(.restart(module: "Auth"))
        let put = scene.cluster.registry.snapshot
        scene.cluster.isForgetful = false
        scene.cluster.persisted = put
        scene.cluster.restartBroker()
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
        if isSupervisorFirst { scene.cluster.boot(packed) }
        for id in scene.cluster.running.keys.sorted() { scene.cluster.resume(id) }
        if !isSupervisorFirst { scene.cluster.boot(packed) }
        scene.cluster.pass(.seconds(4), in: 8)
        expectServed(scene)
    }

    @Test func `a build that is refused starts no more`() {
        var (scene, _) = tried()
        scene.cluster.host("auth", says: .refused(module: "Auth", code: "host.module", message: "it could not be set up"))
        #expect(scene.cluster.phase("Auth") == .refused)
        scene.cluster.ask(.restart(module: "Auth"))
        expectServed(scene)
    }

    @Test func `a move takes what served last, and a way back leads there`() {
        let (scene, _) = tried()
        var moved = scene
        moved.cluster.pass(.seconds(120), in: 8)
        moved.cluster.ask(.move(module: "Auth", to: nil, dryRun: false))
        moved.cluster.ask(.move(module: "Auth", to: "other", dryRun: false))
        moved.cluster.pass(.seconds(120), in: 8)
        expectServed(moved)
        var back = scene
        back.cluster.ask(.rollback(module: "Auth", dryRun: false))
        back.cluster.pass(.seconds(120), in: 8)
        expectServed(back)
        #expect(back.cluster.registry.served["Auth"]?.abandoned == HandoverScene.second)
        #expect(back.cluster.registry.served["Auth"]?.earlier.isEmpty == true)
    }

    @Test func `where nothing has ever served, what was started last is what starts`() {
        var cluster = FakeCluster()
        let spec = cluster.host(declaration("Auth", .domain))
        cluster.slow = ["Auth"]
        cluster.boot([spec])
        cluster.crash("auth")
        let next = cluster.pack(declaration("Auth", .domain, version: "2.0.0"))
        cluster.slow = []
        cluster.startAgain([HostSpec(spec, plugins: [next])])
        #expect(cluster.phase("Auth") == .ready && cluster.registry.modules["Auth"]?.directory == spec.plugins[0])
    }

    @Test func `what became ready is what serves, also while an upgrade of it is under way`() {
        var (scene, packed) = tried()
        let third = scene.cluster.pack(HandoverScene.auth("3.0.0"), imports: ["AuthReluxInt"])
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade(third)
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        #expect(scene.cluster.registry.served["Auth"]?.directory == HandoverScene.second)
        scene.cluster.heldBack = []
        scene.startAgain(packed)
        expectServed(scene, HandoverScene.second)
    }

    // MARK: Builds of one version

    @Test func `builds of one version are told apart wherever both are meant`() throws {
        var scene = HandoverScene()
        let other = "plugins/Auth/1.0.0-def"
        scene.cluster.manifests[other] = scene.cluster.manifests[HandoverScene.first]
        scene.cluster.libraries[other] = scene.cluster.libraries[HandoverScene.first]
        func build(_ scene: HandoverScene) -> String? { scene.cluster.registry.status.modules.first { $0.id == "Auth" }?.build }
        #expect(build(scene) == nil)
        let packed = HostSpec(scene.specs[0], plugins: [other])
        #expect(
            scene.cluster.ask(.load(host: packed, dryRun: false, takesServed: true))?.lines?.last
                == "Auth 1.0.0-def is packed but not served: relux module upgrade Auth")
        #expect(scene.upgrade(other, dryRun: true)?.lines?.first?.contains("Auth 1.0.0-abc → 1.0.0-def") == true)
        #expect(scene.upgrade(other)?.lines?.first?.hasPrefix("Auth 1.0.0-abc → 1.0.0-def in host Auth") == true)
        #expect(build(scene) == "1.0.0-def")
        #expect(scene.cluster.ask(.rollback(module: "Auth", dryRun: false))?.lines?.first?.hasPrefix("Auth 1.0.0-def → 1.0.0-abc in host") == true)
        #expect(build(scene) == "1.0.0-abc")
        scene.cluster.ask(.unload(module: "Auth", yes: true))
        #expect(
            scene.cluster.ask(.load(host: packed, dryRun: false, takesServed: true))?.lines?.last
                == "Auth 1.0.0-abc was served last; 1.0.0-def is packed but not served: relux module upgrade Auth")
        // The same build in another place is no other one.
        let elsewhere = "elsewhere/Auth/1.0.0-abc"
        scene.cluster.manifests[elsewhere] = scene.cluster.manifests[HandoverScene.first]
        let again = scene.cluster.ask(.load(host: HostSpec(scene.specs[0], plugins: [elsewhere]), dryRun: false, takesServed: true))?.lines
        #expect(again?.allSatisfy { !$0.contains("not served") } == true, "\(again ?? [])")
    }
}
