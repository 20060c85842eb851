import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

private enum TooLong: Relux.Effect {
    case note(String)
    static var wireTopic: Topic { "~unusable" }
}

private struct Uncodable: Relux.Effect {
    struct Refusal: Error {}
    init() {}
    init(from decoder: any Decoder) throws { throw Refusal() }
    func encode(to encoder: any Encoder) throws { throw Refusal() }
}

/// Each way in which a dispatch ends without being accepted: it is counted, written with its site, and told to whoever asked.
@Suite(.timeLimit(.minutes(1))) struct RefusedDispatchScenarios {
    private let lines = Recorder<String>()
    private let uplink = RecordingUplink()
    private let clock = ManualClock()
    private let recorder = RecordingLogger()

    private func exchange(_ uplink: RecordingUplink? = nil) -> Relux.Exchange {
        Relux.Exchange(clock: clock.nodeClock, uplink: uplink, say: { [lines] in lines.record($0) })
    }

    private func alone() -> Relux {
        let node = Relux(
            name: "Test", exchange: exchange(), logger: recorder, clock: clock.nodeClock, sealer: nil, deadline: .seconds(30),
            drainLimit: .seconds(5))
        _ = node.exchange.add(.publisherOnly("Test"))
        return node
    }

    private func member(of exchange: Relux.Exchange, logger: (any Relux.Logger)? = nil) throws -> Relux {
        let node = Relux.clusterNode(for: "M", on: exchange, logger: logger, clock: clock.nodeClock)
        try node.join(MockModule("M"), position: 0, handles: [], emits: ["Work", "~unusable", "Uncodable"], isSerial: false)
        node.openModule()
        return node
    }

    private func reasons(_ node: Relux, of module: ModuleID = "M") -> [String: UInt64] {
        Dictionary(node.exchange.refusals(of: module).counts.map { ($0.reason, $0.count) }, uniquingKeysWith: +)
    }

    @Test func `an effect that is not declared is counted for its module, written with file and line, and marked by the recorder`() async throws {
        let node = alone()
        let module = MockModule("M", emits: [Work.self]) { _ in
            await actions { Reply.ping(1) }
            return .success
        }
        await node.register { module }
        #expect(await node.dispatcher.actions { Work.a }.isSuccess, "the handler did not look at it")
        #expect(reasons(node) == ["undeclared": 1])
        let line = try #require(lines.elements.first)
        #expect(line.contains("M: Reply.ping was not accepted (undeclared) at ReluxTests/RefusedDispatchScenarios.swift:"))
        #expect(line.contains("add the topic to `emits`"))
        #expect(recorder.all(Reply.self).isEmpty && recorder.refused.map(\.description) == ["refused Reply.ping(1) (undeclared)"])
    }

    @Test func `what is refused is told as such, and what merely failed is not`() async throws {
        let node = alone()
        await node.register { MockModule("M", emits: []) { _ in .failure(Relux.Failure(domain: "d", code: "c", message: "no")) } }
        #expect(await !node.dispatcher.actions { Work.a }.isRefused)
        #expect(await node.dispatcher(for: "M").actions { Work.a }.isRefused)
        let both = await node.dispatcher(for: "M").actions {
            Note.noted(1)
            Work.a
        }
        #expect(both.isRefused && both.failures.map(\.code) == ["undeclared"])
    }

    @Test func `an unawaited effect that is refused is counted, written, and told to its completion`() async throws {
        let node = try member(of: exchange(uplink))
        let told = Recorder<Relux.ActionResult>()
        node.dispatcher(for: "M").performAsync { Reply.ping(1) } completion: { told.record($0) }
        #expect(try await told.wait(count: 1)[0].isRefused)
        #expect(reasons(node) == ["undeclared": 1] && lines.elements.count == 1)
    }

    @Test func `the uplink gets each refusal with its cause, and the journal those that are due`() async throws {
        let node = try member(of: exchange(uplink))
        for _ in 1...3 { await node.dispatcher(for: "M").actions { Reply.ping(1) } }
        #expect(uplink.refused.elements.map(\.count) == [1, 0, 0])
        #expect(uplink.refused.elements.allSatisfy { $0.isShown && $0.dispatch.path == "Reply.ping" && $0.dispatch.failure.code == "undeclared" })
        clock.advance(by: .seconds(1))
        node.exchange.sayKeptRefusals()
        #expect(uplink.refused.elements.map(\.count) == [1, 0, 0, 2])
        #expect(lines.elements.count == 2)
    }

    @Test func `an effect with an unusable name, or that cannot be encoded, is counted and written`() async throws {
        let node = try member(of: exchange(uplink), logger: recorder)
        #expect(await node.dispatcher(for: "M").actions { TooLong.note("x") }.failures.map(\.code) == ["unusableTopic"])
        #expect(await node.dispatcher(for: "M").actions { Uncodable() }.failures.map(\.code) == ["coding"])
        #expect(reasons(node) == ["unusableTopic": 1, "coding": 1])
        #expect(lines.elements.count == 2 && recorder.refused.count == 2)
    }

    @Test func `the same without a logger, where an unawaited effect goes the short way`() async throws {
        let node = try member(of: exchange(uplink))
        node.dispatcher(for: "M").performAsync { TooLong.note("x") }
        #expect(reasons(node) == ["unusableTopic": 1])
    }

    @Test func `a source that finds no room before the deadline is counted and written`() async throws {
        let node = try member(of: exchange(uplink))
        uplink.obstacle.withLock { $0 = .overloaded("Slow") }
        #expect(await node.dispatcher(for: "M").actions { Work.a }.isRefused)
        let told = Recorder<Relux.ActionResult>()
        await node.dispatcher(for: "M").accept(Work.a) { told.record($0) }
        #expect(told.elements.map(\.isRefused) == [true])
        #expect(reasons(node) == ["overloaded": 2])
    }

    @Test func `an effect of a module that has left is counted and written`() async throws {
        let node = alone()
        await node.register { MockModule("M") }
        await node.unregister("M")
        #expect(await node.dispatcher(for: "M").actions { Work.a }.isRefused)
        #expect(reasons(node) == ["closed": 1] && lines.elements.count == 1)
    }

    @Test func `a delay that is cancelled is counted and written, for each action of the batch`() async throws {
        let node = alone()
        let dispatcher = node.dispatcher
        let task = Task {
            await dispatcher.actions(delay: .seconds(1)) {
                Work.a
                Note.noted(1)
            }
        }
        try await clock.waitForSleepers(1)
        task.cancel()
        #expect(await task.value.isRefused)
        #expect(reasons(node, of: "Test") == ["cancelled": 2] && recorder.refused.count == 2)
    }

    @Test func `what sleeps in a delay when its module leaves is refused then, for each action of the batch, and nothing is sent later`() async throws {
        let node = alone()
        await node.register { MockModule("M") }
        let told = Recorder<Relux.ActionResult>()
        let both: () -> [any Relux.Action] = { [Work.a, Note.noted(1)] }
        node.dispatcher(for: "M").performAsync(delay: .seconds(3), actions: both, label: "poll") { told.record($0) }
        let dispatcher = node.dispatcher
        let other = Task { await dispatcher.actions(delay: .seconds(3)) { Note.noted(2) } }
        try await clock.waitForSleepers(2)
        await node.unregister("M")
        #expect(reasons(node) == ["closed": 2] && recorder.refused.count == 2)
        let line = try #require(lines.elements.first { $0.contains("Work.a") })
        #expect(line.contains("M: Work.a was not accepted (closed) at ReluxTests/RefusedDispatchScenarios.swift:"))
        #expect(line.contains("(poll): M left while the delay ran; nothing was sent"))
        #expect(try await told.wait(count: 1)[0].failures.map(\.code) == ["closed"])
        // Whoever delays something behind that is told at once.
        #expect(await node.dispatcher(for: "M").actions(delay: .seconds(3)) { Work.b }.failures.map(\.code) == ["closed"])
        clock.advance(by: .seconds(3))
        #expect(await other.value.isSuccess, "another module's delay is its own")
        #expect(reasons(node) == ["closed": 3], "counted once each")
    }

    enum Parting: CaseIterable { case leaves, yields, handsOver }

    @Test(arguments: Parting.allCases)
    func `a delay that still sleeps is told to the uplink before its module has left, and a next life delays anew`(parting: Parting) async throws {
        let exchange = exchange(uplink)
        let node = try member(of: exchange)
        node.dispatcher(for: "M").performAsync(delay: .seconds(3)) { Work.a }
        try await clock.waitForSleepers(1)
        switch parting {
        case .leaves: #expect(await node.leave(within: .seconds(1)))
        case .yields: #expect(await node.leave(within: .seconds(1), yields: true))
        case .handsOver: try await node.handOver(within: .seconds(1))
        }
        #expect(uplink.refused.elements.map(\.count) == [1] && uplink.refused.elements[0].dispatch.failure.code == "closed")
        let next = try member(of: exchange)
        let said = Task { await next.dispatcher(for: "M").actions(delay: .seconds(3)) { Work.a } }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        #expect(await !said.value.isRefused)
        #expect(uplink.refused.elements.count == 1)
    }

    @Test func `with a leased state the refusal comes before the state, and counts once`() async throws {
        let node = alone()
        await node.register { MockModule("M", emits: []) }
        let state = Counter()
        node.store.connectTemporally(state: state)
        #expect(await node.dispatcher(for: "M").actions { Work.a }.isRefused)
        #expect(reasons(node) == ["undeclared": 1])
    }

    @Test func `a serial module that would wait for itself is counted and written`() async throws {
        let node = alone()
        await node.register { MockModule("M", isSerial: true) { effect in await actions { Work.b } } }
        #expect(await node.dispatcher.actions { Work.a }.failures.map(\.code) == ["cycle"])
        #expect(reasons(node) == ["cycle": 1] && lines.elements.first?.contains("M: Work.b was not accepted (cycle) at ReluxTests/") == true)
    }

    @Test func `the same when the effect comes off the bus, and nothing of it is journaled as never accepted`() async throws {
        let node = Relux.clusterNode(for: "M", on: exchange(uplink), clock: clock.nodeClock)
        let gate = Gate()
        let module = MockModule("M") { _ in
            await gate.pass()
            return .success
        }
        try node.join(module, position: 0, handles: ["Work"], emits: [], isSerial: true)
        node.openModule()
        let first = EffectID(module: "Far", position: 1)
        func delivery(_ id: EffectID, _ ancestry: [EffectID]) throws -> Relux.Delivery {
            Relux.Delivery(
                id: id, topic: "Work", content: .encoded(try CBOR.encode(Work.b)[...], as: Work.self), ancestry: ancestry,
                awaitDepth: ancestry.count, deadline: nil)
        }
        node.exchange.deliver(try delivery(first, []), to: "M")
        try await gate.waitForArrivals(1)
        node.exchange.deliver(try delivery(EffectID(module: "Far", position: 2), [first]), to: "M")
        gate.open()
        #expect(reasons(node) == ["cycle": 1])
        #expect(uplink.refused.elements.isEmpty)
    }

    @Test func `what cannot be decoded is counted and written at its recipient`() async throws {
        let node = Relux.clusterNode(for: "M", on: exchange(uplink), clock: clock.nodeClock)
        try node.join(MockModule("M"), position: 0, handles: ["Work"], emits: [], isSerial: false)
        node.openModule()
        node.exchange.deliver(
            Relux.Delivery(
                id: EffectID(module: "Far", position: 1), topic: "Work", content: .encoded(try CBOR.encode(Reply.ping(1))[...], as: Work.self),
                ancestry: [], awaitDepth: 0, deadline: nil),
            to: "M")
        _ = try await uplink.settlements.wait(count: 1)
        #expect(reasons(node) == ["coding": 1])
    }

    @Test func `what comes through the ingress too large is counted and written`() async throws {
        let exchange = exchange(uplink)
        let node = Relux.clusterNode(for: "Cluster", on: exchange, clock: clock.nodeClock)
        node.joinAsIngress(position: 0)
        let answer = await node.dispatchEncoded(
            [], on: "Work", deadline: nil, label: "", site: Relux.Site(file: "ingress", line: 0, function: ""),
            request: String(repeating: "r", count: 2000))
        #expect(answer.id == nil && answer.result.isRefused)
        #expect(reasons(node, of: "Cluster") == ["coding": 1])
        #expect(lines.elements.first?.contains(" at ingress: ") == true)
    }

    @Test func `what the bus has no room to keep is counted and written, and its waiter is told`() async throws {
        let node = try member(of: exchange(uplink))
        node.exchange.setMembership(version: 1, recipients: ["Work": ["Far"]])
        let dispatcher = node.dispatcher(for: "M")
        async let result = dispatcher.actions { Work.a }
        node.exchange.takeBack(try await uplink.appended.wait(count: 1)[0])
        #expect(await result.outcomes.map(\.status) == [.refused])
        #expect(reasons(node) == ["overloaded": 1] && lines.elements.count == 1)
    }

    @Test func `outside a node a dispatch says once where it stands and what helps`() async throws {
        let lines = Recorder<String>()
        let homeless = Relux.Homeless(say: { [lines] in lines.record($0) })
        try await Relux.Homeless.$present.withValue(homeless) {
            for _ in 1...3 { #expect(await actions { Work.number(77) }.isRefused) }
            let told = Recorder<Relux.ActionResult>()
            performAsync { Work.number(78) } completion: { told.record($0) }
            let results = try await told.wait(count: 1)
            #expect(results[0].failures.map(\.code) == ["noNode"])
            #expect(await Relux.Dispatcher.current.ask(Work.a, upTo: .seconds(1)).isRefused)
        }
        #expect(lines.elements.count == 3 && lines.elements.allSatisfy { !$0.contains("more of it") })
        let line = try #require(lines.elements.first)
        #expect(line.contains("Work.number was not accepted (noNode) at ReluxTests/RefusedDispatchScenarios.swift:"))
        #expect(line.contains("or use the module's `dispatcher`"))
        #expect(homeless.take().map(\.count) == [3, 1, 1] && homeless.take().isEmpty)
        #expect(lines.elements.count == 4 && lines.elements[3].contains("; 1 more of it since the last line"))
    }

    @Test func `what finds no node and is adopted is refused in its module's name, and what is kept back of it is said`() async throws {
        let exchange = exchange(uplink)
        let homeless = Relux.Homeless(say: { _ in Issue.record("said twice") })
        homeless.adopt { refused in
            var refused = refused
            refused.module = "M"
            exchange.refuse(refused)
            return true
        }
        await Relux.Homeless.$present.withValue(homeless) {
            for _ in 1...3 { #expect(await actions { Work.number(77) }.isRefused) }
        }
        clock.advance(by: .seconds(1))
        exchange.sayKeptRefusals()
        #expect(exchange.refusals(of: "M").total == 3 && uplink.refused.elements.map(\.count) == [1, 0, 0, 2])
        #expect(lines.elements.count == 2 && lines.elements[1].contains("relux: M: Work.number was not accepted (noNode)"))
        #expect(lines.elements[1].contains("; 1 more of it since the last line") && homeless.take().isEmpty)
    }
}
