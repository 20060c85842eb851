import Relux
import ReluxTestKit
import Testing

/// Dispatches that wait for one recipient, or for a time of their own.
@Suite(.timeLimit(.minutes(1))) struct AskScenarios {
    let test = TestNode()

    @Test func `whoever is asked answers, and one that stands still holds up nobody`() async throws {
        let gate = Gate()
        await test.relux.register([
            MockModule("A", as: First.self, handles: [Work.self]) { _ in
                await gate.pass()
                return .success("late")
            },
            MockModule("B", as: Second.self, handles: [Work.self]) { _ in .success("here") },
        ])
        let answer = await test.dispatcher.ask(Work.a, of: "B", upTo: .seconds(1))
        #expect(answer.value(String.self, from: "B") == "here")
        #expect(answer.outcomes.map(\.recipient.module) == ["B"])
        try await gate.waitForArrivals(1)
        gate.open()
    }

    @Test func `at the limit the answers so far are there, and who is missing is named`() async throws {
        let gate = Gate()
        await test.relux.register([
            MockModule("A", as: First.self, handles: [Work.self]) { _ in
                await gate.pass()
                return .success
            },
            MockModule("B", as: Second.self, handles: [Work.self]) { _ in .success("here") },
        ])
        let (dispatcher, clock) = (test.dispatcher, test.clock)
        async let answer = dispatcher.ask(Work.a, upTo: .seconds(3))
        try await gate.waitForArrivals(1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(3))
        // B begins with this when it has settled that.
        #expect(await dispatcher.ask(Work.b, of: "B", upTo: .seconds(3)).value(String.self, from: "B") == "here")
        clock.advance(by: .seconds(3))
        #expect(await answer.unanswered == ["A"])
        #expect(await answer.value(String.self, from: "B") == "here")
        gate.open()
    }

    @Test func `a question may take longer than the node's deadline`() async throws {
        let gate = Gate()
        await test.relux.register([
            MockModule("A", as: First.self, handles: [Work.self]) { _ in
                await gate.pass()
                return .success("at last")
            }
        ])
        let (dispatcher, clock) = (test.dispatcher, test.clock)
        async let answer = dispatcher.ask(Work.a, of: "A", upTo: .seconds(3600))
        try await gate.waitForArrivals(1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(3600))
        clock.advance(by: .seconds(600))
        gate.open()
        #expect(await answer.value(String.self) == "at last")
    }

    @Test func `who is no recipient is lost at once, and the others handle it all the same`() async {
        let module = MockModule("A", as: First.self, handles: [Work.self])
        await test.relux.register([module])
        let answer = await test.dispatcher.ask(Work.a, of: "Nobody", upTo: .seconds(1))
        #expect(answer.outcomes.map(\.status) == [.lost])
        #expect(answer.outcomes.map(\.recipient.module) == ["Nobody"])
        await test.dispatcher.actions { Work.b }
        #expect(module.effects as? [Work] == [.a, .b])
    }

    @Test func `a question inside a handler has its own limit, not what is left of the handler's`() async throws {
        let gate = Gate()
        let answers = Recorder<Bool>()
        await test.relux.register([
            MockModule("A", as: First.self, handles: [Work.self]) { _ in
                answers.record(await Relux.Dispatcher.current.ask(Reply.ping(0), of: "B", upTo: .seconds(100)).isSuccess)
                return .success
            },
            MockModule("B", as: Second.self, handles: [Reply.self]) { _ in
                await gate.pass()
                return .success
            },
        ])
        let (dispatcher, clock) = (test.dispatcher, test.clock)
        async let outer = dispatcher.ask(Work.a, upTo: .seconds(10))
        try await gate.waitForArrivals(1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(10))
        clock.advance(by: .seconds(50))
        #expect(await outer.unanswered == ["A"])
        gate.open()
        #expect(try await answers.wait(count: 1) == [true])
    }

    @Test func `of a module with several sagas only those are outcomes that have something to say`() async {
        await test.relux.register([TwoFlows()])
        let result = await test.dispatcher.actions { Work.a }
        #expect(result.outcomes.map(\.recipient.module) == ["Two"])
        #expect(result.value(String.self, from: "Two") == "said")
        #expect(await test.dispatcher.actions { Work.b }.outcomes.count == 1)
    }
}

private struct TwoFlows: Relux.Module {
    actor Flow: Relux.Flow {
        private let speaks: Bool
        init(speaks: Bool) { self.speaks = speaks }
        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            speaks && effect as? Work == .a ? .success("said") : .success
        }
    }
    let moduleID: ModuleID = "Two"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga] = [Flow(speaks: false), Flow(speaks: true)]
}
