import ReluxBroker
import ReluxBus
import ReluxPlugin
import ReluxWire
import Testing

/// Whatever fails before the commit leaves the old version serving; after it, the module is the new one's.
@Suite struct HandoverFailureTests {
    /// The old version serves again, alone; nothing of the new one is left.
    private func expectOld(_ scene: HandoverScene, because part: String, _ location: SourceLocation = #_sourceLocation) {
        let refusal = scene.answer?.refusal
        #expect(refusal?.code == "hand-over-failed", sourceLocation: location)
        #expect(refusal?.message.contains(part) == true, "\(refusal?.message ?? "no answer")", sourceLocation: location)
        #expect(scene.servers == ["auth"], sourceLocation: location)
        #expect(scene.cluster.phase("Auth") == .ready, sourceLocation: location)
        #expect(scene.cluster.registry.modules["Auth"]?.host == "auth", sourceLocation: location)
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first, sourceLocation: location)
        #expect(scene.member?.handles == ["Auth.Business.Effect"], sourceLocation: location)
        #expect(scene.member?.standby == nil, sourceLocation: location)
        #expect(scene.cluster.running["Auth"] == nil, sourceLocation: location)
        #expect(scene.cluster.registry.hosts["Auth"] == nil, sourceLocation: location)
        #expect(scene.cluster.registry.handovers.isEmpty, sourceLocation: location)
        #expect(scene.cluster.registry.served["Auth"]?.earlier.isEmpty == true, sourceLocation: location)
        let isSaid = scene.cluster.facts.contains { if case .upgradeFailed("Auth", "1.0.0", "2.0.0", _) = $0 { true } else { false } }
        #expect(isSaid, sourceLocation: location)
        #expect(scene.cluster.registry.status.notes.contains { $0.contains("did not come about") }, sourceLocation: location)
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)", sourceLocation: location)
    }

    @Test func `the new library says something else than its manifest`() {
        var scene = HandoverScene()
        scene.cluster.libraries[HandoverScene.second]?.declaration.version = "2.0.1"
        scene.upgrade()
        expectOld(scene, because: "the manifest says version = 2.0.0")
        #expect(scene.epoch == 1)
    }

    @Test func `the new library imports what it must not`() {
        var scene = HandoverScene()
        scene.cluster.libraries[HandoverScene.second]?.imports = ["NotesReluxInt"]
        scene.upgrade()
        expectOld(scene, because: "domains do not know each other")
    }

    @Test func `the new library cannot be loaded`() {
        var scene = HandoverScene()
        scene.cluster.libraries[HandoverScene.second] = nil
        scene.upgrade()
        scene.cluster.host("Auth", says: .refused(module: "Auth", code: "loader.guard", message: "another runtime"))
        expectOld(scene, because: "another runtime")
    }

    @Test func `the new process dies while it loads`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.cluster.crash("Auth", status: "signal 11 (SIGSEGV)")
        expectOld(scene, because: "signal 11 (SIGSEGV)")
        #expect(scene.epoch == 1)
        #expect(scene.cluster.starts.count { $0 == "Auth" } == 1)
    }

    @Test func `the new process says nothing`() {
        var scene = HandoverScene()
        scene.cluster.mute = ["Auth"]
        scene.upgrade()
        scene.cluster.pass(.seconds(40), in: 40)
        expectOld(scene, because: "hello")
    }

    @Test func `the new process is never prepared`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.cluster.pass(.seconds(40), in: 40)
        expectOld(scene, because: "was not prepared within 30s")
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
        expectOld(scene, because: "imports ToolsReluxInt, which no module provides")
    }

    @Test func `the old process is too slow to give it up, and serves on when it has`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        #expect(scene.stage == .cuttingOver)
        scene.cluster.pass(.seconds(16), in: 16)
        expectOld(scene, because: "has not given it up within 15s")
        #expect(scene.epoch == 1)
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        expectOld(scene, because: "has not given it up")
        #expect(scene.epoch == 2)
        #expect(scene.cluster.running["auth"]?.orders.suffix(2) == ["serve Auth", "proceed Auth"])
    }

    @Test func `the old process dies when it is to give it up: the new one serves`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        scene.cluster.crash("auth")
        #expect(scene.answer?.lines?.first?.hasPrefix("Auth 1.0.0 → 2.0.0 in host Auth, handed over") == true)
        #expect(scene.servers == ["Auth"])
        #expect(scene.cluster.running["auth"] == nil)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `the new process dies while the old one gives it up`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        scene.cluster.crash("Auth")
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        expectOld(scene, because: "SIGKILL")
        #expect(scene.epoch == 2)
    }

    @Test func `the new version cannot read what the old one stored`() {
        var scene = HandoverScene()
        scene.cluster.refused = ["Auth serve"]
        scene.upgrade()
        expectOld(scene, because: "Auth cannot serve")
        #expect(scene.epoch == 3)
        #expect(scene.cluster.running["auth"]?.orders.suffix(3) == ["handOver Auth", "serve Auth", "proceed Auth"])
    }

    @Test func `the new process dies while it restores`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        scene.cluster.crash("Auth", status: "exit 1")
        expectOld(scene, because: "exit 1")
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
        expectOld(scene, because: "exit 1")
    }

    @Test func `an old process that was started again meanwhile stands by, and serves when the new one fails`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        scene.cluster.crash("auth")
        #expect(scene.servers.isEmpty)
        #expect(scene.cluster.running["auth"]?.orders == ["standby Auth"])
        scene.cluster.crash("Auth", status: "exit 1")
        expectOld(scene, because: "exit 1")
    }

    @Test func `a new process that restores for ever is killed before the old one serves again`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        scene.cluster.running["Auth"]?.epochs["Auth"] = Epoch(rawValue: 2)
        scene.cluster.pass(.seconds(31), in: 31)
        expectOld(scene, because: "has not restored it within 30s")
        #expect(scene.cluster.supervisorOrders.contains { $0.contains("kill") })
    }

    @Test func `a shared host that restores for ever is asked to let go, then restarted`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["shared serve"]
        scene.cluster.ask(.move(module: "Auth", to: "shared", dryRun: false), id: "upgrade")
        scene.cluster.running["shared"]?.epochs["Auth"] = Epoch(rawValue: 2)
        scene.cluster.slow = ["Auth"]
        scene.cluster.pass(.seconds(32), in: 32)
        #expect(scene.stage == .withdrawing)
        #expect(scene.cluster.running["shared"]?.orders.last == "drain Auth")
        #expect(scene.cluster.running["auth"]?.orders.last == "handOver Auth")
        scene.cluster.slow = []
        let pid = scene.cluster.running["shared"]?.pid
        scene.cluster.pass(.seconds(8), in: 8)
        #expect(scene.answer?.refusal?.code == "hand-over-failed")
        #expect(scene.servers == ["auth"])
        #expect(scene.cluster.running["shared"]?.pid != pid)
        #expect(scene.cluster.phase("Notes") == .ready)
        #expect(scene.cluster.running["shared"]?.modules.count == 2)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `a shared host that lets go in time is not restarted`() {
        var scene = HandoverScene()
        let pid = scene.cluster.running["shared"]?.pid
        scene.cluster.heldBack = ["shared serve"]
        scene.cluster.ask(.move(module: "Auth", to: "shared", dryRun: false), id: "upgrade")
        scene.cluster.pass(.seconds(32), in: 32)
        #expect(scene.answer?.refusal?.code == "hand-over-failed")
        #expect(scene.servers == ["auth"])
        #expect(scene.cluster.running["shared"]?.pid == pid)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `an old process that cannot store its states for the other version serves on`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .refused(module: "Auth", code: HostMessage.noWayBack, message: "too new"))
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        expectOld(scene, because: "too new")
        #expect(scene.epoch == 2)
    }

    @Test func `an old process that finds no way back when its hand-over is over already serves on, too`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        scene.cluster.crash("Auth", status: "signal 9", restarts: false)
        #expect(scene.cluster.registry.handovers.isEmpty)
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .refused(module: "Auth", code: HostMessage.noWayBack, message: "too new"))
        #expect(scene.cluster.registry.modules["Auth"]?.isMember == true)
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        expectOld(scene, because: "signal 9")
        #expect(scene.epoch == 2)
    }

    @Test func `a late word of an earlier hand-over does not fail the next one`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        scene.cluster.crash("Auth", status: "signal 9", restarts: false)
        #expect(scene.cluster.registry.handovers.isEmpty)
        scene.cluster.heldBack = ["Auth standby"]
        scene.cluster.ask(.upgrade(module: "Auth", directory: HandoverScene.second, dryRun: false), id: "again")
        #expect(scene.stage == .preparing)
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .refused(module: "Auth", code: HostMessage.noWayBack, message: "too new"))
        #expect(scene.stage == .preparing && scene.cluster.answers["again"] == nil)
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        #expect(scene.servers == ["auth"])
        scene.cluster.heldBack = []
        scene.cluster.resume("Auth")
        #expect(scene.cluster.answers["again"]?.last?.lines != nil)
        #expect(scene.servers == ["Auth"])
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)")
    }

    @Test func `after the commit a death of the new process is an ordinary death of the module in its new host`() {
        var scene = HandoverScene()
        scene.cluster.slow = ["Auth"]
        scene.upgrade()
        #expect(scene.stage == .committed)
        scene.cluster.slow = []
        scene.cluster.crash("Auth", status: "exit 1")
        #expect(scene.answer?.lines?.first?.contains("its process ended before it was ready and is started again: exit 1") == true)
        #expect(scene.cluster.phase("Auth") == .ready)
        #expect(scene.servers == ["Auth"])
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.second)
        #expect(scene.cluster.running["auth"] == nil)
        #expect(scene.epoch == 3)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `an old version that may not join any more counts only if the new one fails`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.cluster.host("auth", says: .refused(module: "Auth", code: "host.journal", message: "no room"))
        #expect(scene.member != nil)
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.heldBack = []
        scene.cluster.resume("Auth")
        #expect(scene.answer?.lines != nil)
        #expect(scene.cluster.phase("Auth") == .ready)

        var other = HandoverScene()
        other.cluster.heldBack = ["Auth standby"]
        other.upgrade()
        other.cluster.host("auth", says: .refused(module: "Auth", code: "host.journal", message: "no room"))
        other.cluster.crash("Auth")
        #expect(other.answer?.refusal?.code == "hand-over-failed")
        #expect(other.cluster.phase("Auth") == .refused)
        #expect(other.cluster.why("Auth") == "no room")
    }

    @Test func `what is loaded under its name while it is handed over waits for the end of that`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        let third = scene.cluster.pack(HandoverScene.auth("3.0.0"), imports: ["AuthReluxInt"])
        let lines = scene.cluster.ask(.load(host: HostSpec(id: "other", plugins: [third]), dryRun: false))?.lines
        #expect(lines == ["host other is loaded as soon as the upgrade of Auth has ended"])
        scene.cluster.crash("Auth")
        expectOld(scene, because: "SIGKILL")
        #expect(scene.cluster.running["other"] == nil)
    }

    @Test func `a host that dies while it is to take a module comes back with it, and nobody is told to do anything about that`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["shared standby"]
        scene.cluster.ask(.move(module: "Auth", to: "shared", dryRun: false), id: "upgrade")
        #expect(scene.stage == .preparing && scene.cluster.running["shared"]?.spec.plugins.contains(HandoverScene.first) == true)
        // The supervisor has begun its next process before it is told that the module stays where it is.
        scene.cluster.crash("shared")
        #expect(scene.answer?.refusal?.code == "hand-over-failed")
        #expect(scene.cluster.running["shared"]?.orders.contains("refuse Auth module-id-taken") == true)
        #expect(scene.cluster.running["auth"]?.epochs["Auth"] != nil && scene.cluster.phase("Auth") == .ready && scene.cluster.phase("Notes") == .ready)
        #expect(scene.cluster.registry.notes.allSatisfy { !$0.contains("module-id-taken") }, "\(scene.cluster.registry.notes)")
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)")
    }

    @Test func `a process of somebody else's that claims its name meanwhile is turned away`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.cluster.spawn(HostSpec(id: "stranger", plugins: [HandoverScene.first]))
        scene.cluster.play()
        #expect(scene.cluster.running["stranger"]?.orders.contains("refuse Auth module-id-taken") != false)
        scene.cluster.heldBack = []
        scene.cluster.resume("Auth")
        #expect(scene.servers == ["Auth"])
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `while it is handed over, a module is neither removed nor restarted nor handed over again`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        let others: [ClientRequest.Body] = [
            .unload(module: "Auth", yes: true), .restart(module: "Auth", yes: true), .rollback(module: "Auth", dryRun: false),
            .move(module: "Auth", to: "shared", dryRun: false), .upgrade(module: "Auth", directory: "plugins/x", dryRun: false),
        ]
        for (index, other) in others.enumerated() where index != 2 {
            let refusal = scene.cluster.ask(other)?.refusal
            #expect(refusal?.code == "handing-over" && refusal?.passes == "the upgrade of Auth to end")
        }
        let status = scene.cluster.registry.status.modules.first { $0.id == "Auth" }
        #expect(status?.handover == "upgrade to 2.0.0 in host Auth: the new process prepares")
        #expect(scene.cluster.registry.whyNot("Auth").contains { $0.hasPrefix("note: it is being handed over") })
    }
}
