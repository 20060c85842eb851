import Relux
import ReluxTestKit
import Testing

@Suite(.timeLimit(.minutes(1))) struct RemovalScenarios {
    let test = TestNode()

    @Test func `Given a handler in flight, when its module is removed, then the handler finishes, cleanup runs after it, and no new effect reaches it after the drain began`()
        async throws
    {
        let gate = Gate()
        let order = Recorder<String>()
        let module = MockModule { _ in
            await gate.pass()
            order.record("handled")
            return .success("done")
        }
        await test.relux.register([module, Plain("Other", states: [Cleaning { order.record("another's clean-up") }])])
        async let first = test.dispatcher.actions { Work.a }
        try await gate.waitForArrivals(1)
        let relux = test.relux
        async let removal: Void = relux.unregister("Mock")
        try await test.clock.waitForSleepers(1, dueWithin: .seconds(5))
        #expect(await test.dispatcher.actions { Work.b }.isSuccess)
        gate.open()
        await removal
        #expect(await first.value(String.self) == "done")
        #expect(module.effects as? [Work] == [.a])
        #expect(order.elements == ["handled"])
        #expect(module.cleanups == 1)
    }

    @Test func `Given a handler that does not end, when its module is removed, then it is cut at the drain deadline and what pends on it is lost`()
        async throws
    {
        let gate = Gate()
        let module = MockModule { _ in
            await gate.pass()
            return .success
        }
        await test.relux.register([module])
        async let first = test.dispatcher.actions { Work.a }
        try await gate.waitForArrivals(1)
        let relux = test.relux
        async let removal: Void = relux.unregister("Mock")
        try await test.clock.waitForSleepers(1, dueWithin: .seconds(5))
        test.clock.advance(by: .seconds(5))
        await removal
        #expect(await first.codes == ["lost"])
        #expect(module.cleanups == 1)
        gate.open()
    }

    @Test func `a handler that is cut at the drain deadline is cancelled`() async throws {
        let isCancelled = Gate()
        let began = Gate()
        let module = MockModule { _ in
            began.open()
            try? await Task.sleep(for: .seconds(3600))
            if Task.isCancelled { isCancelled.open() }
            return .success
        }
        await test.relux.register(module)
        async let first = test.dispatcher.actions { Work.a }
        await began.pass()
        let relux = test.relux
        async let removal: Void = relux.unregister("Mock")
        try await test.clock.waitForSleepers(1, dueWithin: .seconds(5))
        test.clock.advance(by: .seconds(5))
        await removal
        #expect(await first.codes == ["lost"])
        await isCancelled.pass()
    }

    @Test func `Given removal in progress, when the same module is added again, then it is queued until removal ends`()
        async throws
    {
        let gate = Gate()
        let order = Recorder<String>()
        let state = Cleaning {
            order.record("clean-up began")
            await gate.pass()
            order.record("clean-up ended")
        }
        let module = Plain("Slow", states: [state])
        await test.relux.register([module])
        let relux = test.relux
        async let removal: Void = relux.unregister("Slow")
        try await gate.waitForArrivals(1)
        async let again: Void = {
            try await relux.add(module)
            order.record("added")
        }()
        #expect(relux.modules.isEmpty)
        gate.open()
        await removal
        try await again
        #expect(order.elements == ["clean-up began", "clean-up ended", "added"])
        #expect(relux.modules == ["Slow"])
    }

    @Test func `a run that outlived its module is not taken for one of the module that came after`() async throws {
        let gate = Gate()
        let slow = MockModule { _ in
            await gate.pass()
            return .success("old")
        }
        await test.relux.register([slow])
        async let first = test.dispatcher.actions { Work.a }
        try await gate.waitForArrivals(1)
        let relux = test.relux
        async let removal: Void = relux.unregister("Mock")
        try await test.clock.waitForSleepers(1, dueWithin: .seconds(5))
        test.clock.advance(by: .seconds(5))
        await removal
        _ = await first
        let fresh = MockModule(isSerial: true) { _ in .success("new") }
        await relux.register([fresh])
        gate.open()
        for _ in 0..<20 {
            #expect(await test.dispatcher.actions { Work.b }.value(String.self) == "new")
        }
    }

    @Test func `an action that comes while a module is cleaned up does not reach its state any more`() async throws {
        let gate = Gate()
        let reduced = Recorder<any Relux.Action>()
        await test.relux.register([Plain("Slow", states: [Cleaning(reduced: reduced) { await gate.pass() }])])
        let relux = test.relux
        async let removal: Void = relux.unregister("Slow")
        try await gate.waitForArrivals(1)
        #expect(await test.dispatcher.actions { Note.noted(1) }.isUnhandled)
        gate.open()
        await removal
        #expect(reduced.elements.isEmpty)
    }

    @Test func `who dispatches in the name of a removed module is told so`() async {
        await test.relux.register([Plain("Gone")])
        let dispatcher = test.relux.dispatcher(for: "Gone")
        #expect(await dispatcher.actions { Work.a }.isSuccess)
        await test.relux.unregister("Gone")
        #expect(await dispatcher.actions { Work.a }.codes == ["closed"])
    }
}

private final class Cleaning: Relux.BusinessState {
    private let body: @Sendable () async -> Void
    private let reduced: Recorder<any Relux.Action>
    init(reduced: Recorder<any Relux.Action> = .init(), _ body: @escaping @Sendable () async -> Void) {
        self.reduced = reduced
        self.body = body
    }
    func reduce(with action: any Relux.Action) async { reduced.record(action) }
    func cleanup() async { await body() }
}
