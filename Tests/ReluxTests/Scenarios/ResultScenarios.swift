import ReluxTestKit
import Testing

@testable import Relux

@Suite(.timeLimit(.minutes(1))) struct ResultScenarios {
    let test = TestNode()

    @Test func `Given two flows returning values under the same key from two plugins, when merged, then both values are retrievable`()
        async
    {
        await test.relux.register([
            MockModule("One", as: First.self) { _ in .success("one") },
            MockModule("Two", as: Second.self) { _ in .success("two") },
        ])
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.value(String.self, from: "One") == "one")
        #expect(result.value(String.self, from: "Two") == "two")
        #expect(result.values(String.self).count == 2)
        #expect(result.value(String.self) == "one")
    }

    @Test func `Given two flows in one module, when merged, then both values are retrievable`() async {
        let one = RecordingFlows(First.self) { .success(1) }
        let two = RecordingFlows(Second.self) { .success(2) }
        await test.relux.register([Plain("Both", sagas: [two, one])])
        let result = await test.dispatcher.actions { Work.a }
        #expect(Set(result.values(Int.self).values) == [1, 2])
        #expect(Set(result.values(Int.self).keys.map(\.module)) == ["Both"])
    }

    @Test func `a saga that does not take an effect neither runs for it nor answers for it`() async {
        let one = RecordingFlows(First.self) { .success(1) }
        let beside = Beside()
        await test.relux.register([Plain("Both", sagas: [beside, one])])
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.outcomes.count == 1 && result.value(Int.self, from: "Both") == 1)
        await test.relux.register([Plain("Alone", sagas: [beside])])
        let others = await test.dispatcher.actions { Work.a }
        #expect(others.outcomes.map(\.recipient.module.rawValue).sorted() == ["Alone", "Both"] && others.isSuccess)
        #expect(await beside.count == 0)
    }

    @Test func `Given one success and one failure, when merged, then the status is failure and the success payload is still readable`()
        async
    {
        await test.relux.register([
            MockModule("Good", as: First.self) { _ in .success(42) },
            MockModule("Bad", as: Second.self) { _ in .failure(Refusal()) },
        ])
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.isFailure)
        #expect(result.value(Int.self) == 42)
        #expect(result.failures.count == 1)
    }

    @Test func `Given an effect nobody subscribes to, when dispatched, then the result is success flagged unhandled, and the logger shows it`()
        async
    {
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.isSuccess)
        #expect(result.isUnhandled)
        #expect(test.logger.entry(of: Work.a)?.result.isUnhandled == true)
    }

    @Test func `Given an action, not an effect, when dispatched, then states get it and no saga does`() async {
        let module = MockModule()
        await test.relux.register([module])
        let result = await test.dispatcher.actions { Note.noted(1) }
        #expect(result.isSuccess)
        #expect(!result.isUnhandled)
        #expect(module.reduced as? [Note] == [.noted(1)])
        #expect(module.effects.isEmpty)
    }

    @Test func `Given an action that no reducer declares, when dispatched, then it is reported unhandled`() async {
        await test.relux.register([Plain("Choosy", states: [Choosy()])])
        #expect(await test.dispatcher.actions { Note.noted(1) }.isUnhandled)
        #expect(await test.dispatcher.actions { Other.other }.isUnhandled == false)
    }

    @Test func `Given a recipient that never answers, when awaited with a deadline, then the call returns at the deadline naming that recipient`()
        async throws
    {
        let gate = Gate()
        await test.relux.register([
            MockModule("Quick", as: First.self) { _ in .success("quick") },
            MockModule("Slow", as: Second.self) { _ in
                await gate.pass()
                return .success
            },
        ])
        async let pending = test.dispatcher.actions { Work.a }
        try await gate.waitForArrivals(1)
        // The other one runs beside it, and may be the later one.
        while test.relux.exchange.counters()["Quick"]?.handled != 1 { await Task.yield() }
        try await test.clock.waitForSleepers(1, dueWithin: .seconds(30))
        test.clock.advance(by: .seconds(30))
        let result = await pending
        #expect(result.unanswered == ["Slow"])
        #expect(result.value(String.self) == "quick")
        #expect(result.codes == ["unanswered"])
        #expect(test.relux.exchange.unsettledWithin().count == 1, "only the waiting has ended")
        gate.open()
    }

    @Test func `a nested await whose inherited deadline is over says so instead of a time below zero`() async throws {
        let inner = try await failureOfAwait(after: .seconds(40))
        #expect(inner.message.contains("the deadline that its await inherited was over already"))
    }

    @Test func `a nested await inherits what is left of the deadline, and its flow is not itself unanswered`() async throws {
        let inner = try await failureOfAwait(after: .seconds(10))
        #expect(inner.message.contains("after 20s;"))
    }

    /// The result of an await of Inner, which never answers, by the handler of Outer, which sleeps before; Outer is awaited for 30 s.
    private func failureOfAwait(after sleep: Duration) async throws -> Relux.Failure {
        let gate = Gate()
        let clock = test.clock
        let nested = Recorder<Relux.ActionResult>()
        await test.relux.register([
            MockModule("Outer", as: First.self, handles: [Work.self]) { _ in
                try? await clock.sleep(sleep)
                let result = await actions { Reply.ping(1) }
                nested.record(result)
                return result
            },
            MockModule("Inner", as: Second.self, handles: [Reply.self]) { _ in
                await gate.pass()
                return .success
            },
        ])
        async let pending = test.dispatcher.actions { Work.a }
        // The handler, and who looks after the deadline when that comes first.
        try await clock.waitForSleepers(sleep > .seconds(30) ? 2 : 1, dueWithin: sleep)
        clock.advance(by: sleep)
        if sleep < .seconds(30) {
            try await gate.waitForArrivals(1)
            clock.advance(by: .seconds(30) - sleep)
        }
        #expect(await pending.unanswered == ["Outer"])
        let inner = try await nested.wait(count: 1)[0]
        #expect(inner.unanswered == ["Inner"])
        gate.open()
        return try #require(inner.failures.first)
    }

    @Test func `a flow that hands on a failed nested result has answered, and its failure names the silent module`() async {
        await test.relux.register([
            MockModule("Outer", as: First.self, handles: [Work.self]) { _ in
                Relux.ActionResult(outcomes: [
                    .init(recipient: .init(module: "Inner"), status: .unanswered, failure: .unanswered("Inner", after: .seconds(1)))
                ])
            }
        ])
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.unanswered.isEmpty)
        #expect(result.failures.first?.details["module"] == "Inner")
        #expect(result.outcomes.map(\.recipient.module) == ["Outer"])
    }

    @Test func `results of a concurrent batch come in source order`() async {
        let module = MockModule { effect in
            guard case .number(let n)? = effect as? Work else { return .success }
            return .success(n)
        }
        await test.relux.register([module])
        let result = await test.dispatcher.actions(.concurrently) { for n in 0..<20 { Work.number(n) } }
        #expect(result.outcomes.compactMap { $0.value?.decode(Int.self) } == Array(0..<20))
    }

    @Test func `performAsync returns at once and its completion gets the result`() async throws {
        let gate = Gate()
        await test.relux.register([
            MockModule { _ in
                await gate.pass()
                return .success("late")
            }
        ])
        let results = Recorder<Relux.ActionResult>()
        test.dispatcher.performAsync { Work.a } completion: { results.record($0) }
        try await gate.waitForArrivals(1)
        #expect(results.elements.isEmpty)
        gate.open()
        #expect(try await results.wait(count: 1)[0].value(String.self) == "late")
    }

    @Test func `outside any node a dispatch fails with noNode and names the remedy`() async {
        let result = await actions { Work.a }
        #expect(result.codes == ["noNode"])
        #expect(result.failures.first?.message.contains("dispatcher") == true)
    }
}

private enum Other: Relux.Action { case other }

private actor Choosy: Relux.BusinessState {
    nonisolated var reduces: [any Relux.Action.Type]? { [Other.self] }
    func reduce(with action: any Relux.Action) async {}
}

private actor RecordingFlows<Phantom>: Relux.Flow {
    private let answer: @Sendable () -> Relux.ActionResult
    init(_: Phantom.Type, answer: @escaping @Sendable () -> Relux.ActionResult) { self.answer = answer }
    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult { answer() }
}

/// A flow that takes nothing of what these tests send.
private actor Beside: Relux.Flow {
    private(set) var count = 0

    nonisolated func takes(_ effect: any Relux.Effect) -> Bool { !(effect is Work) }

    func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        count += 1
        return .success(count)
    }
}
