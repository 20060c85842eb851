@testable import Relux
@testable import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// Actions of several modules, run by the orchestrator of another one, all over effects.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ClusterScenarios {
    let log = Log()
    let warnings = Log()
    let clock = ManualClock()
    let node: Relux
    let runner: Runner

    init() async throws {
        node = Relux(clock: clock.nodeClock)
        runner = Runner(clock: clock.nodeClock, warn: warnings.record)
        await node.register { runner }
    }

    func join(_ id: ModuleID, _ actions: [any OrchestratedAction], signals: SignalTable = SignalTable()) async -> Contributor {
        let contributor = Contributor(id, ActionContributor([runner.moduleID: actions], signals: signals, clock: clock.nodeClock, warn: warnings.record))
        await node.register { contributor }
        return contributor
    }

    private func tell(_ fact: Cluster.Business.Effect) async { await node.dispatcher.actions { fact } }

    /// Has the runner collect and evaluate, and returns what came of it.
    func evaluate() async -> Evaluation {
        await node.dispatcher.actions { Runner.Effect.evaluate }
        return await runner.saga.last
    }

    @Test func `48: priorities and ties hold across modules: in the order of their registration, and of each in its order`() async {
        _ = await join("Notes", [Step(id: "tips", priority: .low, log: log), Step(id: "notes", priority: .high, log: log)])
        _ = await join("Auth", [Step(id: "auth 2", priority: .high, log: log), Step(id: "auth 1", priority: .high, log: log)])
        let ran = await evaluate()
        #expect(ran.ids == ["notes", "auth 2", "auth 1", "tips"])
        #expect(ran.outcomes.map(\.owner) == ["Notes", "Auth", "Auth", "Notes"])
        #expect(ran.isSuccess)
    }

    @Test func `49: of two modules' actions of one id a warning is logged once and the first runs`() async {
        let (log, first) = (log, await join("Auth", [Step(id: "a", log: log, work: { [log] in log.record("Auth") })]))
        _ = await join("Notes", [Step(id: "a", log: log, work: { log.record("Notes") })])
        _ = await evaluate()
        _ = await evaluate()
        #expect(log.elements.filter { $0 == "Auth" }.count == 2)
        #expect(!log.elements.contains("Notes"))
        #expect(
            warnings.elements == [
                "an action a of Auth is registered already; the one of Notes that came later is not taken, rename it"
            ])
        await node.unregister(first)
        await tell(.instanceEnded(module: "Auth", epoch: 0))
        #expect(await evaluate().outcomes.map(\.owner) == ["Notes"], "its turn comes when the first has gone")
    }

    @Test func `52: values go with a pipeline through several modules, with their types`() async {
        let log = log
        _ = await join(
            "Auth",
            [
                Stage(id: "set", priority: .high) { context in
                    context.set("posts", ["a", "b"])
                    context.set("secret", 1)
                    return .completed
                }
            ])
        _ = await join(
            "Notes",
            [
                Stage(id: "get") { context in
                    log.record("\(context.get("posts", as: [String].self) ?? []) \(context.get("posts", as: String.self) ?? "nil")")
                    context.remove("secret")
                    context.set("count", 2)
                    return .skipped
                }
            ])
        let runner = Runner(isPipeline: true, clock: clock.nodeClock, warn: warnings.record)
        runner.pipeline?.register(
            Stage(id: "own", priority: .low) { context in
                log.record("\(context.keys) \(context.get("count", as: Int.self) ?? 0)")
                return .completed
            })
        await node.unregister(self.runner)
        await node.register { runner }
        await node.dispatcher.actions { Runner.Effect.evaluate }
        #expect(await runner.saga.last.results == [.completed, .skipped, .completed])
        #expect(log.elements == ["[\"a\", \"b\"] nil", "[\"count\", \"posts\"] 2"])
    }

    @Test func `51: a gate elsewhere that never answers is reported after its limit, and the others run`() async throws {
        let stuck = Gate()
        _ = await join(
            "Auth",
            [
                Step(
                    id: "hung", log: log,
                    gate: {
                        await stuck.pass()
                        return true
                    }), Step(id: "b", log: log),
            ])
        async let evaluation = evaluate()
        try await stuck.waitForArrivals(1)
        _ = try await log.wait(count: 2)
        try await runner.orchestrator.waitUntil(open: 1)
        try await clock.waitForSleepers(1, dueWithin: .seconds(5))
        clock.advance(by: .seconds(5))
        let ran = await evaluation
        #expect(ran.unanswered == ["hung"])
        #expect(ran.ids == ["b"])
        #expect(warnings.elements.contains { $0.contains("hung does not run this time: its gate gave no answer within") })
        stuck.open()
    }

    @Test func `56: an action whose module goes during a run ends as lost with its owner, and the run goes on`() async throws {
        let never = CompletionSignal()
        _ = await join("Auth", [Step(id: "a", priority: .critical, log: log, work: { await never.wait() })])
        _ = await join("Notes", [Step(id: "b", log: log)])
        async let evaluation = evaluate()
        _ = try await log.wait(count: 3)
        await tell(.instanceEnded(module: "Auth", epoch: 0))
        let ran = await evaluation
        #expect(ran.results == [.lost(owner: "Auth"), .completed])
    }

    @Test func `a fact about an earlier life of a module, however late it comes, takes nothing from the one that serves`() async throws {
        let (gate, log) = (Gate(), log)
        let contributor = Contributor(
            "Auth",
            ActionContributor(
                [runner.moduleID: [Step(id: "a", priority: .critical, log: log, work: { await gate.pass() }), Step(id: "b", log: log)]],
                clock: clock.nodeClock, warn: warnings.record))
        let auth = Relux.clusterNode(for: "Auth", on: node.exchange, clock: clock.nodeClock)
        try auth.join(
            contributor, position: Epoch(7).start, handles: [Orchestration.Business.Request.wireTopic],
            emits: [Orchestration.Business.Answer.wireTopic], isSerial: false)
        auth.openModule()
        async let evaluation = evaluate()
        try await gate.waitForArrivals(1)
        await tell(.instanceEnded(module: "Auth", epoch: 6))
        gate.open()
        #expect(await evaluation.results == [.completed, .completed])

        await tell(.instanceEnded(module: "Auth", epoch: 7))
        await tell(.instanceEnded(module: "Auth", epoch: 5))
        let after = await evaluate()
        #expect(after.ids.isEmpty, "what a life that is over has answered is no offer any more")
    }

    @Test func `an action whose module has gone unseen ends as lost when it is its turn`() async throws {
        let (gate, log) = (Gate(), log)
        _ = await join("Auth", [Step(id: "a", priority: .critical, log: log, work: { await gate.pass() })])
        let notes = await join("Notes", [Step(id: "b", log: log)])
        async let evaluation = evaluate()
        try await gate.waitForArrivals(1)
        await node.unregister(notes)
        gate.open()
        #expect(await evaluation.results == [.completed, .lost(owner: "Notes")])
    }

    @Test func `57: a completion signal completed from another module after the wait lets it return once`() async throws {
        let signals = SignalTable()
        let log = log
        _ = await join(
            "Settings",
            [Step(id: "onboarding", log: log, work: { await signals.open("onboarding").wait() })], signals: signals)
        let complete = Orchestration.Business.Request.complete(signal: "onboarding", owner: nil)
        #expect(await node.dispatcher.actions { complete }.value(Bool.self) == false, "it is not open yet")
        async let evaluation = evaluate()
        _ = try await log.wait(count: 2)
        while await node.dispatcher.ask(Orchestration.Business.Request.signals, upTo: .seconds(30)).value([SignalState].self)?.first?.waiters != 1 {
            await Task.yield()
        }
        #expect(await node.dispatcher.actions { complete }.value(Bool.self) == true)
        #expect(await node.dispatcher.actions { complete }.value(Bool.self) == false, "later ones do nothing")
        #expect(await evaluation.results == [.completed])
    }

    @Test func `57: one that is completed from another module before the wait lets it return at once, and one wait only`() async throws {
        let signals = SignalTable()
        let gate = Gate()
        let log = log
        _ = await join(
            "Settings",
            [
                Step(
                    id: "onboarding", log: log,
                    work: {
                        let signal = signals.open("onboarding")
                        await gate.pass()
                        log.record("complete: \(signal.isComplete)")
                        await signal.wait()
                    })
            ], signals: signals)
        let complete = Orchestration.Business.Request.complete(signal: "onboarding", owner: "Settings")
        async let evaluation = evaluate()
        try await gate.waitForArrivals(1)
        #expect(signals.states == [SignalState(name: "onboarding", isComplete: false, waiters: 0)])
        #expect(await node.dispatcher.actions { complete }.value(Bool.self) == true)
        #expect(await node.dispatcher.actions { complete }.value(Bool.self) == false, "later ones do nothing")
        #expect(signals.states == [SignalState(name: "onboarding", isComplete: true, waiters: 0)], "it is kept for who waits later")
        gate.open()
        #expect(await evaluation.results == [.completed])
        #expect(log.elements.last == "complete: true")

        // The same name again is another signal, and waits for its own completion.
        async let again = evaluate()
        #expect(try await log.wait(count: 6).last == "complete: false")
        while signals.states.first?.waiters != 1 { await Task.yield() }
        #expect(await node.dispatcher.actions { complete }.value(Bool.self) == true)
        #expect(await again.results == [.completed])
    }
}
