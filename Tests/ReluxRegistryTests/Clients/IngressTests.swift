import Relux
import ReluxControl
import ReluxPlugin
@testable import ReluxRegistry
import ReluxWire
import Testing

/// Effects that come from outside.
@Suite struct IngressTests {
    private let effect: Topic = "Auth.Business.Effect"

    @Test func `the ingress is closed until the third phase is over, and says what it waits for`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        let refusal = cluster.ask(.login)?.refusal
        #expect(refusal?.code == "ingress-closed")
        #expect(refusal?.message.contains("domains, which waits for Auth") == true)
        #expect(refusal?.passes == "the cluster to be open, and for that for Auth")
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        #expect(cluster.ask(.login, id: "x") == nil)
        #expect(cluster.emitted == ["x Auth.Business.Effect"])
    }

    @Test func `what no journal could hold is refused with the limit, and not emitted`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        let payload = ByteString([UInt8](repeating: 0, count: WireRecord.payloadByteLimit + 1))
        let large = cluster.ask(.emit(topic: effect, payload: payload, deadlineMilliseconds: 0, label: ""), id: "x")?.refusal
        #expect(large?.code == "too-large" && large?.message.contains("\(WireRecord.payloadByteLimit)") == true)
        let long = cluster.ask(.login, id: String(repeating: "x", count: 1025))?.refusal
        #expect(long?.code == "too-large" && long?.message.contains("1024") == true)
        #expect(cluster.emitted.isEmpty)
        cluster.ask(.login, id: String(repeating: "x", count: 1024))
        #expect(cluster.emitted.count == 1)
    }

    @Test func `a client that asks again while it waits is refused once, when it gives up, and not at all when it is let in`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        for _ in 0..<5 { #expect(cluster.ask(.login, id: "x", waits: true)?.refusal?.passes != nil) }
        #expect(cluster.refusedAtIngress.isEmpty)
        #expect(cluster.ask(.login, id: "x", waits: false)?.refusal?.code == "ingress-closed")
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        cluster.ask(.login, id: "y", waits: true)
        cluster.ask(.emit(topic: "~mine", payload: ByteString([0xa0]), deadlineMilliseconds: 0, label: ""), waits: true)
        #expect(cluster.refusedAtIngress.map(\.failure.code) == ["ingress-closed", "unusable-topic"], "the second does not pass by itself")
        #expect(cluster.emitted == ["y Auth.Business.Effect"])
    }

    @Test func `what the ingress does not take is a refusal of the cluster's node, and the status says where and why`() {
        var cluster = FakeCluster()
        cluster.slow = ["Auth"]
        cluster.boot(cluster.demo())
        cluster.ask(.login)
        cluster.host("auth", says: .state(module: "Auth", state: ModuleState(.ready)))
        cluster.ask(.login, id: String(repeating: "x", count: 1025))
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
        cluster.ask(.login, id: "x")
        cluster.ask(.login, id: "x")
        #expect(cluster.emitted.count == 1)
        let answer = EmitAnswer(
            effect: EffectID(module: "Cluster", position: 5), unhandled: false, succeeded: true, outcomes: [])
        cluster.send(.answered(request: "x", .emitted(answer)))
        cluster.send(.answered(request: "x", .refused(code: "late", message: "")))
        cluster.ask(.login, id: "x")
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
        cluster.ask(.login, id: "x")
        cluster.send(.answered(request: "x", .refused(code: "ingress.notAccepted", message: "full")))
        cluster.ask(.login, id: "x")
        #expect(cluster.emitted.count == 2)
    }

    @Test func `what was accepted is not refused when it is asked for again while the ingress is closed`() {
        var cluster = FakeCluster()
        cluster.boot(cluster.demo())
        cluster.ask(.login, id: "x")
        cluster.ask(.login, id: "y")
        cluster.send(.answered(request: "x", emitted(5)))
        cluster.ask(.shutdown)
        #expect(cluster.ask(.login, id: "x")?.refusal == nil)
        #expect(cluster.answers["x"]?.count == 2)
        #expect(cluster.ask(.login, id: "y") == nil)
        let late = cluster.ask(.login, id: "z")?.refusal
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
                outcomes: [.init(recipient: "Auth", status: .succeeded, message: "", value: ByteString([UInt8](repeating: 7, count: bytes)))]))
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
}
