import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// A new version that fails before the commit leaves the old one serving.
@Suite struct HandoverFailureTests {
    @Test func `the new library says something else than its manifest`() {
        var scene = HandoverScene()
        scene.cluster.libraries[HandoverScene.second]?.declaration.version = "2.0.1"
        scene.upgrade()
        scene.expectOld(because: "the manifest says version = 2.0.0")
        #expect(scene.epoch == 1)
    }

    @Test func `the new library imports what it must not`() {
        var scene = HandoverScene()
        scene.cluster.libraries[HandoverScene.second]?.imports = ["NotesReluxInt"]
        scene.upgrade()
        scene.expectOld(because: "domains do not know each other")
    }

    @Test func `the new library cannot be loaded`() {
        var scene = HandoverScene()
        scene.cluster.libraries[HandoverScene.second] = nil
        scene.upgrade()
        scene.cluster.host("Auth", says: .refused(module: "Auth", code: "loader.guard", message: "another runtime"))
        scene.expectOld(because: "another runtime")
    }

    @Test func `the new process dies while it loads`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.cluster.crash("Auth", status: "signal 11 (SIGSEGV)")
        scene.expectOld(because: "signal 11 (SIGSEGV)")
        #expect(scene.epoch == 1)
        #expect(scene.cluster.starts.count { $0 == "Auth" } == 1)
    }

    @Test func `the new process says nothing`() {
        var scene = HandoverScene()
        scene.cluster.mute = ["Auth"]
        scene.upgrade()
        scene.cluster.pass(.seconds(40), in: 40)
        scene.expectOld(because: "hello")
    }

    @Test func `the new process is never prepared`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.cluster.pass(.seconds(40), in: 40)
        scene.expectOld(because: "was not prepared within 30s")
    }

    @Test func `what the new version imports goes away before the cut-over`() {
        var scene = HandoverScene()
        scene.cluster.manifests[HandoverScene.second] = .manifest(
            HandoverScene.auth("2.0.0", handles: ["Auth.Business.Effect", "Other.Business.Effect"]),
            imports: ["ToolsReluxInt"], contract: ByteString([]))
        scene.cluster.libraries[HandoverScene.second]?.imports = ["ToolsReluxInt"]
        let missing = scene.upgrade()
        #expect(missing?.refusal?.code == "missing-import")
        let tools = scene.cluster.host(declaration("Tools", .infrastructure))
        scene.cluster.ask(.load(host: tools, dryRun: false))
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.cluster.ask(.unload(module: "Tools", yes: true))
        scene.cluster.heldBack = []
        scene.cluster.resume("Auth")
        #expect(scene.stage == .preparing)
        scene.cluster.pass(.seconds(40), in: 40)
        scene.expectOld(because: "imports ToolsReluxInt, which no module provides")
    }

    @Test func `the new process dies while the old one gives it up`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        scene.cluster.crash("Auth")
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        scene.expectOld(because: "SIGKILL")
        #expect(scene.epoch == 2)
    }

    @Test func `the new version cannot read what the old one stored`() {
        var scene = HandoverScene()
        scene.cluster.refused = ["Auth serve"]
        scene.upgrade()
        scene.expectOld(because: "Auth cannot serve")
        #expect(scene.epoch == 3)
        #expect(scene.cluster.running["auth"]?.orders.suffix(3) == ["handOver Auth", "serve Auth", "proceed Auth"])
    }

    @Test func `the new process dies while it restores`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        scene.cluster.crash("Auth", status: "exit 1")
        scene.expectOld(because: "exit 1")
        #expect(scene.epoch == 3)
    }

    @Test func `both processes die while the new one restores: the old version starts again`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        scene.cluster.crash("auth", restarts: false)
        scene.cluster.supervisor(.backoff(host: "auth", milliseconds: 100, why: "SIGKILL"))
        scene.cluster.crash("Auth", status: "exit 1")
        #expect(scene.cluster.phase("Auth") == .backoff)
        if let spec = scene.cluster.registry.hosts["auth"]?.spec { scene.cluster.spawn(spec) }
        scene.cluster.play()
        scene.expectOld(because: "exit 1")
    }

    @Test func `a predecessor whose journal another process has written gets a later epoch while its successor is prepared`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        #expect(scene.stage == .preparing)
        // It could not open its journal, and serves nothing.
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .outlived(module: "Auth", by: Epoch(9)))
        #expect(scene.cluster.running["auth"]?.epochs["Auth"] == Epoch(10))
        #expect(scene.stage == .preparing)
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)")
    }

    @Test func `a successor whose journal another process has written gives the module back, under a later epoch than that`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        #expect(scene.stage == .serving)
        scene.cluster.host("Auth", says: .outlived(module: "Auth", by: Epoch(9)))
        #expect(scene.member?.host == "auth")
        #expect(scene.cluster.running["auth"]?.epochs["Auth"] == Epoch(10))
        #expect(scene.cluster.phase("Auth") == .ready)
        #expect(scene.cluster.complaints.isEmpty)
    }
}
