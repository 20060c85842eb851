import Relux
@testable import ReluxOrchestration
import ReluxTestKit
import Testing

/// Calls of a runner to owners elsewhere: who may end them, who hears of them, and what happens when one of both goes.
extension ClusterScenarios {
    @Test func `a gate elsewhere that fails says why, and the others run`() async {
        _ = await join("Auth", [Step(id: "a", priority: .critical, log: log)])
        _ = await join("Notes", [Step(id: "b", log: log)])
        _ = await runner.saga.collect(in: node)
        // Another version of the module does not know the action any more.
        await node.unregister("Auth")
        _ = await join("Auth", [Step(id: "new", log: log)])
        let ran = await runner.saga.evaluate(in: node)
        #expect(ran.ids == ["b"])
        #expect(ran.unanswered == ["a"])
        let why = "no action a is contributed to Runner; there are: new"
        #expect(ran.gateFailures == ["a": why])
        #expect(warnings.elements == ["a does not run this time: \(why)"])

        await node.unregister("Auth")
        #expect(await runner.saga.evaluate(in: node).gateFailures == ["a": "its owner Auth is gone"])
    }

    @Test func `a limit of any length crosses processes`() async {
        await node.unregister(runner)
        let runner = Runner(gateLimit: .seconds(Int64.max), clock: .continuous, warn: warnings.record)
        await node.register { runner }
        _ = await join("Auth", [Step(id: "a", timeLimit: .seconds(Int64.max), log: log)])
        await node.dispatcher.actions { Runner.Effect.evaluate }
        #expect(await runner.saga.last.results == [.completed])
    }

    @Test func `a serial runner that evaluates beside its handlers hears the end of what runs elsewhere`() async {
        await node.unregister(runner)
        let runner = Runner(isSerial: true, clock: clock.nodeClock, warn: warnings.record)
        await node.register { runner }
        _ = await join("Auth", [Step(id: "a", priority: .high, log: log), Step(id: "b", log: log)])
        await node.dispatcher.actions { Runner.Effect.evaluate }
        await runner.saga.beside?.value
        #expect(await runner.saga.last.results == [.completed, .completed])
    }

    @Test func `a runner that leaves ends what runs, whatever its owner does`() async throws {
        let never = CompletionSignal()
        _ = await join("Auth", [Step(id: "a", priority: .high, log: log, work: { await Task.detached { await never.wait() }.value }), Step(id: "b", log: log)])
        async let evaluation = evaluate()
        _ = try await log.wait(count: 3)
        runner.contributed.leave()
        let ran = await evaluation
        #expect(ran.isCancelled)
        #expect(ran.results == [.cancelled] && ran.notStarted == ["b"])
        never.complete()
    }

