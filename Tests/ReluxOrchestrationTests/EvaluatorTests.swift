import Relux
@testable import ReluxOrchestration
import ReluxTestKit
import Testing

/// The causes that end an evaluation early, and the rest of what it has given up.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct EvaluatorTests {
    private let log = Log()
    private let warnings = Log()
    private let clock = ManualClock()

    private func sequence(gateLimit: Duration = .seconds(2), policy: AbortPolicy = .never) -> SequenceOrchestrator {
        SequenceOrchestrator(
            OrchestratorSettings(gateLimit: gateLimit, policy: policy, clock: clock.nodeClock, warn: warnings.record))
    }

    @Test func `an owner that goes and comes back within a run has lost what it had brought before`() async throws {
        let orchestrator = sequence()
        let never = CompletionSignal()
        orchestrator.register(Step(id: "a", priority: .critical, log: log, work: { await never.wait() }), owner: "Auth")
        orchestrator.register(Step(id: "b", log: log), owner: "Auth")
        async let evaluation = orchestrator.evaluate()
        _ = try await log.wait(count: 3)
        orchestrator.remove(owner: "Auth")
        orchestrator.register(Step(id: "b", log: log), owner: "Auth")
        #expect(await evaluation.results == [.lost(owner: "Auth"), .lost(owner: "Auth")])
        #expect(await orchestrator.evaluate().ids == ["b"], "what it has brought anew runs the next time")
    }

    @Test func `an owner that goes while its gate is asked holds up nobody, and its action is lost`() async throws {
        let orchestrator = sequence()
        let never = Gate()
        orchestrator.register(
            Step(
                id: "a", log: log,
                gate: {
                    await never.pass()
                    return true
                }), owner: "Auth")
        orchestrator.register(Step(id: "b", log: log))
        async let evaluation = orchestrator.evaluate()
        try await never.waitForArrivals(1)
        orchestrator.remove(owner: "Auth")
        let ran = await evaluation
        #expect(ran.ids == ["a", "b"])
        #expect(ran.results == [.lost(owner: "Auth"), .completed])
        #expect(ran.unanswered.isEmpty)
        #expect(clock.now == .zero)
    }

    @Test func `removing an action alone does not keep it from running this time`() async throws {
        let orchestrator = sequence()
        let gate = Gate()
        orchestrator.register(Step(id: "a", priority: .high, log: log, work: { await gate.pass() }), owner: "Auth")
        orchestrator.register(Step(id: "b", log: log), owner: "Auth")
        async let evaluation = orchestrator.evaluate()
        try await gate.waitForArrivals(1)
        #expect(orchestrator.remove(id: "b"))
        gate.open()
        #expect(await evaluation.results == [.completed, .completed])
        #expect(await orchestrator.evaluate().ids == ["a"])
    }

    @Test func `a gate that was given up is not asked again before it has answered`() async throws {
        let orchestrator = sequence()
        let stuck = Gate()
        let log = log
        orchestrator.register(
            Step(
                id: "a", log: log,
                gate: {
                    // Deaf to cancellation.
                    await Task.detached { await stuck.pass() }.value
                    return true
                }))
        async let first = orchestrator.evaluate()
        try await stuck.waitForArrivals(1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(await first.unanswered == ["a"])
        #expect(await orchestrator.evaluate().unanswered == ["a"])
        #expect(stuck.arrived == 1)
        stuck.open()
        // It answers, and the evaluator hears of it.
        var last = await orchestrator.evaluate()
        while last.ids.isEmpty {
            await Task.yield()
            last = await orchestrator.evaluate()
        }
        #expect(last.ids == ["a"])
    }

    @Test func `of a gate without an answer the evaluation says why`() async throws {
        let orchestrator = sequence()
        let stuck = Gate()
        orchestrator.register(
            Step(
                id: "a", log: log,
                gate: {
                    await stuck.pass()
                    return true
                }))
        async let evaluation = orchestrator.evaluate()
        try await stuck.waitForArrivals(1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(2))
        clock.advance(by: .seconds(2))
        #expect(await evaluation.gateFailures == ["a": "its gate gave no answer within 2s; keep shouldRun() cheap"])
        #expect(warnings.elements == ["a does not run this time: its gate gave no answer within 2s; keep shouldRun() cheap"])
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .zero])
    func `a limit of any length is one that can be waited for`(limit: Duration) async {
        let orchestrator = SequenceOrchestrator(OrchestratorSettings(gateLimit: .seconds(Int64.max), grace: limit, warn: warnings.record))
        orchestrator.register(Step(id: "a", timeLimit: limit, log: log))
        let ran = await orchestrator.evaluate()
        #expect(ran.ids == ["a"])
        if limit > .zero { #expect(ran.isSuccess) }
        #expect(ActionOffer(ActionBlock("a", priority: .low, timeLimit: limit) {}).timeLimitMilliseconds == (limit > .zero ? .max : 0))
        #expect(await CompletionSignal.completed.wait(upTo: limit))
    }

    @Test func `an action that ends when it is asked to may run again at once, and nothing runs beside it`() async throws {
        let orchestrator = sequence()
        let never = CompletionSignal()
        let log = log
        orchestrator.register(
            Step(
                id: "a", priority: .high, timeLimit: .seconds(1), log: log,
                work: {
                    await never.wait()
                    log.record("cleaned up")
                }))
        orchestrator.register(Step(id: "b", log: log))
        async let evaluation = orchestrator.evaluate()
        _ = try await log.wait(count: 3)
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(await evaluation.results == [.timedOut, .completed])
        #expect(log.elements.suffix(2) == ["cleaned up", "run b"])
        never.complete()
        #expect(await orchestrator.evaluate().results == [.completed, .completed])
    }

    @Test func `an evaluation that is cancelled before it begins asks nobody`() async {
        let orchestrator = sequence()
        orchestrator.register(Step(id: "a", log: log))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return await orchestrator.evaluate()
        }
        task.cancel()
        let evaluation = await task.value
        #expect(evaluation.isCancelled)
        #expect(evaluation.notStarted == ["a"])
        #expect(!evaluation.isSuccess)
        #expect(!log.elements.contains("run a"))
    }

    @Test func `what an action sets after it was given up is not taken`() async throws {
        let orchestrator = PipelineOrchestrator(OrchestratorSettings(clock: clock.nodeClock, warn: warnings.record))
        let (log, deaf) = (log, Gate())
        orchestrator.register(
            Stage(id: "slow", priority: .high, timeLimit: .seconds(1)) { context in
                context.set("early", 1)
                await Task.detached { await deaf.pass() }.value
                context.set("late", 2)
                log.record("set")
                return .completed
            })
        orchestrator.register(
            Stage(id: "next") { context in
                deaf.open()
                _ = try? await log.wait(count: 1)
                log.record("\(context.keys)")
                return .completed
            })
        async let evaluation = orchestrator.evaluate()
        try await deaf.waitForArrivals(1)
        for _ in 1...2 {
            try await clock.waitForSleepers(1, dueWithin: .seconds(1))
            clock.advance(by: .seconds(1))
        }
        #expect(await evaluation.results == [.timedOut, .completed])
        #expect(log.elements == ["set", "[\"early\"]"])
    }

    @Test func `a policy counts a gate that did not answer`() async throws {
        let orchestrator = sequence(policy: .onFailure(from: .critical))
        let never = CompletionSignal()
        orchestrator.register([
            Step(id: "late", log: log),
            Step(
                id: "migration", priority: .critical, log: log,
                gate: {
                    await never.wait()
                    return true
                }),
        ])
        async let evaluation = orchestrator.evaluate()
        _ = try await log.wait(count: 2)
        try await orchestrator.waitUntil(open: 1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(2))
        clock.advance(by: .seconds(2))
        let ran = await evaluation
        #expect(ran.unanswered == ["migration"])
        #expect(ran.endedBy == "migration")
        #expect(ran.notStarted == ["late"])
        #expect(!ran.isSuccess)
    }

    @Test func `an action that throws a cancellation of its own has failed`() async {
        let orchestrator = sequence()
        orchestrator.register(Step(id: "a", log: log, work: { throw CancellationError() }))
        #expect(await orchestrator.evaluate().results == [.failed("CancellationError()")])
    }

    @Test func `an action that excludes the current mode is not asked`() async {
        let orchestrator = sequence()
        orchestrator.register([Step(id: "tips", excludedModes: ["kiosk"], log: log), Step(id: "b", log: log)])
        orchestrator.currentMode = "kiosk"
        let evaluation = await orchestrator.evaluate()
        #expect(evaluation.excluded == ["tips"])
        #expect(evaluation.ids == ["b"])
        #expect(log.elements == ["gate b", "run b"])
        #expect(warnings.elements.isEmpty)
        orchestrator.currentMode = "kiosc"
        for _ in 1...2 { #expect(await orchestrator.evaluate().ids == ["tips", "b"]) }
        #expect(warnings.elements == ["the mode 'kiosc' excludes none of the 2 actions; what some of them exclude: kiosk"])
    }

    @Test func `events tell an evaluation from its gates to its end`() async {
        let orchestrator = sequence(policy: .onFailure(from: .critical))
        var events: [String] = []
        orchestrator.evaluator.onEvent = { event in
            switch event {
            case .began(let evaluation, let eligible): events.append("began \(evaluation.number) \(eligible)")
            case .actionBegan(let id, let owner): events.append("\(owner?.rawValue ?? "-") \(id)")
            case .actionEnded(let outcome): events.append("\(outcome.id) \(outcome.result)")
            case .passed(let priority): events.append("passed \(priority)")
            case .ended(let evaluation): events.append("ended by \(evaluation.endedBy?.rawValue ?? "-") \(evaluation.notStarted)")
            }
        }
        struct Broken: Error {}
        orchestrator.register([Step(id: "b", log: log), Step(id: "a", priority: .critical, log: log, work: { throw Broken() })])
        await orchestrator.evaluate()
        #expect(events == ["began 1 [a, b]", "- a", "a failed(\"Broken()\")", "ended by a [b]"])
    }
}

extension CompletionSignal {
    fileprivate static var completed: CompletionSignal {
        let signal = CompletionSignal()
        signal.complete()
        return signal
    }
}
