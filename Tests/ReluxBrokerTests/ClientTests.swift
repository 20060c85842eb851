import Relux
@testable import ReluxBroker
import ReluxBus
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct ClientTests {
    private let effect: Topic = "Auth.Business.Effect"

    private func emit() -> ClientRequest.Body {
        .emit(topic: effect, payload: ByteString([0xa0]), deadlineMilliseconds: 0, label: "test")
    }

    @Test func `the ingress is closed until the third phase is over, and says what it waits for`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        let refusal = cluster.ask(emit())?.refusal
        #expect(refusal?.code == "ingress-closed")
        #expect(refusal?.message.contains("domains, which waits for Auth") == true)
        #expect(refusal?.passes == "the cluster to be open, and for that for Auth")
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        #expect(cluster.ask(emit(), id: "x") == nil)
        #expect(cluster.emitted == ["x Auth.Business.Effect"])
    }

    @Test func `what no journal could hold is refused with the limit, and not emitted`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let payload = ByteString([UInt8](repeating: 0, count: WireRecord.payloadByteLimit + 1))
        let large = cluster.ask(.emit(topic: effect, payload: payload, deadlineMilliseconds: 0, label: ""), id: "x")?.refusal
        #expect(large?.code == "too-large" && large?.message.contains("\(WireRecord.payloadByteLimit)") == true)
        let long = cluster.ask(emit(), id: String(repeating: "x", count: 1025))?.refusal
        #expect(long?.code == "too-large" && long?.message.contains("1024") == true)
        #expect(cluster.emitted.isEmpty)
        cluster.ask(emit(), id: String(repeating: "x", count: 1024))
        #expect(cluster.emitted.count == 1)
    }

    @Test func `a client that asks again while it waits is refused once, when it gives up, and not at all when it is let in`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        for _ in 0..<5 { #expect(cluster.ask(emit(), id: "x", waits: true)?.refusal?.passes != nil) }
        #expect(cluster.refusedAtIngress.isEmpty)
        #expect(cluster.ask(emit(), id: "x", waits: false)?.refusal?.code == "ingress-closed")
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        cluster.ask(emit(), id: "y", waits: true)
        cluster.ask(.emit(topic: "~mine", payload: ByteString([0xa0]), deadlineMilliseconds: 0, label: ""), waits: true)
        #expect(cluster.refusedAtIngress.map(\.failure.code) == ["ingress-closed", "unusable-topic"], "the second does not pass by itself")
        #expect(cluster.emitted == ["y Auth.Business.Effect"])
    }

    @Test func `what the ingress does not take is a refusal of the cluster's node, and the status says where and why`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        cluster.ask(emit())
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        cluster.ask(emit(), id: String(repeating: "x", count: 1025))
        cluster.ask(.emit(topic: "~mine", payload: ByteString([0xa0]), deadlineMilliseconds: 0, label: ""))
        #expect(cluster.refusedAtIngress.map(\.failure.code) == ["ingress-closed", "too-large", "unusable-topic"])
        #expect(cluster.refusedAtIngress.allSatisfy { $0.module == "Cluster" && $0.site.file == "ingress" })
        #expect(cluster.registry.status.refusedAtIngress == nil)
        var counters = ModuleCounters()
        var refusals = Relux.Refusals()
        for refused in cluster.refusedAtIngress { _ = refusals.note(refused, now: .zero) }
        counters.take(refusals)
        cluster.send(.ownNews(.counters(["Cluster": counters])))
        #expect(cluster.registry.status.refusedAtIngress?.map(\.count) == [1, 1, 1])
    }

    @Test func `a repeated request id is emitted once and gets the first answer`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.ask(emit(), id: "x")
        cluster.ask(emit(), id: "x")
        #expect(cluster.emitted.count == 1)
        let answer = EmitAnswer(
            effect: EffectID(module: "Cluster", position: 5), unhandled: false, succeeded: true, outcomes: [])
        cluster.send(.answered(request: "x", .emitted(answer)))
        cluster.send(.answered(request: "x", .refused(code: "late", message: "")))
        cluster.ask(emit(), id: "x")
        #expect(cluster.emitted.count == 1)
        #expect(cluster.answers["x"]?.count == 2)
        for body in cluster.answers["x"] ?? [] {
            guard case .emitted(let again) = body else {
                Issue.record("\(body)")
                continue
            }
            #expect(again.effect == answer.effect)
        }
    }

    private func emitted(_ position: UInt64) -> ClientResponse.Body {
        .emitted(
            EmitAnswer(
                effect: EffectID(module: "Cluster", position: position), unhandled: false, succeeded: true, outcomes: []))
    }

    @Test func `a request that was refused counts as new when it is repeated`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.ask(emit(), id: "x")
        cluster.send(.answered(request: "x", .refused(code: "ingress.notAccepted", message: "full")))
        cluster.ask(emit(), id: "x")
        #expect(cluster.emitted.count == 2)
    }

    @Test func `what was accepted is not refused when it is asked for again while the ingress is closed`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.ask(emit(), id: "x")
        cluster.ask(emit(), id: "y")
        cluster.send(.answered(request: "x", emitted(5)))
        cluster.ask(.shutdown)
        #expect(cluster.ask(emit(), id: "x")?.refusal == nil)
        #expect(cluster.answers["x"]?.count == 2)
        #expect(cluster.ask(emit(), id: "y") == nil)
        let late = cluster.ask(emit(), id: "z")?.refusal
        #expect(late?.code == "ingress-closed" && late?.passes == nil)
        #expect(cluster.emitted.count == 2)
    }

    @Test func `the answers of an earlier broker are given again, and what it waited for is joined`() {
        var ingress = Ingress(Ingress.Limits(kept: 3))
        let client = ConnectionID(ByteString([1]))
        ingress.restore("answered", .answered(emitted(4)))
        ingress.restore("open", .pending)
        ingress.restore("forgotten by its client", .pending)
        #expect(ingress.knows("answered") && ingress.knows("open") && !ingress.knows("new"))
        guard case .answered(.emitted(let first)) = ingress.request("answered", from: client), first.effect.position == 4 else {
            Issue.record("the first answer is not given again")
            return
        }
        guard case .joined = ingress.request("open", from: client) else {
            Issue.record("it is emitted twice")
            return
        }
        #expect(ingress.answer("open", emitted(5)) == [client])
        #expect(ingress.answer("open", emitted(6)).isEmpty)
        #expect(ingress.answer("forgotten by its client", emitted(7)).isEmpty)
        guard case .answered(.emitted(let late)) = ingress.request("forgotten by its client", from: client), late.effect.position == 7
        else {
            Issue.record("the late answer is not kept")
            return
        }
    }

    @Test func `the ingress forgets the oldest answers first`() {
        var ingress = Ingress(Ingress.Limits(kept: 3))
        let client = ConnectionID(ByteString([1]))
        for id in 1...10 {
            guard case .first = ingress.request("\(id)", from: client) else {
                Issue.record("\(id) is not new")
                return
            }
            #expect(ingress.answer("\(id)", emitted(UInt64(id))) == [client])
        }
        guard case .answered(.emitted(let kept)) = ingress.request("8", from: client), kept.effect.position == 8 else {
            Issue.record("8 is forgotten")
            return
        }
        guard case .first = ingress.request("7", from: client) else {
            Issue.record("7 is kept")
            return
        }
    }

    private func limits(_ change: (inout Ingress.Limits) -> Void) -> Ingress.Limits {
        var limits = Ingress.Limits()
        change(&limits)
        return limits
    }

    private func emitted(_ position: UInt64, bytes: Int) -> ClientResponse.Body {
        .emitted(
            EmitAnswer(
                effect: EffectID(module: "Cluster", position: position), unhandled: false, succeeded: true,
                outcomes: [.init(recipient: "Auth", status: "succeeded", message: "", value: ByteString([UInt8](repeating: 7, count: bytes)))]))
    }

    @Test func `answers are kept by bytes, and whoever asks for a forgotten one is told so instead of having it emitted again`() {
        var ingress = Ingress(limits { $0.keptBytes = 10_000 })
        let client = ConnectionID(ByteString([1]))
        for id in UInt64(1)...100 {
            _ = ingress.request("\(id)", from: client)
            _ = ingress.answer("\(id)", emitted(id, bytes: 1000))
            #expect(ingress.keptBytes <= 10_000)
        }
        guard case .answered(.emitted(let last)) = ingress.request("100", from: client), last.effect.position == 100 else {
            Issue.record("the latest is forgotten")
            return
        }
        ingress.restore("of an earlier broker", .forgotten(EffectID(module: "Cluster", position: 1), bytes: 5))
        for id in ["1", "of an earlier broker"] {
            guard case .refused(let refusal) = ingress.request(id, from: client) else {
                Issue.record("\(id) is emitted again")
                return
            }
            #expect(refusal.rule == .answerForgotten && refusal.message.contains("Cluster#1") && refusal.passes == nil)
        }
    }

    @Test func `what is on its way has a limit for each client and for all, and room again with the answers`() {
        var ingress = Ingress(limits { ($0.openBytes, $0.openBytesOfOne) = (10_000, 5_000) })
        let clients = (1...3).map { ConnectionID(ByteString([$0])) }
        func isTaken(_ id: String, _ client: ConnectionID) -> Bool {
            guard case .refused(let refusal) = ingress.request(id, bytes: 3000, from: client) else { return true }
            #expect(refusal.rule == .ingressFull && refusal.passes != nil)
            return false
        }
        #expect(isTaken("a", clients[0]) && !isTaken("b", clients[0]), "one client's limit")
        #expect(isTaken("c", clients[1]) && !isTaken("d", clients[2]), "the limit of all")
        _ = ingress.answer("a", emitted(1))
        #expect(isTaken("d", clients[2]) && isTaken("d", clients[2]) && !isTaken("e", clients[0]))
        _ = ingress.answer("c", .refused(code: "", message: ""))
        #expect(isTaken("b", clients[0]))
    }

    @Test func `what a refusal quotes is cut, and status keeps no more of it`() throws {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let long = String(repeating: "x", count: 1 << 20)
        let unreadable = try #require(cluster.ask(.load(host: HostSpec(id: "other", plugins: [long]), dryRun: false))?.refusal)
        #expect(unreadable.message.utf8.count < 10_000)
        cluster.registry.remark(long)
        #expect(cluster.registry.notes.reduce(0) { $0 + $1.utf8.count } < 40_000)
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
            #expect(shown.notes.contains("host auth: \(blocked.text)"))
            #expect(cluster.registry.whyNot("Auth").contains("note: \(blocked.text)"))
            if isGone { cluster.crash("auth") } else { cluster.host("auth", says: .blocked([])) }
            #expect(!cluster.registry.notes.contains { $0.contains("blocks a thread") })
            #expect(cluster.registry.status.modules.first { $0.id == "Auth" }?.state.why.contains("blocks a thread") == false)
        }
    }

    @Test func `why-not lists every unmet requirement`() {
        var cluster = FakeCluster()
        cluster.slow = ["ErrorHandling"]
        cluster.boot(cluster.demo())
        let lines = cluster.registry.whyNot("SessionOrchestration")
        #expect(lines.contains("it is verified"))
        #expect(lines.contains { $0.contains("host sessionorchestration is not started yet") })
        #expect(lines.contains { $0.contains("after the phase infrastructure, which waits for") })
        #expect(lines.contains { $0.contains("AuthReluxInt") })
        #expect(lines.contains { $0.contains("ProfileReluxInt") })
        #expect(cluster.registry.whyNot("Nobody").count == 1)
        var ready = FakeCluster()
        ready.boot([ready.host(declaration("Notes", .domain))])
        guard case .whyNot(let unmet) = ready.ask(.whyNot(module: "Notes")) else {
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
        #expect(status.phase == "open")
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
        var totals = BusCore.Counters()
        totals.framesRefused = 3
        totals.gaps = 5
        cluster.host("auth", says: .bus(totals))
        #expect(cluster.registry.notes.contains("host auth: 3 frames could not be read"))
        _ = cluster.ask(.restart(module: "Auth"))
        #expect(!cluster.registry.notes.contains { $0.hasPrefix("host auth:") })
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
        #expect(!cluster.supervisorOrders.contains { $0.hasPrefix("restart") }, "it drains")
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
        #expect(cluster.ask(.load(host: both, dryRun: false))?.refusal?.code == "domain-imports-domain")
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
        #expect(cluster.ask(emit())?.refusal?.code == "ingress-closed")
        cluster.restartBroker()
        cluster.supervisorInstance = "supervisor-2"
        cluster.boot(specs)
        #expect(cluster.isOpen)
        #expect(cluster.complaints.isEmpty)
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
        #expect(cluster.registry.counters.strangers == 2)
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