    @Test func `cancelling reaches an action elsewhere, and its limit does`() async throws {
        let never = CompletionSignal()
        let log = log
        _ = await join(
            "Auth",
            [
                Step(
                    id: "a", priority: .critical, timeLimit: .seconds(2), log: log,
                    work: {
                        await never.wait()
                        log.record("a was asked to end")
                    }),
                Step(
                    id: "b", log: log,
                    work: {
                        await never.wait()
                        log.record("b was asked to end")
                        try Task.checkCancellation()
                    }),
            ])
        async let evaluation = evaluate()
        _ = try await log.wait(count: 3)
        try await clock.waitForSleepers(1, dueWithin: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(try await log.wait(count: 5).suffix(2) == ["a was asked to end", "run b"])
        runner.orchestrator.cancel()
        #expect(await evaluation.results == [.timedOut, .cancelled])
        #expect(log.elements.last == "b was asked to end")
    }

    @Test func `whoever asks for an action that runs, such as a runner's next life, waits for that run and begins no other`() async throws {
        let gate = Gate()
        _ = await join("Auth", [Stage(id: "a") { context in
            await gate.pass()
            context.set("n", 1)
            return .completed
        }])
        let listener = AnswerListener()
        await node.register { listener }
        for call in ["dead-1", "alive-1", "alive-2"] {
            await node.dispatcher.actions {
                Orchestration.Business.Request.execute(
                    owner: "Auth", orchestrator: "Runner", action: "a", call: call, values: [:])
            }
        }
        await node.dispatcher.actions { Orchestration.Business.Request.cancel(owner: "Auth", call: "alive-2") }
        #expect(try await listener.ended.wait(count: 1) == ["alive-2 cancelled []"], "of several who wait one may give up")
        gate.open()
        #expect(try await listener.ended.wait(count: 3).sorted() == [
            "alive-1 completed [\"n\"]", "alive-2 cancelled []", "dead-1 completed [\"n\"]",
        ])
        #expect(gate.arrived == 1, "the action ran once")
    }

    @Test func `a runner's next life says what it takes up, waits for what runs, and ends by name what that fails`() async throws {
        let gate = Gate()
        let auth = await join("Auth", [Step(id: "a", priority: .high, log: log, work: {
            await gate.pass()
            throw PipelineContextError("no room")
        }), Step(id: "b", log: log)])
        let contributor = try #require(auth.sagas.first as? ActionContributor)
        await node.dispatcher.actions {
            Orchestration.Business.Request.execute(owner: "Auth", orchestrator: "Runner", action: "a", call: "dead-1", values: [:])
        }
        try await gate.waitForArrivals(1)
        let listener = Listener()
        await node.register { listener }
        async let evaluation = evaluate()
        while await contributor.waiting["a"] != 2 {
            try Task.checkCancellation()
            await Task.yield()
        }
        gate.open()
        #expect(await evaluation.results == [.failed("no room"), .completed])
        #expect(try await listener.heard.wait(count: 2).prefix(2) == ["tookUp 0 [a]", "began [a, b]"])
        #expect(gate.arrived == 1)
        // Once in a life.
        _ = await evaluate()
        #expect(listener.heard.elements.filter { $0.hasPrefix("tookUp") }.count == 1)
    }

    @Test func `an action whose runner is dead ends at its limit all the same`() async throws {
        let never = CompletionSignal()
        _ = await join("Auth", [Step(id: "a", timeLimit: .seconds(9), log: log, work: {
            await never.wait()
            try Task.checkCancellation()
        })])
        let listener = AnswerListener()
        await node.register { listener }
        await node.dispatcher.actions {
            Orchestration.Business.Request.execute(owner: "Auth", orchestrator: "Runner", action: "a", call: "dead-1", values: [:])
        }
        try await clock.waitForSleepers(1, dueWithin: .seconds(9))
        clock.advance(by: .seconds(9))
        #expect(try await listener.ended.wait(count: 1) == ["dead-1 timedOut []"])
    }

    @Test func `the last living caller's cancel ends a run that an earlier life of the runner had begun`() async throws {
        let never = CompletionSignal()
        _ = await join("Auth", [Stage(id: "a") { _ in
            await never.wait()
            return Task.isCancelled ? .cancelled : .completed
        }])
        let listener = AnswerListener()
        await node.register { listener }
        for call in ["dead-1", "alive-1"] {
            await node.dispatcher.actions {
                Orchestration.Business.Request.execute(
                    owner: "Auth", orchestrator: "Runner", action: "a", call: call, values: [:])
            }
        }
        await node.dispatcher.actions { Orchestration.Business.Request.cancel(owner: "Auth", call: "alive-1") }
        #expect(try await listener.ended.wait(count: 2).sorted() == ["alive-1 cancelled []", "dead-1 cancelled []"])
    }

    @Test func `a call that gets through after the runner's next life has asked begins nothing`() async throws {
        let gate = Gate()
        let log = log
        let listener = AnswerListener { if $0 == .began(call: "dead-1") { await gate.pass() } }
        await node.register { listener }
        await node.register { Contributor("Auth", ActionContributor([listener.moduleID: [Step(id: "a", log: log)]])) }
        @Sendable nonisolated func execute(_ call: String) -> Orchestration.Business.Request {
            .execute(owner: "Auth", orchestrator: "AnswerListener", action: "a", call: call, values: [:])
        }
        async let dead = node.dispatcher.actions { execute("dead-1") }
        try await gate.waitForArrivals(1)
        #expect(await node.dispatcher.actions { execute("alive-1") }.isSuccess)
        _ = try await listener.ended.wait(count: 1)
        gate.open()
        #expect(await dead.failures.map(\.code) == ["cancelled"])
        #expect(log.elements == ["run a"])
    }

    @Test func `a call that is cancelled before it comes never begins`() async {
        _ = await join("Auth", [Step(id: "a", log: log)])
        let result = await node.dispatcher.actions {
            Orchestration.Business.Request.cancel(owner: "Auth", call: "x-1")
            Orchestration.Business.Request.execute(owner: "Auth", orchestrator: "Runner", action: "a", call: "x-1", values: [:])
            Orchestration.Business.Request.execute(owner: "Auth", orchestrator: "Runner", action: "b", call: "x-2", values: [:])
        }
        #expect(result.failures.map(\.code) == ["cancelled", "unknownAction"])
        #expect(log.elements.isEmpty)
    }

    @Test func `who may not answer is told so before anything runs`() async {
        let contributor = Contributor("Auth", ActionContributor([runner.moduleID: [Step(id: "a", log: log)]]), emits: [])
        await node.register { contributor }
        let ran = await evaluate()
        guard case .failed(let why)? = ran.results.first else { return #expect(ran.results.count == 1) }
        #expect(why.contains("Auth does not declare that it emits Orchestration.Business.Answer"))
        #expect(!log.elements.contains("run a"))
    }

    @Test func `a second evaluation during a running one is busy, and that is said`() async throws {
        let gate = Gate()
        _ = await join("Auth", [Step(id: "a", log: log, work: { await gate.pass() })])
        let listener = Listener()
        await node.register { listener }
        async let evaluation = evaluate()
        try await gate.waitForArrivals(1)
        await node.dispatcher.action { Runner.Effect.evaluate }
        gate.open()
        #expect(await evaluation.ids == ["a"])
        #expect(
            try await listener.heard.wait(count: 5) == [
                "began [a]", "actionBegan a Auth", "busy", "actionEnded a completed", "ended true",
            ])
    }

    @Test func `who is slow to listen delays nothing of what others hear, and hears all of it`() async throws {
        _ = await join("Auth", [Step(id: "a", log: log)])
        let gate = Gate()
        let (slow, quick) = (Listener("Slow") { await gate.pass() }, Listener())
        await node.register { slow }
        await node.register { quick }
        _ = await evaluate()
        let said = ["began [a]", "actionBegan a Auth", "actionEnded a completed", "ended true"]
        #expect(try await quick.heard.wait(count: 4) == said)
        #expect(slow.heard.elements.isEmpty)
        gate.open()
        #expect(try await slow.heard.wait(count: 4).sorted() == said.sorted())
    }

    @Test func `a module that comes later is collected, and asked for no more than is new`() async {
        _ = await join("Auth", [Step(id: "a", log: log)])
        #expect(await runner.saga.collect(in: node) == ["a"])
        #expect(await runner.saga.collect(in: node) == [])
        _ = await join("Notes", [Step(id: "b", log: log)])
        #expect(await runner.saga.collect(in: node) == ["b"])
    }
}
