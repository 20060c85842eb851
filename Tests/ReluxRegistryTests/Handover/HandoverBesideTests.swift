import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// Words, loads and deaths that come while a module is handed over, or after the commit.
@Suite struct HandoverBesideTests {
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
        // It is started from there and does not run: whoever asks for it hears that, and no "nothing to do".
        let again = other.cluster.ask(.upgrade(module: "Auth", directory: HandoverScene.first, dryRun: false))?.refusal
        #expect(again?.code == "host.journal" && again?.message.contains("is refused: no room") == true, "\(String(describing: again))")
    }

    @Test func `what is loaded under its name while it is handed over waits for the end of that`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        let third = scene.cluster.pack(HandoverScene.auth("3.0.0"), imports: ["AuthReluxInt"])
        let lines = scene.cluster.ask(.load(host: HostSpec(id: "other", plugins: [third]), dryRun: false))?.lines
        #expect(lines == ["host other is loaded as soon as the upgrade of Auth has ended"])
        scene.cluster.crash("Auth")
        scene.expectOld(because: "SIGKILL")
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
        #expect(scene.cluster.registry.noteLines.allSatisfy { !$0.contains("module-id-taken") }, "\(scene.cluster.registry.noteLines)")
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
        #expect(scene.cluster.registry.whyNot("Auth").notes.contains { $0.hasPrefix("it is being handed over") })
    }
}
