import Relux
import ReluxControl
import ReluxPlugin
import ReluxRegistry
import ReluxWire
import Testing

/// A module that keeps users out until what is critical has been done.
@Suite struct BarrierTests {
    private static let begin: Topic = "StartupOrchestration.Effect"
    private static let user: Topic = "Auth.Business.Effect"

    private func boot(mute: Set<HostID> = []) -> FakeCluster {
        var cluster = FakeCluster()
        cluster.mute = mute
        var startup = declaration("StartupOrchestration", .orchestrator, handles: [Self.begin])
        startup.startBarrier = [Self.begin]
        cluster.boot(cluster.demo() + [cluster.host(startup)])
        return cluster
    }

    private func emit(_ topic: Topic) -> ClientRequest.Body {
        .emit(topic: topic, payload: ByteString([0xa0]), deadlineMilliseconds: 0, label: "test")
    }

    /// Says, as the module's host, that the module has closed or opened its barrier.
    private func say(_ cluster: inout FakeCluster, _ change: (Relux.StartBarrier) -> Void) {
        let barrier = Relux.StartBarrier("the modules are asked")
        change(barrier)
        cluster.host("startuporchestration", says: .startBarrier(module: "StartupOrchestration", barrier.state))
    }

    private static let failed = "profile.migrate of Profile was not done: file is not a database"

    @Test func `the start is not over before the barrier is open, and the ingress takes only what it lets in`() {
        var cluster = boot()
        #expect(!cluster.isOpen)
        #expect(cluster.phase("StartupOrchestration") == .ready && cluster.phase("SessionOrchestration") == .ready)
        #expect(!cluster.facts.contains(.clusterReady))
        say(&cluster) { _ in }
        let refusal = cluster.ask(emit(Self.user))?.refusal
        #expect(refusal?.code == "barrier-closed")
        #expect(
            refusal?.message
                == "Auth.Business.Effect was not emitted: the start barrier of StartupOrchestration is closed: the modules are asked")
        #expect(refusal?.passes == "the start barrier of StartupOrchestration to open")
        #expect(cluster.ask(emit(Self.begin), id: "x") == nil)
        #expect(cluster.emitted == ["x StartupOrchestration.Effect"])

        say(&cluster) { $0.close(Self.failed, isStuck: true) }
        let stuck = cluster.ask(emit(Self.user))?.refusal
        #expect(stuck?.code == "barrier-closed" && stuck?.passes == nil)

        say(&cluster) { $0.open() }
        #expect(cluster.isOpen)
        #expect(cluster.facts.last == .clusterReady)
        #expect(cluster.ask(emit(Self.user), id: "y") == nil)
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `a mode that no action knows is in the status for as long as it is said, open or closed`() {
        var cluster = boot()
        let unknown = Relux.StartBarrier.UnknownMode(mode: "headles", known: ["kiosk", "headless"])
        say(&cluster) { barrier in
            barrier.note(unknown)
            barrier.close(Self.failed)
        }
        #expect(cluster.registry.status.barriers.map(\.unknownMode) == [unknown] && unknown.known == ["headless", "kiosk"])
        say(&cluster) { barrier in
            barrier.note(unknown)
            barrier.open()
            barrier.remark("evaluation 2")
        }
        #expect(cluster.registry.status.barriers.map(\.unknownMode) == [unknown])
        say(&cluster) { $0.open() }
        #expect(cluster.registry.status.barriers.map(\.unknownMode) == [nil])
    }

    @Test func `while other modules are not ready nothing is let in`() {
        var cluster = FakeCluster()
        cluster.slow = ["SessionOrchestration"]
        var startup = declaration("StartupOrchestration", .orchestrator, handles: [Self.begin])
        startup.startBarrier = [Self.begin]
        cluster.boot(cluster.demo() + [cluster.host(startup)])
        #expect(cluster.ask(emit(Self.begin))?.refusal?.code == "ingress-closed")
    }

