import Relux
import ReluxTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct BatchScenarios {
    let test = TestNode()

    @Test func `Given a serial batch A, B and a slow reducer for A, when dispatched, then no recipient sees B before every recipient acked A`()
        async throws
    {
        let gate = Gate()
        let seen = Recorder<String>()
        let slow = SlowState { if $0 as? Work == .a { await gate.pass() } }
        let other = MockModule("Other") { effect in
            seen.record("\(effect)")
            return .success
        }
        await test.relux.register([Plain("Slow", states: [slow]), other])
        async let result = test.dispatcher.actions(.serially) {
            Work.a
            Work.b
        }
        try await gate.waitForArrivals(1)
        try await seen.wait(count: 1)
        #expect(seen.elements == ["a"])
        gate.open()
        #expect(await result.isSuccess)
        #expect(seen.elements == ["a", "b"])
    }

    @Test func `Given one effect with both state and saga subscribers, when dispatched, then a module's state has reduced it before its saga is offered it`()
        async
    {
        let counter = Counter()
        let seen = Recorder<Int>()
        let flow = MockModule("Flow") { _ in
            seen.record(await counter.total)
            return .success
        }
        await test.relux.register([Plain("Both", states: [counter], sagas: flow.sagas)])
        await test.dispatcher.actions { Work.number(7) }
        #expect(seen.elements == [7])
    }

    @Test func `Given one effect with a state's and a saga's module, when dispatched, then no order between them is promised`() async throws {
        let gate = Gate()
        let seen = Recorder<String>()
        let slow = SlowState { _ in
            await gate.pass()
            seen.record("state")
        }
        let other = MockModule("Other") { _ in
            seen.record("saga")
            return .success
        }
        await test.relux.register([Plain("Slow", states: [slow]), other])
        async let result = test.dispatcher.actions { Work.a }
        // The saga's module waits for nobody else's state.
        try await gate.waitForArrivals(1)
        #expect(try await seen.wait(count: 1) == ["saga"])
        gate.open()
        #expect(await result.isSuccess)
        #expect(seen.elements == ["saga", "state"])
    }

    @Test func `Given three concurrent effects of 150 ms each, when dispatched .concurrently, then the batch settles in under 300 ms`()
        async throws
    {
        let clock = test.clock
        let module = MockModule { _ in
            try? await clock.sleep(.milliseconds(150))
            return .success
        }
        await test.relux.register([module])
        async let result = test.dispatcher.actions(.concurrently) {
            Work.a
            Work.b
            Work.c
        }
        try await clock.waitForSleepers(3, dueWithin: .milliseconds(150))
        clock.advance(by: .milliseconds(150))
        #expect(await result.isSuccess)
        #expect(clock.now < .milliseconds(300))
    }

    @Test func `Given a saga that awaits a nested dispatch to its own process, when called, then it completes`() async {
        let module = MockModule { effect in
            guard case .number(let n)? = effect as? Work, n > 0 else { return .success }
            return await actions { Work.number(n - 1) }
        }
        await test.relux.register([module])
        let result = await test.dispatcher.actions { Work.number(20) }
        #expect(result.isSuccess)
        #expect(module.effects.count == 21)
    }

    @Test func `Given a serial batch whose first effect fails, when dispatched by default, then the second is still delivered and the result is failure`()
        async
    {
        let module = MockModule { $0 as? Work == .a ? .failure(Refusal()) : .success }
        await test.relux.register([module])
        let result = await test.dispatcher.actions {
            Work.a
            Work.b
        }
        #expect(result.isFailure)
        #expect(module.effects as? [Work] == [.a, .b])
    }

    @Test func `Given the same with stopOnFailure, then the second is never published`() async {
        let module = MockModule { $0 as? Work == .a ? .failure(Refusal()) : .success }
        await test.relux.register([module])
        let result = await test.dispatcher.actions(.seriallyStoppingOnFailure) {
            Work.a
            Work.b
        }
        #expect(result.isFailure)
        #expect(module.effects as? [Work] == [.a])
        #expect(test.logger.mismatch(dispatched: [Work.a]) == nil)
    }

    @Test func `Given delay of 0.2 s, when dispatched, then nothing is on the bus before 200 ms`() async throws {
        let module = MockModule()
        await test.relux.register([module])
        async let result = test.dispatcher.actions(delay: .milliseconds(200)) { Work.a }
        try await test.clock.waitForSleepers(1)
        test.clock.advance(by: .milliseconds(199))
        #expect(module.effects.isEmpty)
        test.clock.advance(by: .milliseconds(1))
        #expect(await result.isSuccess)
        #expect(module.effects as? [Work] == [.a])
    }

    @Test func `Given a delayed dispatch cancelled before its time, when the time passes, then nothing was sent`() async throws {
        let module = MockModule()
        await test.relux.register([module])
        let dispatcher = test.dispatcher
        let task = Task { await dispatcher.actions(delay: .milliseconds(200)) { Work.a } }
        try await test.clock.waitForSleepers(1)
        task.cancel()
        let result = await task.value
        test.clock.advance(by: .seconds(1))
        #expect(result.codes == ["cancelled"])
        #expect(module.effects.isEmpty)
        #expect(test.logger.effects.isEmpty && test.logger.refused.count == 1)
    }

    @Test func `Given a builder with if, for and an optional, when built, then the actions appear in source order`() async {
        let module = MockModule()
        await test.relux.register([module])
        let isWanted = test.clock.now == .zero
        let some: (any Relux.Action)? = Work.text("some")
        let none: (any Relux.Action)? = nil
        await test.dispatcher.actions {
            Work.a
            if isWanted { Work.b } else { Work.c }
            if !isWanted { Work.text("never") }
            for n in 1...3 { Work.number(n) }
            some
            none
            [Work.text("x"), Work.text("y")]
        }
        let expected: [Work] = [
            .a, .b, .number(1), .number(2), .number(3), .text("some"), .text("x"), .text("y"),
        ]
        #expect(test.logger.mismatch(dispatched: expected) == nil)
    }
}

/// Reduces with a closure.
private final class SlowState: Relux.BusinessState {
    private let body: @Sendable (any Relux.Action) async -> Void
    init(_ body: @escaping @Sendable (any Relux.Action) async -> Void) { self.body = body }
    func reduce(with action: any Relux.Action) async { await body(action) }
}
