import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

private enum Passing: Relux.Effect {
    case by
    static var wireDurability: Relux.Durability { .transient }
}

/// Recipients that are known to be absent.
@Suite(.timeLimit(.minutes(1))) struct ParkedTests {
    private let uplink = RecordingUplink()
    private let clock = ManualClock()
    private let exchange: Relux.Exchange
    private let node: Relux
    private let why = "imports SyncReluxInt, which no module provides; load Sync"

    init() throws {
        exchange = Relux.Exchange(clock: clock.nodeClock, uplink: uplink)
        node = .clusterNode(for: "M", on: exchange, clock: clock.nodeClock)
        try node.join(MockModule("M"), position: 0, handles: [], emits: ["Reply", Passing.wireTopic], isSerial: false)
        set([:])
    }

    private func set(_ absences: [ModuleID: String], withoutProcess: Set<ModuleID> = []) {
        exchange.setMembership(
            version: 1, recipients: ["Reply": ["Near", "Far"], Passing.wireTopic: ["Far"], "Work": ["Far"]], withoutProcess: withoutProcess,
            absences: absences)
    }

    /// Waits for the n-th effect.
    private func said(_ count: Int = 1) async throws -> Relux.Emission { try await uplink.appended.wait(count: count)[count - 1] }

    private func outstanding(_ id: EffectID) -> [ModuleID]? { exchange.state.withLock { $0.pending[id]?.outstanding.modules } }

    @Test func `absent recipients hold nobody up, stand in the result with the reason, and keep the effect`() async throws {
        set(["Near": "it is quarantined", "Far": why])
        let result = await node.dispatcher.actions { Reply.ping(1) }
        #expect(result.parked == ["Near": "it is quarantined", "Far": why])
        #expect(result.isSuccess && result.failures.isEmpty && !result.isUnhandled && result.unanswered.isEmpty)
        #expect(result.outcomes.map(\.failure?.code) == ["parked", "parked"])
        #expect(result.outcomes[1].failure?.message == "\(why); the effect is kept until Far is back")
        let effect = try await said()
        #expect(effect.recipients == ["Near", "Far"])
        #expect(outstanding(effect.id) == ["Near", "Far"])
        for recipient: ModuleID in ["Near", "Far"] { exchange.settle(effect.id, by: recipient, with: .success) }
        #expect(outstanding(effect.id) == nil)
    }

    @Test func `who is present is waited for, and the absent ones stand beside the answer`() async throws {
        set(["Far": why])
        async let result = node.dispatcher.actions { Reply.ping(1) }
        exchange.settle(try await said().id, by: "Near", with: .success(7))
        let outcomes = await result.outcomes
        #expect(outcomes.map(\.status) == [.succeeded, .parked])
        #expect(await result.value(Int.self) == 7)
        #expect(outstanding(EffectID(module: "M", position: 1)) == ["Far"])
    }

    @Test func `a failure of who is present fails the result`() async throws {
        set(["Far": why])
        async let result = node.dispatcher.actions { Reply.ping(1) }
        let failed = Relux.ActionResult(outcomes: [.init(recipient: .init(module: "Near"), status: .failed, failure: .init(Refusal()))])
        exchange.settle(try await said().id, by: "Near", with: failed)
        #expect(await result.isFailure)
        #expect(await result.failures == [.init(Refusal())])
    }

    @Test(arguments: [false, true]) func `who waits learns at once that the last recipient has become absent`(nearFirst: Bool) async throws {
        async let result = node.dispatcher.actions { Reply.ping(1) }
        let id = try await said().id
        if nearFirst { exchange.settle(id, by: "Near", with: .success(1)) } else { set(["Near": "gone"]) }
        #expect(exchange.isAwaited(id))
        set(["Near": "gone", "Far": why])
        let statuses = await result.outcomes.map(\.status)
        #expect(statuses == [nearFirst ? .succeeded : .parked, .parked])
    }

    @Test func `one that returns before the others have answered is waited for again`() async throws {
        set(["Far": why])
        async let result = node.dispatcher.actions { Reply.ping(1) }
        let id = try await said().id
        set([:])
        exchange.settle(id, by: "Near", with: .success)
        #expect(exchange.isAwaited(id))
        exchange.settle(id, by: "Far", with: .success("back"))
        #expect(await result.value(String.self) == "back")
        #expect(await result.parked.isEmpty)
    }

    @Test func `who asks for everyone waits for the absent too, and is told at the deadline why one did not answer`() async throws {
        set(["Near": "gone", "Far": why])
        async let result = node.dispatcher.actions(awaiting: .everyone) { Reply.ping(1) }
        let id = try await said().id
        exchange.settle(id, by: "Near", with: .success)
        #expect(exchange.isAwaited(id))
        try await clock.waitForSleepers(1, dueWithin: .seconds(30))
        clock.advance(by: .seconds(30))
        #expect(await result.unanswered == ["Far"])
        #expect(await result.isFailure)
        #expect(await result.failures.first?.message.contains(why) == true)
    }

    @Test func `at the deadline those who are present have not answered, and the absent are parked`() async throws {
        set(["Far": why])
        async let result = node.dispatcher.actions { Reply.ping(1) }
        _ = try await said()
        try await clock.waitForSleepers(1, dueWithin: .seconds(30))
        clock.advance(by: .seconds(30))
        #expect(await result.unanswered == ["Near"])
        #expect(await result.parked == ["Far": why])
    }

    @Test func `a question to an absent recipient is answered at once, whoever else has to settle it`() async throws {
        set(["Far": why])
        let answer = await node.dispatcher.ask(Reply.ping(1), of: "Far", upTo: .seconds(60))
        #expect(answer.parked == ["Far": why] && answer.outcomes.count == 1)
        async let other = node.dispatcher.ask(Reply.ping(2), of: "Near", upTo: .seconds(60))
        exchange.settle(try await said(2).id, by: "Near", with: .success(2))
        #expect(await other.value(Int.self) == 2)
        #expect(await other.parked.isEmpty)
        async let late = node.dispatcher.ask(Reply.ping(3), of: "Far", upTo: .seconds(60), awaiting: .everyone)
        exchange.settle(try await said(3).id, by: "Far", with: .success(3))
        #expect(await late.value(Int.self) == 3)
    }

    @Test func `completions and batches that stop at a failure go on past the absent`() async throws {
        set(["Near": "gone", "Far": why])
        let results = Recorder<Relux.ActionResult>()
        node.dispatcher.performAsync { Reply.ping(1) } completion: { results.record($0) }
        #expect(try await results.wait(count: 1)[0].parked.count == 2)
        let batch = await node.dispatcher.actions(.seriallyStoppingOnFailure) {
            Reply.ping(2)
            Reply.ping(3)
        }
        #expect(batch.outcomes.count == 4)
        #expect(uplink.appended.elements.count == 3)
        node.dispatcher.performAsync(awaiting: .everyone) { Reply.ping(4) } completion: { results.record($0) }
        let id = try await said(4).id
        #expect(exchange.isAwaited(id))
        for recipient: ModuleID in ["Near", "Far"] { exchange.settle(id, by: recipient, with: .success) }
        #expect(try await results.wait(count: 2)[1].parked.isEmpty)
    }

    @Test func `a transient effect is parked for a process that is there, and lost with one that is not`() async throws {
        set(["Far": why])
        #expect(await node.dispatcher.actions { Passing.by }.parked == ["Far": why])
        set(["Far": why], withoutProcess: ["Far"])
        async let result = node.dispatcher.actions { Passing.by }
        let id = try await said(2).id
        #expect(exchange.isAwaited(id), "the bus says that it is lost")
        exchange.settle(id, by: "Far", with: .failure(Refusal()))
        #expect(await result.isFailure)
    }

    @Test func `a handler that waits for an absent recipient gets its slot back, and does not answer for it`() async throws {
        let answering = Relux.clusterNode(for: "A", on: exchange, clock: clock.nodeClock)
        let module = MockModule<Never>("A") { _ in await actions { Reply.ping(1) } }
        try answering.join(module, position: 0, handles: ["Work"], emits: ["Reply"], isSerial: true)
        answering.openModule()
        exchange.deliver(
            Relux.Delivery(
                id: EffectID(module: "Other", position: 1), topic: "Work", content: .encoded(try CBOR.encode(Work.a)[...], as: Work.self),
                ancestry: [], awaitDepth: 0, deadline: nil), to: "A")
        let id = try await said().id
        #expect(exchange.isAwaited(id))
        set(["Near": "gone", "Far": why])
        let settled = try await uplink.settlements.wait(count: 1)[0]
        #expect(settled.result.outcomes.map(\.status) == [.succeeded])
        #expect(exchange.state.withLock { $0.parties.read("A") { $0.isIdle && $0.running == 0 } } == true)
    }
}

extension Relux.Exchange {
    fileprivate func isAwaited(_ effect: EffectID) -> Bool { state.withLock { $0.pending[effect]?.waiter != nil } }
}
