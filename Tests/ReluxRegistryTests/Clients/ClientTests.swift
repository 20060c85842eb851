import Relux
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

/// The requests of clients besides effects.
@Suite struct ClientTests {
    @Test func `what a refusal quotes is cut, and status keeps no more of it`() throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let long = String(repeating: "x", count: 1 << 20)
        let unreadable = try #require(cluster.ask(.load(host: HostSpec(id: "other", plugins: [long]), dryRun: false))?.refusal)
        #expect(unreadable.message.utf8.count < 10_000)
        cluster.registry.remark(long)
        #expect(cluster.registry.noteLines.reduce(0) { $0 + $1.utf8.count } < 40_000)
    }

    @Test func `a handler that keeps a thread is shown by status, notes and why-not until its host takes it back or is gone`() {
        for isGone in [false, true] {
            var cluster = FakeCluster()
            cluster.boot(cluster.demo())
            let blocked = BlockedHandler(
                module: "Auth", effect: EffectID(module: "Cluster", position: 5), milliseconds: 3456, isBusy: false, frames: ["read", "Auth.Flow.apply(_:)"])
            cluster.host("auth", says: .blocked([blocked]))
            let shown = cluster.registry.status
            let auth = shown.modules.first { $0.id == "Auth" }
            #expect(auth?.state.phase == .ready && auth?.state.why == blocked.text)
            #expect(blocked.text.contains("3.4 s") && blocked.text.contains("read ← Auth.Flow.apply(_:)"))
            #expect(shown.noteLines.contains("host auth: \(blocked.text)"))
            #expect(cluster.registry.whyNot("Auth").notes.contains(blocked.text))
            if isGone { cluster.crash("auth") } else { cluster.host("auth", says: .blocked([])) }
            #expect(!cluster.registry.noteLines.contains { $0.contains("blocks a thread") })
            #expect(cluster.registry.status.modules.first { $0.id == "Auth" }?.state.why.contains("blocks a thread") == false)
        }
    }

    @Test func `why-not lists every unmet requirement`() {
        var cluster = FakeCluster()
        cluster.slow = ["ErrorHandling"]
        cluster.boot(cluster.demo())
        let lines = cluster.registry.whyNot("SessionOrchestration").unmet
        #expect(lines.contains("it is verified"))
        #expect(lines.contains { $0.contains("host sessionorchestration is not started yet") })
        #expect(lines.contains { $0.contains("after the phase infrastructure, which waits for") })
        #expect(lines.contains { $0.contains("AuthReluxInt") })
        #expect(lines.contains { $0.contains("ProfileReluxInt") })
        #expect(cluster.registry.whyNot("Nobody").unmet.count == 1)
        var ready = FakeCluster()
        ready.boot([ready.host(declaration("Notes", .domain))])
        guard case .whyNot(let unmet, _) = ready.ask(.whyNot(module: "Notes")) else {
            Issue.record("no answer")
            return
        }
        #expect(unmet.isEmpty)
    }

    @Test func `status shows the modules in start order with their processes`() {
        var cluster = FakeCluster(RegistryConfiguration(brokerPid: 5))
        cluster.boot(cluster.demo())
        var totals = ModuleCounters()
        totals.handled = 9
        cluster.host("auth", says: .counters(["Auth": totals, "Notes": totals]))
        guard case .status(let status) = cluster.ask(.status) else {
            Issue.record("no status")
            return
        }
        #expect(status.phase == .open)
        #expect(status.brokerPid == 5)
        #expect(status.supervisorPid == 7)
        #expect(
            status.modules.map(\.id) == [
                "Navigation", "ErrorHandling", "Auth", "Profile", "Notes", "SessionOrchestration",
            ])
        let auth = status.modules.first { $0.id == "Auth" }
        #expect(auth?.pid == cluster.running["auth"]?.pid)
        #expect(auth?.counters.handled == 9)
        #expect(status.modules.first { $0.id == "Notes" }?.counters.handled == 0)
    }

    @Test func `what did not get through a host's end of the bus is named until its process is replaced`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        var totals = BusCounters()
        totals.framesRefused = 3
        totals.gaps = 5
        cluster.host("auth", says: .bus(totals))
        #expect(cluster.registry.noteLines.contains("host auth: 3 frames that could not be read"))
        _ = cluster.ask(.restart(module: "Auth"))
        #expect(!cluster.registry.noteLines.contains { $0.hasPrefix("host auth:") })
    }

    @Test func `what a module says after it has left is a note of the status`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        var totals = BusCounters()
        totals.late = [ClusterNote(.refusals, "3 dispatches of Gone, which is not in this process, refused (3 closed) at Flow.swift:7", of: "Gone")]
        cluster.host("auth", says: .bus(totals))
        let note = "refusals: host auth: \(totals.late[0].text)"
        #expect(cluster.registry.noteLines.contains(note), "\(cluster.registry.noteLines)")
    }

    @Test func `a note names its module, which nobody has to read out of its text`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.host("auth", says: .disk([ClusterNote(.disk, "the journal of Auth takes nothing", of: "Auth"), ClusterNote(.disk, "999 bytes are free")]))
        let notes = cluster.registry.notes.filter { $0.kind == .disk }
        #expect(notes.map(\.module) == ["Auth", nil])
        #expect(notes.map(\.text) == ["host auth: the journal of Auth takes nothing", "host auth: 999 bytes are free"])
    }

    @Test func `contracts are the manifests'`() {
        var cluster = FakeCluster()
        let directory = cluster.pack(declaration("Notes", .domain), contract: [1, 2])
        cluster.boot([HostSpec(id: "notes", plugins: [directory])])
        cluster.restartBroker()
        guard case .contracts(let contracts) = cluster.ask(.contracts) else {
            Issue.record("no contracts")
            return
        }
        #expect(contracts == ["Notes": ByteString([1, 2])])
    }

    @Test func `restart gives a new process and names the neighbours`() {
        var cluster = FakeCluster()
        let plugins = [cluster.pack(declaration("One", .domain)), cluster.pack(declaration("Two", .domain))]
        cluster.boot([HostSpec(id: "shared", plugins: plugins)])
        let pid = cluster.running["shared"]?.pid
        let no = cluster.ask(.restart(module: "One"))?.refusal
        #expect(no?.code == "restarts-others")
        #expect(no?.message.contains("Two") == true)
        #expect(cluster.running["shared"]?.pid == pid)
        #expect(cluster.ask(.restart(module: "One", yes: true))?.lines == ["host shared restarts, with it Two"])
        #expect(cluster.supervisorOrders.filter { $0.hasPrefix("restart") }.map { $0.contains("Manner.asked") } == [true], "it drains")
        #expect(cluster.registry.hosts["shared"]?.restarts == 0)
        #expect(cluster.running["shared"]?.pid != pid)
        #expect(cluster.phase("One") == .ready)
        #expect(cluster.registry.modules["Two"]?.epoch == Epoch(rawValue: 2))
    }

    @Test func `a load that breaks a rule changes nothing, a dry run neither`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let members = cluster.registry.picture.members
        let good = cluster.pack(declaration("Good", .domain))
        let bad = cluster.pack(declaration("Bad", .domain), imports: ["NotesReluxInt"])
        let both = HostSpec(id: "both", plugins: [good, bad])
        #expect(cluster.ask(.load(host: both, dryRun: false))?.refusal?.code == "layer.domainToDomain")
        let fine = HostSpec(id: "fine", plugins: [good])
        #expect(cluster.ask(.load(host: fine, dryRun: true))?.lines == ["Good: host fine starts with it"])
        #expect(cluster.registry.picture.members == members)
        #expect(cluster.registry.hosts["both"] == nil)
        #expect(cluster.registry.hosts["fine"] == nil)
        let nothing = cluster.ask(.load(host: HostSpec(id: "empty", plugins: []), dryRun: false))
        #expect(nothing?.refusal?.code == "nothing-to-load")
    }

    @Test(arguments: ["", ".hidden", "../../x", "a b", "a\nb", "\u{1b}[31m", "ä", String(repeating: "x", count: 65)])
    func `a host is not called what no file could be named after`(name: String) throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let good = cluster.pack(declaration("Good", .domain))
        let refusal = try #require(cluster.ask(.load(host: HostSpec(id: HostID(rawValue: name), plugins: [good]), dryRun: false))?.refusal)
        #expect(refusal.code == "bad-host-name" && refusal.message.contains("1 to 64 of A-Z a-z 0-9 _ . -"))
        #expect(refusal.message.unicodeScalars.allSatisfy { $0.value >= 0x20 })
        #expect(cluster.registry.modules["Good"] == nil)
        let longest = HostSpec(id: HostID(rawValue: String(repeating: "x", count: 64)), plugins: [good])
        #expect(cluster.ask(.load(host: longest, dryRun: true))?.refusal == nil)
    }

    @Test func `shutdown tells the supervisor and takes nothing more in`() {
        var cluster = FakeCluster()
        let specs = cluster.demo()
        cluster.boot(specs)
        cluster.ask(.shutdown)
        #expect(cluster.running.isEmpty)
        #expect(cluster.ask(.load(host: specs[0], dryRun: false))?.refusal?.code == "shutting-down")
        #expect(cluster.ask(.login)?.refusal?.code == "ingress-closed")
        cluster.restartBroker()
        cluster.supervisorInstance = "supervisor-2"
        cluster.boot(specs)
        #expect(cluster.isOpen)
        #expect(cluster.complaints.isEmpty)
    }

    @Test func `what waits when the cluster is taken down is told, by whoever that was, and a new supervisor begins anew`() {
        var scene = HandoverScene()
        scene.cluster.heldBack = ["Auth standby"]
        #expect(scene.upgrade() == nil && scene.stage == .preparing)
        scene.cluster.supervisor(.ending)
        #expect(scene.answer?.refusal?.code == "shutting-down")
        let message = scene.answer?.refusal?.message ?? ""
        #expect(message.contains("the cluster is being taken down before the upgrade of Auth to host Auth has come to its end"), "\(message)")
        #expect(message.contains("relux up starts Auth 1.0.0 in host auth"), "\(message)")
        #expect(scene.cluster.registry.status.phase == .closing)
        let emitted = scene.cluster.ask(.login)?.refusal
        #expect(emitted?.code == "ingress-closed" && emitted?.message.contains("is being taken down. Start it again: relux up") == true, "\(emitted?.message ?? "")")
        #expect(emitted?.passes == nil)
        // A client that asks again is not left to wait either.
        let answers = scene.cluster.answers["upgrade"]?.count
        scene.upgrade()
        #expect(scene.cluster.answers["upgrade"]?.count == (answers ?? 0) + 1)
        scene.cluster.boot(scene.specs)
        #expect(scene.cluster.supervisorOrders.contains("shutdown"), "the same supervisor goes on with its end")
        scene.cluster.supervisorInstance = "supervisor-2"
        scene.cluster.boot(scene.specs)
        #expect(scene.cluster.isOpen)
    }

    @Test func `what cannot be decoded is answered too, in the order of what came before it and after it`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let client = ConnectionID(ByteString([7]))
        let events: [Registry.Event] = [
            .host(client, .pong(stalled: [])), .malformed(client, why: "no CBOR"),
            .supervisor(client, .pong, plugins: [:]), .client(client, ClientRequest(id: "x", body: .status), plugins: [:]),
        ]
        let answers = cluster.registry.on(events, now: cluster.now).map { action in
            switch action {
            case .toHosts([client], .introduce): "host"
            case .toSupervisor(client, .introduce): "supervisor"
            case .answer(client, let response):
                if case .refused(let code, let message, _) = response.body { "\(code): \(message)" } else { response.id }
            default: "other"
            }
        }
        #expect(answers == ["host", "broker.message: the message could not be decoded: no CBOR", "supervisor", "x"])
        #expect(cluster.registry.counters.malformed == 1)
        #expect(cluster.registry.notices.strangers.messages == 2)
        #expect(cluster.registry.noteLines.contains("2 messages from processes that have not said who they are, although they were asked to"))
    }

    @Test func `the last words of a process whose end was told first are no stranger's`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        guard let process = cluster.running["notes"] else { return #expect(Bool(false), "no process") }
        cluster.crash("notes", status: "exit 0", restarts: false)
        cluster.send(.host(process.connection, .counters([:])))
        #expect(cluster.registry.notices.strangers.messages == 0 && cluster.registry.counters.stale == 1)
        #expect(cluster.registry.noteLines.allSatisfy { !$0.contains("who they are") }, "\(cluster.registry.noteLines)")
    }

    @Test func `a dead letter is marked by the host of its module, and the answer is the host's`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let effect = EffectID(module: "Cluster", position: 5)
        func resolve(_ module: ModuleID, _ resolution: DeadRecord.Resolution = .retried) -> ClientRequest.Body {
            .resolve(module: module, effect: effect, resolution: resolution)
        }
        guard case .done(let lines)? = cluster.ask(resolve("Auth")) else {
            Issue.record("no answer")
            return
        }
        #expect(lines == ["Cluster#5 is marked in the journal of Auth"])
        #expect(cluster.running["auth"]?.orders.contains("resolve Auth Cluster#5 retried") == true)
        // A letter that is not there, or not open.
        cluster.slow = ["Auth"]
        #expect(cluster.ask(resolve("Auth"))?.refusal?.code == "no-letter")
        #expect(cluster.ask(resolve("Auth", .open))?.refusal?.code == "no-letter")
        #expect(cluster.ask(resolve("Nobody"))?.refusal?.code == "unknown-module")
    }

    @Test func `a schedule's order is carried out by the host of its module, and the answer is the host's`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        func pause(_ module: ModuleID) -> ClientRequest.Body { .schedule(module: module, ScheduleOrder(.pause, "poll")) }
        guard case .done(["pause poll"])? = cluster.ask(pause("Auth")) else {
            Issue.record("no answer")
            return
        }
        #expect(cluster.running["auth"]?.orders.contains("pause Auth poll") == true)
        cluster.slow = ["Auth"]
        #expect(cluster.ask(pause("Auth"))?.refusal?.code == "no-schedule")
        #expect(cluster.ask(pause("Nobody"))?.refusal?.code == "unknown-module")
        cluster.crash("auth", restarts: false)
        let refusal = cluster.ask(pause("Auth"))?.refusal
        #expect(refusal?.code == "no-process" && refusal?.passes == "Auth to run", "\(refusal?.message ?? "")")
        #expect(refusal?.message.contains("Auth has no process that could pause poll") == true)
    }

    @Test func `without a process nobody can mark a dead letter`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.crash("auth", restarts: false)
        let effect = EffectID(module: "Cluster", position: 5)
        let refusal = cluster.ask(.resolve(module: "Auth", effect: effect, resolution: .dropped))?.refusal
        #expect(refusal?.code == "no-process")
        #expect(refusal?.message.contains("Auth has no process") == true)
        #expect(refusal?.passes == "Auth to run")
        cluster.supervisor(.quarantined(host: "auth", why: "it died too often"))
        let quarantined = cluster.ask(.resolve(module: "Auth", effect: effect, resolution: .dropped))?.refusal
        #expect(quarantined?.code == "no-process" && quarantined?.passes == nil)
    }

    @Test func `who is unknown may come as long as the supervisor has not said what belongs to the cluster`() {
        var cluster = FakeCluster()
        #expect(cluster.ask(.unload(module: "Auth", yes: false))?.refusal?.passes != nil)
        cluster.boot(cluster.demo())
        let unknown = cluster.ask(.unload(module: "Nobody", yes: false))?.refusal
        #expect(unknown?.code == "unknown-module" && unknown?.passes == nil)
    }
}
