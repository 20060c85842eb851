import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

@Suite struct EvictionTests {
    @Test func `an evicted module is no member at once, its process is killed, and the answer counts what was lost`() throws {
        var scene = HandoverScene()
        #expect(scene.cluster.ask(.evict(module: "Auth", yes: false, dryRun: false))?.refusal?.code == "is-imported")
        scene.cluster.slow = ["Auth"]
        #expect(scene.cluster.ask(.evict(module: "Auth", yes: true, dryRun: false), id: "evict") == nil)
        #expect(scene.member == nil)
        #expect(scene.cluster.running["auth"] == nil)
        #expect(scene.cluster.supervisorOrders.last?.contains("kill") == true)
        #expect(scene.cluster.phase("Session") == .waiting)
        scene.cluster.host("session", tells: ["Session": LostBook(epoch: Epoch(1), ["Auth": 3])])
        scene.cluster.pass(.milliseconds(600))
        let lines = try #require(scene.cluster.answers["evict"]?.last?.lines)
        #expect(
            lines == [
                "Auth is evicted, it was ready", "host auth ends", "waiting for its return: Session",
                "3 effects were lost with it so far; all of them: relux audit",
            ])
        #expect(scene.cluster.facts.contains(.moduleEvicted(module: "Auth", why: "somebody asked for it")))
        scene.cluster.slow = []
        scene.cluster.ask(.load(host: scene.specs[0], dryRun: false))
        #expect(scene.cluster.phase("Session") == .ready)
        #expect(scene.epoch == 2)
        #expect(scene.cluster.complaints.isEmpty)
    }

    @Test func `a dry run evicts nobody`() throws {
        var scene = HandoverScene()
        let before = try CBOR.encode(scene.cluster.registry.snapshot)
        let lines = try #require(scene.cluster.ask(.evict(module: "Notes", yes: false, dryRun: true))?.lines)
        #expect(lines[0] == "evict     Notes 1.0.0  ready  host shared")
        #expect(lines[2] == "stays     Profile in host shared")
        #expect(try CBOR.encode(scene.cluster.registry.snapshot) == before)
    }

    @Test func `only the module leaves a shared host`() {
        var scene = HandoverScene()
        let pid = scene.cluster.running["shared"]?.pid
        scene.cluster.ask(.evict(module: "Notes", yes: false, dryRun: false))
        #expect(scene.cluster.phase("Notes") == nil)
        #expect(scene.cluster.running["shared"]?.pid == pid)
        #expect(scene.cluster.running["shared"]?.orders.last == "drain Notes")
        #expect(scene.cluster.phase("Profile") == .ready)
        #expect(scene.cluster.registry.noteLines.allSatisfy { !$0.contains("processes of the past") })
    }

    @Test func `what is evicted alive counts as a writer of its journal until its process has let go, and not when it is back`() {
        var scene = HandoverScene()
        scene.cluster.slow = ["Notes"]
        scene.cluster.ask(.evict(module: "Notes", yes: false, dryRun: false))
        #expect(scene.cluster.registry.modules["Notes"] == nil && scene.cluster.registry.writers == ["Notes"])
        scene.cluster.host("shared", says: .left(module: "Notes"))
        #expect(scene.cluster.registry.writers.isEmpty)
        // The end of a process says it, too.
        scene.cluster.ask(.evict(module: "Profile", yes: false, dryRun: false))
        #expect(scene.cluster.running["shared"] == nil && scene.cluster.registry.writers.isEmpty)
    }

    @Test(arguments: ["quarantined", "backoff", "hung", "leaving", "handed over"])
    func `it works whatever the module does`(what: String) {
        var scene = HandoverScene()
        switch what {
        case "quarantined":
            scene.cluster.crash("auth", restarts: false)
            scene.cluster.supervisor(.quarantined(host: "auth", why: "too often"))
        case "backoff":
            scene.cluster.crash("auth", restarts: false)
            scene.cluster.supervisor(.backoff(host: "auth", milliseconds: 900, why: "exit 1"))
        case "hung": scene.cluster.slow = ["Auth"]
        case "leaving":
            scene.cluster.slow = ["Auth"]
            scene.cluster.ask(.unload(module: "Auth", yes: true), id: "unload")
        default:
            scene.cluster.heldBack = ["Auth serve"]
            scene.upgrade()
        }
        scene.cluster.ask(.evict(module: "Auth", yes: true, dryRun: false), id: "evict")
        scene.cluster.slow = []
        scene.cluster.pass(.seconds(1), in: 2)
        #expect(scene.cluster.answers["evict"]?.last?.lines?.first?.hasPrefix("Auth is evicted, it was ") == true)
        #expect(scene.cluster.registry.modules["Auth"] == nil)
        #expect(scene.cluster.running.keys.sorted() == ["session", "shared"])
        #expect(scene.cluster.registry.hosts.keys.sorted() == ["session", "shared"])
        if what == "leaving" { #expect(scene.cluster.answers["unload"]?.count == 1) }
        if what == "handed over" { #expect(scene.answer?.refusal?.message.contains("Auth is evicted") == true) }
        #expect(scene.cluster.complaints.isEmpty, "\(scene.cluster.complaints)")
    }

    @Test func `a module that is quarantined for the limit is evicted, also over lives of the broker`() {
        var scene = HandoverScene(RegistryConfiguration(evictAfter: .seconds(1000)))
        scene.cluster.crash("auth", restarts: false)
        scene.cluster.supervisor(.quarantined(host: "auth", why: "too often"))
        scene.cluster.pass(.seconds(600), in: 60)
        scene.cluster.waiting = ["auth": .quarantined(why: "too often")]
        scene.restartBroker()
        #expect(scene.cluster.phase("Auth") == .quarantined)
        scene.cluster.pass(.seconds(300), in: 30)
        #expect(scene.cluster.phase("Auth") == .quarantined)
        scene.cluster.pass(.seconds(200), in: 20)
        #expect(scene.cluster.phase("Auth") == nil)
        #expect(scene.cluster.registry.noteLines.contains { $0.contains("quarantined for 1000s, the limit modules.evict-after") })
        #expect(scene.cluster.phase("Session") == .waiting || scene.cluster.phase("Session") == .ready)
    }

    @Test func `time in quarantine starts anew with each quarantine, and zero means never`() {
        var scene = HandoverScene(RegistryConfiguration(evictAfter: .seconds(1000)))
        for _ in 0..<3 {
            scene.cluster.crash("auth", restarts: false)
            scene.cluster.supervisor(.quarantined(host: "auth", why: "too often"))
            scene.cluster.pass(.seconds(900), in: 90)
            scene.cluster.ask(.restart(module: "Auth", yes: true))
            #expect(scene.cluster.phase("Auth") == .ready)
        }
        var never = HandoverScene(RegistryConfiguration(evictAfter: .zero))
        never.cluster.crash("auth", restarts: false)
        never.cluster.supervisor(.quarantined(host: "auth", why: "too often"))
        never.cluster.pass(.seconds(1_000_000), in: 100)
        #expect(never.cluster.phase("Auth") == .quarantined)
    }
}
