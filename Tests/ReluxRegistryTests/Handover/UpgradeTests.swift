import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

@Suite struct UpgradeTests {
    @Test func `an upgrade starts the new one beside the old one, hands over and ends the old process`() throws {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        #expect(scene.upgrade() == nil)
        #expect(scene.stage == .preparing)
        #expect(scene.servers == ["auth"])
        #expect(scene.member?.standby == "Auth")
        #expect(scene.cluster.running["Auth"]?.spec == HostSpec(id: "Auth", plugins: [HandoverScene.second], environment: ["A": "b"]))
        scene.cluster.heldBack = []
        scene.cluster.now += .milliseconds(10)
        scene.cluster.host("Auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        let lines = try #require(scene.answer?.lines)
        #expect(lines == ["Auth 1.0.0 → 2.0.0 in host Auth, handed over in 0 ms", "way back: relux module rollback Auth"])
        #expect(scene.cluster.running["auth"] == nil)
        #expect(scene.cluster.registry.hosts["auth"] == nil)
        #expect(scene.cluster.running["Auth"]?.orders == ["standby Auth", "serve Auth", "proceed Auth"])
        #expect(scene.cluster.running["Auth"]?.epochs["Auth"] == Epoch(rawValue: 2))
        #expect(scene.cluster.phase("Auth") == .ready)
        #expect(scene.member?.host == "Auth")
        #expect(scene.member?.standby == nil)
        #expect(scene.member?.handles == ["Auth.Business.Effect", "Other.Business.Effect"])
        #expect(scene.cluster.registry.handovers.isEmpty)
        #expect(scene.cluster.facts.contains(.moduleUpgraded(module: "Auth", from: "1.0.0", to: "2.0.0", host: "Auth", pauseMilliseconds: 0)))
        #expect(!scene.cluster.facts.contains { if case .moduleLost = $0 { true } else { false } })
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `what the new version handles is in the picture only when it is committed, and before the order to proceed`() throws {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        #expect(scene.stage == .serving)
        #expect(scene.member?.host == "Auth")
        #expect(scene.member?.epoch == Epoch(rawValue: 2))
        #expect(scene.member?.standby == "auth")
        #expect(scene.member?.handles == ["Auth.Business.Effect"])
        #expect(scene.servers.isEmpty)
        #expect(scene.cluster.persisted?.modules.first { $0.id == "Auth" }?.directory == HandoverScene.first)
        scene.cluster.running["Auth"]?.epochs["Auth"] = Epoch(rawValue: 2)
        scene.cluster.slow = ["Auth"]
        scene.cluster.host("Auth", says: .state(module: "Auth", state: ModuleState(.waiting)))
        #expect(scene.stage == .committed)
        #expect(scene.cluster.persisted?.modules.first { $0.id == "Auth" }?.directory == HandoverScene.second)
        #expect(scene.cluster.running["session"]?.picture?.members.first { $0.module == "Auth" }?.handles.count == 2)
        #expect(scene.cluster.running["Auth"]?.orders.last == "proceed Auth")
        #expect(scene.cluster.running["auth"] != nil)
        scene.cluster.host("Auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        #expect(scene.answer?.lines != nil)
        #expect(scene.cluster.running["auth"]?.orders.last == "drain Auth")
    }

    @Test func `importers stay ready, and neither they nor neighbours are restarted`() throws {
        var scene = HandoverScene()
        let pids = scene.cluster.running.mapValues(\.pid)
        scene.upgrade()
        scene.cluster.ask(.upgrade(module: "Notes", directory: "plugins/Notes/2.0.0-abc", dryRun: false))
        for id in ["shared", "session"] as [HostID] { #expect(scene.cluster.running[id]?.pid == pids[id]) }
        #expect(scene.cluster.running["shared"]?.orders.last == "drain Notes")
        #expect(scene.cluster.running["shared"]?.spec.plugins == ["plugins/Profile/1.0.0-abc"])
        #expect(scene.cluster.registry.modules["Notes"]?.host == "Notes")
        #expect(scene.cluster.phase("Profile") == .ready)
        #expect(!scene.cluster.facts.contains { if case .moduleWaiting("Session", _) = $0 { true } else { false } })
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `the pause runs from the order to give up to ready`() throws {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.cluster.pass(.seconds(1))
        scene.upgrade()
        scene.cluster.now += .milliseconds(23)
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        #expect(scene.answer?.lines?.first == "Auth 1.0.0 → 2.0.0 in host Auth, handed over in 23 ms")
    }

    @Test func `the pause has the time in which the broker stood still, and no limit has it`() throws {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["auth handOver"]
        scene.cluster.pass(.seconds(1))
        scene.upgrade()
        scene.cluster.missed = .seconds(60)
        scene.cluster.now += .milliseconds(23)
        scene.cluster.send(.tick)
        #expect(scene.answer == nil)
        scene.cluster.running["auth"]?.epochs["Auth"] = nil
        scene.cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        #expect(scene.answer?.lines?.first == "Auth 1.0.0 → 2.0.0 in host Auth, handed over in 60023 ms")
    }

    @Test func `hosts of later upgrades take the first name that is free`() {
        var scene = HandoverScene()
        scene.upgrade()
        #expect(scene.cluster.registry.modules["Auth"]?.host == "Auth")
        scene.cluster.ask(.rollback(module: "Auth", dryRun: false))
        #expect(scene.cluster.registry.modules["Auth"]?.host == "Auth.2")
        scene.cluster.ask(.upgrade(module: "Auth", directory: HandoverScene.second, dryRun: false))
        #expect(scene.cluster.registry.modules["Auth"]?.host == "Auth")
        #expect(scene.cluster.running.keys.sorted() == ["Auth", "session", "shared"])
        #expect(scene.epoch == 4)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a module that does not run is taken over without waiting for it`(isQuarantined: Bool) throws {
        var scene = HandoverScene()
        scene.cluster.crash("auth", restarts: false)
        if isQuarantined {
            scene.cluster.supervisor(.quarantined(host: "auth", why: "too often"))
        } else {
            scene.cluster.supervisor(.backoff(host: "auth", milliseconds: 900, why: "exit 1"))
        }
        scene.upgrade()
        #expect(scene.answer?.lines?.first == "Auth 1.0.0 → 2.0.0 in host Auth, which did not serve before")
        #expect(scene.cluster.phase("Auth") == .ready)
        #expect(scene.cluster.registry.hosts["auth"] == nil)
        #expect(scene.cluster.supervisorOrders.contains { $0.contains("stop") && $0.contains("auth") })
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `a module that is not ready yet delays its upgrade for a while only`() {
        var scene = HandoverScene()
        scene.cluster.slow = ["Auth"]
        scene.cluster.crash("auth")
        #expect(scene.cluster.phase("Auth") != .ready)
        scene.cluster.slow = []
        scene.cluster.heldBack = ["Auth serve"]
        scene.upgrade()
        #expect(scene.stage == .preparing)
        scene.cluster.pass(.seconds(6), in: 6)
        #expect(scene.stage == .serving)
    }

    @Test func `a request that is asked again begins nothing new and gets the same answer`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        scene.upgrade()
        scene.restartBroker()
        #expect(scene.upgrade() == nil)
        scene.cluster.heldBack = []
        scene.cluster.resume("Auth")
        #expect(scene.cluster.answers["upgrade"]?.count == 1)
        scene.restartBroker()
        #expect(scene.upgrade()?.lines?.first == scene.cluster.answers["upgrade"]?.first?.lines?.first)
        #expect(scene.cluster.starts.count { $0 == "Auth" } == 1)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `a move takes the same version to another host and back`() throws {
        var scene = HandoverScene()
        let pid = scene.cluster.running["shared"]?.pid
        #expect(scene.cluster.ask(.move(module: "Auth", to: "shared", dryRun: false))?.lines == [
            "Auth 1.0.0 moved from host auth to host shared, handed over in 0 ms"
        ])
        #expect(scene.cluster.running["auth"] == nil)
        #expect(scene.cluster.running["shared"]?.spec.plugins.last == HandoverScene.first)
        #expect(scene.cluster.registry.modules["Auth"]?.host == "shared")
        scene.cluster.ask(.move(module: "Auth", to: nil, dryRun: false))
        #expect(scene.cluster.registry.modules["Auth"]?.host == "Auth")
        #expect(scene.cluster.running["shared"]?.pid == pid)
        #expect(scene.cluster.running["shared"]?.spec.plugins.contains(HandoverScene.first) == false)
        scene.cluster.ask(.move(module: "Auth", to: "far", dryRun: false))
        #expect(scene.cluster.registry.modules["Auth"]?.host == "far")
        #expect(scene.cluster.phase("Auth") == .ready)
        #expect(scene.epoch == 4)
        #expect(scene.cluster.registry.served["Auth"]?.earlier.isEmpty == true)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `a rollback goes back version by version, in the older shape of its states`() throws {
        var scene = HandoverScene()
        scene.upgrade()
        scene.cluster.heldBack = ["Auth handOver"]
        scene.cluster.ask(.rollback(module: "Auth", dryRun: false), id: "back")
        #expect(scene.cluster.running["Auth"]?.orders.last == "handOver Auth Auth.State 1")
        scene.cluster.heldBack = []
        scene.cluster.running["Auth"]?.epochs["Auth"] = nil
        scene.cluster.host("Auth", says: .state(module: "Auth", state: ModuleState(.standby)))
        #expect(scene.cluster.answers["back"]?.last?.lines?.first?.hasPrefix("Auth 2.0.0 → 1.0.0 in host Auth.2") == true)
        #expect(scene.cluster.registry.modules["Auth"]?.directory == HandoverScene.first)
        #expect(scene.cluster.registry.served["Auth"]?.earlier.isEmpty == true)
        let none = scene.cluster.ask(.rollback(module: "Auth", dryRun: false))
        #expect(none?.refusal?.code == "no-way-back")
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `without a way to turn the states back there is no rollback, and the plan says so`() throws {
        var scene = HandoverScene()
        scene.cluster.stored[HandoverScene.second] = [StoredShape(name: "Auth.State", version: 3, backTo: [2])]
        scene.upgrade()
        #expect(scene.answer?.lines?.last?.hasPrefix("no way back: Auth.State is stored in version 3") == true)
        let refusal = try #require(scene.cluster.ask(.rollback(module: "Auth", dryRun: true))?.refusal)
        #expect(refusal.code == "no-way-back")
        #expect(refusal.message.contains("only into 2"))
    }

    @Test func `the same content in another directory is no other version, and nothing to go back to`() {
        var scene = HandoverScene()
        let elsewhere = "elsewhere/Auth/1.0.0-abc"
        scene.cluster.manifests[elsewhere] = scene.cluster.manifests[HandoverScene.first]
        scene.cluster.libraries[elsewhere] = scene.cluster.libraries[HandoverScene.first]
        scene.cluster.stored[elsewhere] = scene.cluster.stored[HandoverScene.first]
        #expect(scene.upgrade(elsewhere)?.lines?.contains { $0.contains("way back") } == false, "\(String(describing: scene.answer))")
        #expect(scene.cluster.registry.served["Auth"]?.directory == elsewhere)
        #expect(scene.cluster.ask(.rollback(module: "Auth", dryRun: true))?.refusal?.code == "no-way-back")
        scene.cluster.ask(.upgrade(module: "Auth", directory: HandoverScene.second, dryRun: false))
        let back = scene.cluster.ask(.rollback(module: "Auth", dryRun: false))
        #expect(back?.lines != nil && scene.cluster.registry.modules["Auth"]?.directory == elsewhere, "\(String(describing: back))")
    }

    @Test func `a registry that remembers the same version twice offers the one before it`() {
        var versions = ServedVersions(directory: "packed/Auth/1.0.0-a", version: "1.0.0")
        versions.serve("packed/Auth/2.0.0-b", version: "2.0.0")
        versions.earlier.append(.init(directory: "elsewhere/Auth/2.0.0-b", version: "2.0.0", stored: nil))
        #expect(versions.before?.directory == "packed/Auth/1.0.0-a")
        versions.rollBack(to: "packed/Auth/1.0.0-a", version: "1.0.0")
        #expect(versions.directory == "packed/Auth/1.0.0-a" && versions.earlier.isEmpty && versions.before == nil)
    }

    @Test func `sixteen versions are remembered`() {
        var scene = HandoverScene()
        for number in 1...20 {
            let directory = scene.cluster.pack(HandoverScene.auth("3.\(number).0"), imports: ["AuthReluxInt"])
            scene.cluster.ask(.upgrade(module: "Auth", directory: directory, dryRun: false))
        }
        let earlier = scene.cluster.registry.served["Auth"]?.earlier ?? []
        #expect(earlier.count == 16)
        #expect(earlier.last?.version == "3.19.0")
        #expect(earlier.first?.version == "3.4.0")
        #expect(scene.cluster.complaints.isEmpty)
    }
}
