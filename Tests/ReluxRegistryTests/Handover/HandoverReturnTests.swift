import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// The process that gives a module up, slowly or not at all, and its way back when the new version fails.
@Suite struct HandoverReturnTests {
    @Test func `the old process is too slow to give it up, and serves on when it has`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.upgrade()
        #expect(scene.stage == .cuttingOver)
        scene.cluster.pass(.seconds(16), in: 16)
        scene.expectOld(because: "has not given it up within 15s")
        #expect(scene.epoch == 1)
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        scene.expectOld(because: "has not given it up")
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

    @Test func `an old process that was started again meanwhile stands by, and serves when the new one fails`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        scene.cluster.crash("auth")
        #expect(scene.servers.isEmpty)
        #expect(scene.cluster.running["auth"]?.orders == ["standby Auth"])
        scene.cluster.crash("Auth", status: "exit 1")
        scene.expectOld(because: "exit 1")
    }

    @Test func `a new process that restores for ever is killed before the old one serves again`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        scene.cluster.running["Auth"]?.epochs["Auth"] = Epoch(rawValue: 2)
        scene.cluster.pass(.seconds(31), in: 31)
        scene.expectOld(because: "has not restored it within 30s")
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
        scene.expectOld(because: "too new")
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
        scene.expectOld(because: "signal 9")
        #expect(scene.epoch == 2)
    }
}
