import Observation
import Relux
@testable import ReluxOrchestration
import ReluxTestKit
import Synchronization
import Testing

/// Scenarios 47 to 57 of the seeds that one process has, sentence by sentence.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct OrchestratorScenarios {
    private let log = Log()
    private let warnings = Log()
    private let clock = ManualClock()

    private func settings(gateLimit: Duration = .seconds(5), policy: AbortPolicy = .never) -> OrchestratorSettings {
        OrchestratorSettings(gateLimit: gateLimit, policy: policy, clock: clock.nodeClock, warn: warnings.record)
    }
    private func sequence(policy: AbortPolicy = .never) -> SequenceOrchestrator { SequenceOrchestrator(settings(policy: policy)) }

    @Test func `47: five gates of 100 ms take 100 ms, and no execute starts before all gates answered`() async throws {
        let orchestrator = sequence()
        let (log, clock) = (log, clock)
        let late = Gate()
        for number in 1...5 {
            orchestrator.register(
                Step(
                    id: ActionID("a\(number)"), log: log,
                    gate: {
                        guard (try? await clock.sleep(.milliseconds(100))) != nil else { return false }
                        // The first in the list answers last: the four behind it wait for that.
                        if number == 1 { await late.pass() }
                        log.record("answer a\(number)")
                        return true
                    }))
        }
        async let evaluation = orchestrator.evaluate()
        try await clock.waitForSleepers(5, dueWithin: .milliseconds(100))
        #expect(log.elements.sorted() == (1...5).map { "gate a\($0)" }, "all are asked before any has answered")
        clock.advance(by: .milliseconds(100))
        try await late.waitForArrivals(1)
        #expect(try await log.wait(count: 9).dropFirst(5).sorted() == (2...5).map { "answer a\($0)" })
        #expect(orchestrator.currentActionID == nil)
        late.open()
        let ran = await evaluation
        #expect(ran.ids == ["a1", "a2", "a3", "a4", "a5"])
        #expect(clock.now == .milliseconds(100))
        #expect(log.elements.dropFirst(9) == ["answer a1", "run a1", "run a2", "run a3", "run a4", "run a5"])
    }

    @Test func `48: low, critical, medium, high run critical, high, medium, low, and ties in registration order`() async {
        let orchestrator = sequence()
        orchestrator.register([
            Step(id: "low", priority: .low, log: log), Step(id: "critical", priority: .critical, log: log),
            Step(id: "medium", priority: .medium, log: log), Step(id: "high", priority: .high, log: log),
            Step(id: "another medium", priority: .medium, log: log),
        ])
        #expect(await orchestrator.evaluate().ids == ["critical", "high", "medium", "another medium", "low"])
    }

    @Test func `49: of two registrations of one id a warning is logged and the first runs`() async {
        let orchestrator = sequence()
        let log = log
        orchestrator.register(Step(id: "a", log: log, work: { log.record("first") }))
        orchestrator.register(Step(id: "a", log: log, work: { log.record("second") }))
        await orchestrator.evaluate()
        #expect(log.elements == ["gate a", "run a", "first"])
        #expect(warnings.elements.count == 1)
        #expect(warnings.elements.first?.contains("action a is registered already") == true)
    }

    @Test func `50: a second evaluate during a running one returns at once, busy, and runs nothing`() async throws {
        let orchestrator = sequence()
        let signal = CompletionSignal()
        orchestrator.register(Step(id: "a", log: log, work: { await signal.wait() }))
        async let first = orchestrator.evaluate()
        _ = try await log.wait(count: 2)
        #expect(orchestrator.isProcessing)
        #expect(orchestrator.currentActionID == "a")
        let second = await orchestrator.evaluate()
        #expect(second.isBusy)
        #expect(second.ids.isEmpty)
        signal.complete()
        #expect(await first.ids == ["a"])
        #expect(!orchestrator.isProcessing)
        #expect(await orchestrator.evaluate().ids == ["a"], "it can be evaluated again")
    }

    @Test func `51: a gate that never answers is not eligible after the gate deadline, is reported, and the others run`() async throws {
        let orchestrator = SequenceOrchestrator(settings(gateLimit: .seconds(2)))
        let never = CompletionSignal()
        orchestrator.register(
            Step(
                id: "hung", log: log,
                gate: {
                    await never.wait()
                    return true
                }))
        orchestrator.register(Step(id: "b", log: log))
        async let evaluation = orchestrator.evaluate()
        _ = try await log.wait(count: 2)
        try await orchestrator.waitUntil(open: 1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(2))
        clock.advance(by: .seconds(2))
        let ran = await evaluation
        #expect(ran.unanswered == ["hung"])
        #expect(ran.ids == ["b"])
        #expect(warnings.elements.first?.contains("hung does not run this time: its gate gave no answer within 2") == true)
    }

    @Test func `52: a pipeline's second action reads what the first has set, with the right type; a second evaluate starts empty`() async {
        let orchestrator = PipelineOrchestrator(settings())
        let log = log
        orchestrator.register(
            Stage(id: "set", priority: .high) { context in
                log.record("before: \(context.get("n", as: Int.self).map(String.init) ?? "nil")")
                context.set("n", 42)
                return .completed
            })
        orchestrator.register(
            Stage(id: "get") { context in
                log.record("\(context.get("n", as: Int.self) ?? 0) \(context.get("n", as: String.self) ?? "nil")")
                return .completed
            })
        await orchestrator.evaluate()
        await orchestrator.evaluate()
        #expect(log.elements == ["before: nil", "42 nil", "before: nil", "42 nil"])
    }

    @Test func `53: after a pipeline action that fails later ones run, and results come in order with ids`() async {
        let orchestrator = PipelineOrchestrator(settings())
        orchestrator.register([
            Stage(id: "a") { _ in .completed }, Stage(id: "b") { _ in .failed("no room") }, Stage(id: "c") { _ in .skipped },
            Stage(id: "fetch-posts", priority: .high) { _ in .completed },
        ])
        let evaluation = await orchestrator.evaluate()
        #expect(evaluation.ids == ["fetch-posts", "a", "b", "c"])
        #expect(evaluation.results == [.completed, .completed, .failed("no room"), .skipped])
        #expect(orchestrator.results == evaluation.results)
        #expect(orchestrator.eligibleCount == 4)
        #expect(orchestrator.completedCount == 2)
    }

    @Test func `53b: a policy ends an evaluation at a failure`() async {
        let orchestrator = PipelineOrchestrator(settings(policy: .onFailure(from: .high)))
        orchestrator.register([
            Stage(id: "late") { _ in .completed }, Stage(id: "bad", priority: .critical) { _ in .failed("x") },
        ])
        let evaluation = await orchestrator.evaluate()
        #expect(evaluation.ids == ["bad"])
        #expect(evaluation.notStarted == ["late"])
        #expect(!evaluation.isSuccess)
    }

    @Test func `54: a monitor of 100 ms checks first after 100 ms, never overlapping, and not after stop`() async throws {
        let orchestrator = MonitorOrchestrator(interval: .milliseconds(100), settings())
        let (log, clock) = (log, clock)
        orchestrator.register(Step(id: "a", log: log, work: { try await clock.sleep(.milliseconds(250)) }))
        orchestrator.start()
        try await clock.waitForSleepers(1, dueWithin: .milliseconds(100))
        clock.advance(by: .milliseconds(99))
        #expect(log.elements.isEmpty)
        clock.advance(by: .milliseconds(1))
        _ = try await log.wait(count: 2)
        try await clock.waitForSleepers(1, dueWithin: .milliseconds(250))
        // The next look comes an interval after the end of this one: 100 + 250 + 100.
        clock.advance(by: .milliseconds(250))
        try await clock.waitForSleepers(1, dueWithin: .milliseconds(100))
        #expect(log.elements.count == 2)
        clock.advance(by: .milliseconds(99))
        #expect(log.elements.count == 2)
        clock.advance(by: .milliseconds(1))
        _ = try await log.wait(count: 4)
        orchestrator.stop()
        orchestrator.stop()
        #expect(!orchestrator.isRunning)
        // The look under way has ended, its action cancelled; of a timer that went on the clock would have a sleeper.
        while orchestrator.isProcessing { await Task.yield() }
        #expect(orchestrator.results == [.cancelled])
        let other = MonitorOrchestrator(interval: .milliseconds(100), settings())
        other.register(Step(id: "other", log: log))
        other.start()
        try await clock.waitForSleepers(1, dueWithin: .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        #expect(try await log.wait(count: 6).suffix(2) == ["gate other", "run other"], "the stopped one was due at that time too")
    }

    @Test func `54b: without an interval nothing starts`() {
        let orchestrator = MonitorOrchestrator(interval: nil, settings())
        orchestrator.start()
        #expect(!orchestrator.isRunning)
    }

    @Test func `55: in an excluded mode no gate is asked`() async {
        let orchestrator = MonitorOrchestrator(interval: nil, excludedModes: ["onboarding"], settings())
        orchestrator.register(Step(id: "a", log: log))
        orchestrator.currentMode = "onboarding"
        #expect(await orchestrator.reevaluate().ids.isEmpty)
        #expect(log.elements.isEmpty)
        orchestrator.currentMode = nil
        #expect(await orchestrator.reevaluate().ids == ["a"])
    }

    @Test func `56: an action removed with its plugin during a run ends as lost, and the run goes on`() async throws {
        let orchestrator = sequence()
        let never = CompletionSignal()
        orchestrator.register(Step(id: "a", priority: .critical, log: log, work: { await never.wait() }), owner: "Auth")
        orchestrator.register(Step(id: "b", log: log), owner: "Notes")
        orchestrator.register(Step(id: "c", priority: .low, log: log), owner: "Auth")
        async let evaluation = orchestrator.evaluate()
        _ = try await log.wait(count: 4)
        #expect(orchestrator.remove(owner: "Auth") == ["a", "c"])
        let ran = await evaluation
        #expect(ran.ids == ["a", "b", "c"])
        #expect(ran.results == [.lost(owner: "Auth"), .completed, .lost(owner: "Auth")])
        #expect(orchestrator.actionIDs == ["b"])
    }

    @Test func `57: a completion signal completed before or after the wait lets it return once`() async {
        let early = CompletionSignal()
        early.complete()
        await early.wait()
        early.complete()
        let late = CompletionSignal()
        async let first: Void = late.wait()
        async let second: Void = late.wait()
        late.complete()
        _ = await (first, second)
        #expect(late.isComplete)
    }

    @Test func `57b: a wait for a signal has an end`() async throws {
        let signal = CompletionSignal()
        async let isComplete = signal.wait(upTo: .seconds(3), clock: clock.nodeClock)
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        #expect(await !isComplete)
    }

    @Test func `an action that outlives its limit is timed out and not waited for`() async throws {
        let orchestrator = sequence()
        let never = CompletionSignal()
        orchestrator.register(
            Step(id: "slow", priority: .high, timeLimit: .seconds(1), log: log, work: { await Task { await never.wait() }.value }))
        orchestrator.register(Step(id: "next", log: log))
        async let evaluation = orchestrator.evaluate()
        _ = try await log.wait(count: 3)
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        // The moment that it has to end.
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        #expect(log.elements.count == 3, "the next one does not begin beside it meanwhile")
        clock.advance(by: .seconds(1))
        let ran = await evaluation
        #expect(ran.results == [.timedOut, .completed])
        #expect(ran.outcomes.first?.duration == .seconds(1))
        #expect(!ran.isSuccess)
        let again = await orchestrator.evaluate()
        #expect(again.unanswered == ["slow"], "what runs on is not run a second time beside itself")
        #expect(warnings.elements.last?.contains("slow does not run this time: it was given up and still runs") == true)
        never.complete()
    }

    @Test func `cancelling ends the running action and begins no other`() async throws {
        let orchestrator = sequence()
        let never = CompletionSignal()
        orchestrator.register(
            Step(
                id: "a", priority: .high, log: log,
                work: {
                    await never.wait()
                    try Task.checkCancellation()
                }))
        orchestrator.register(Step(id: "b", log: log))
        async let evaluation = orchestrator.evaluate()
        _ = try await log.wait(count: 3)
        orchestrator.cancel()
        let ran = await evaluation
        #expect(ran.results == [.cancelled])
        #expect(ran.notStarted == ["b"])
    }

    @Test func `what a step throws ends it as failed, and what is registered meanwhile waits for the next evaluation`() async {
        struct Broken: Error {}
        let orchestrator = sequence()
        let log = log
        orchestrator.register(
            Step(
                id: "a", log: log,
                work: {
                    await orchestrator.register(Step(id: "later", log: log))
                    throw Broken()
                }))
        #expect(await orchestrator.evaluate().results == [.failed("Broken()")])
        #expect(await orchestrator.evaluate().ids == ["a", "later"])
    }

    @Test func `observers are told of progress`() async {
        let orchestrator = sequence()
        orchestrator.register(Step(id: "a", log: log))
        let changes = Log()
        withObservationTracking { _ = orchestrator.isProcessing } onChange: { changes.record("changed") }
        await orchestrator.evaluate()
        #expect(changes.elements == ["changed"])
    }

    @Test func `action ids are literals, comparable and hashable`() {
        let id: ActionID = "onboarding"
        let seen: Set<ActionID> = [id]
        #expect(seen.contains(ActionID("onboarding")))
        #expect(ActionID("a") < "b")
        #expect(ActionPriority.critical < .low)
    }
}