    @Test func `one that is stuck is named by status, why-not and the refusal, and can be mended`() {
        var cluster = boot()
        say(&cluster) { $0.close(Self.failed, isStuck: true) }
        let barriers = cluster.registry.status.barriers
        #expect(barriers == [.init(module: "StartupOrchestration", isOpen: false, isStuck: true, text: Self.failed)])
        #expect(cluster.registry.whyNot("StartupOrchestration").unmet.contains("its start barrier is closed: \(Self.failed)"))
        #expect(cluster.ask(emit(Self.user))?.refusal?.message.contains(Self.failed) == true)
        say(&cluster) { $0.open() }
        #expect(cluster.isOpen && cluster.registry.whyNot("StartupOrchestration").unmet.isEmpty)
    }

    @Test func `its module's death opens nothing, before and after the start is over`() {
        var cluster = boot()
        say(&cluster) { $0.close(Self.failed, isStuck: true) }
        cluster.crash("startuporchestration", restarts: false)
        #expect(!cluster.isOpen)
        #expect(cluster.registry.status.barriers.first?.isStuck == false, "it is on its way")
        #expect(cluster.registry.status.barriers.first?.text.contains("StartupOrchestration is backoff") == true)
        cluster.supervisor(.quarantined(host: "startuporchestration", why: "5 crashes in 60 s"))
        #expect(!cluster.isOpen)
        let barrier = cluster.registry.status.barriers.first
        #expect(barrier?.isStuck == true && barrier?.text.contains("relux module unload StartupOrchestration") == true)

        // Nor does an end that was asked for, which is no removal.
        var stopped = boot()
        stopped.host("startuporchestration", says: .left(module: "StartupOrchestration"))
        #expect(stopped.phase("StartupOrchestration") == .stopped && !stopped.isOpen)

        var open = boot()
        say(&open) { $0.open() }
        open.crash("startuporchestration")
        #expect(open.isOpen && open.registry.status.barriers.first?.isOpen == true)
        say(&open) { $0.close(Self.failed, isStuck: true) }
        #expect(open.isOpen, "a start that is over does not come back")
        #expect(open.ask(emit(Self.user), id: "y") == nil && open.emitted.count == 1)
    }

    @Test func `a process that never comes does not open it, its removal does`() {
        var cluster = boot(mute: ["startuporchestration"])
        cluster.pass(.seconds(31), in: 31)
        #expect(!cluster.isOpen)
        #expect(cluster.ask(emit(Self.user))?.refusal?.code == "barrier-closed")
        cluster.ask(.unload(module: "StartupOrchestration", yes: true))
        cluster.pass(.seconds(31), in: 31)
        #expect(cluster.isOpen)
    }

    @Test func `a broker that comes back in the middle keeps it closed until the host says how it stands`() {
        var cluster = boot()
        say(&cluster) { _ in }
        cluster.restartBroker()
        #expect(!cluster.isOpen)
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        #expect(!cluster.isOpen)
        say(&cluster) { $0.open() }
        #expect(cluster.isOpen)
        cluster.restartBroker()
        #expect(cluster.isOpen)
    }

    @Test func `a library that does not repeat its manifest's barrier is refused`() {
        var cluster = FakeCluster()
        var startup = declaration("StartupOrchestration", .orchestrator)
        startup.startBarrier = [Self.begin]
        let spec = cluster.host(startup)
        cluster.libraries[spec.plugins[0]]?.declaration.startBarrier = nil
        cluster.boot(cluster.demo() + [spec])
        #expect(cluster.phase("StartupOrchestration") == .refused)
        #expect(cluster.why("StartupOrchestration").contains("startBarrier = [StartupOrchestration.Effect], the library none"))
    }

    @Test func `places are those of the declaration, by phase, and stay through restarts`() {
        var cluster = boot()
        func places() -> [ModuleID] {
            cluster.registry.picture.members.filter { $0.module != "Cluster" }.sorted { $0.place < $1.place }.map(\.module)
        }
        let order: [ModuleID] = [
            "Navigation", "ErrorHandling", "Auth", "Profile", "Notes", "SessionOrchestration", "StartupOrchestration",
        ]
        #expect(places() == order)
        let before = cluster.registry.picture.places
        cluster.crash("auth")
        cluster.restartBroker()
        for id in cluster.running.keys.sorted() { cluster.resume(id) }
        #expect(cluster.registry.picture.places == before)
    }
}
