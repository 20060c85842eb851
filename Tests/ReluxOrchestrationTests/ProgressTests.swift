import Relux
@testable import ReluxOrchestration
import ReluxTestKit
import ReluxWire
import Testing

/// Where an orchestrator is, for whoever comes in the middle.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ProgressTests {
    private enum Mine: OrchestratorName { static let orchestrator: ModuleID = "Runner" }

    private let log = Log()

    private func sequence(_ policy: AbortPolicy = .never) -> SequenceOrchestrator {
        SequenceOrchestrator(OrchestratorSettings(policy: policy, clock: ManualClock().nodeClock, warn: { _ in }))
    }

    @Test func `whoever comes during an evaluation gets the present progress first, and then every change`() async throws {
        let orchestrator = sequence()
        let board = ProgressBoard<Mine>()
        orchestrator.evaluator.onEvent = { board.take($0) }
        let relay = Relux.UI.StateRelay(board)
        let gate = Gate()
        orchestrator.register([
            Step(id: "a", priority: .high, log: log), Step(id: "b", log: log, work: { await gate.pass() }), Step(id: "c", priority: .low, log: log),
        ])
        async let evaluation = orchestrator.evaluate()
        try await gate.waitForArrivals(1)
        let seen = Recorder<String>()
        // The relay hears of it a moment later than the board.
        while relay.value.current != "b" { await Task.yield() }
        relay.observe { seen.record($0.description) }
        #expect(seen.elements == ["evaluation 1: 1 of 3 done, b runs"])
        gate.open()
        _ = await evaluation
        while relay.value.isProcessing { await Task.yield() }
        #expect(relay.value.endedCount == 3 && relay.value.description.isEmpty)
    }

    @Test func `it names what was not done, and counts what it does not name`() async throws {
        let orchestrator = sequence(.onFailure(from: .critical))
        var progress = OrchestratorProgress<Mine>()
        orchestrator.evaluator.onEvent = { progress.take($0) }
        let long = String(repeating: "x", count: 5_000)
        for number in 0..<20 {
            orchestrator.register(
                Step(id: ActionID(rawValue: "a\(number)"), priority: .high, log: log, work: { throw PipelineContextError(long) }), owner: "Auth")
        }
        _ = await orchestrator.evaluate()
        #expect(progress.failureCount == 20 && progress.failures.count == 8)
        #expect(progress.failures.allSatisfy { $0.why.utf8.count <= 256 })
        #expect(try CBOR.encode(progress).count < 4_096)
        #expect(progress.description.hasSuffix("; 12 more were not done"))

        orchestrator.register(Step(id: "b", priority: .critical, log: log, work: { throw PipelineContextError("no room") }), owner: "Notes")
        _ = await orchestrator.evaluate()
        #expect(progress.endedBy == "b" && progress.notStartedCount == 20)
        #expect(progress.description == "b of Notes was not done: no room")
        #expect(OrchestratorProgress<Mine>.wireTopic == "Runner.Orchestration.Progress")
    }

    @Test func `an evaluation says what is behind it, as long as nothing has ended it`() async {
        let orchestrator = sequence(.onFailure(from: .high))
        let log = log
        orchestrator.evaluator.onEvent = { event in
            if case .passed(let priority) = event { log.record("passed \(priority)") }
        }
        orchestrator.register([Step(id: "a", priority: .critical, log: log), Step(id: "b", priority: .medium, log: log)])
        _ = await orchestrator.evaluate()
        #expect(log.elements.filter { !$0.hasPrefix("gate") } == ["run a", "passed high", "run b", "passed low"])
        orchestrator.register(Step(id: "c", priority: .high, log: log, work: { throw CancellationError() }))
        let before = log.elements.count
        _ = await orchestrator.evaluate()
        #expect(log.elements.dropFirst(before).filter { !$0.hasPrefix("gate") } == ["run a", "passed critical", "run c"])
        let empty = sequence()
        empty.evaluator.onEvent = orchestrator.evaluator.onEvent
        _ = await empty.evaluate()
        #expect(log.elements.last == "passed low", "nothing is left to be done")
    }
}
