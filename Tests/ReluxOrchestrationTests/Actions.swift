import Relux
@testable import ReluxOrchestration
import ReluxTestKit

/// The log of what happened, in order.
typealias Log = Recorder<String>

struct Step: SequenceAction, MonitorAction {
    var id: ActionID
    var priority: ActionPriority = .medium
    var timeLimit: Duration?
    var excludedModes: Set<String> = []
    var log: Log
    var gate: @Sendable () async -> Bool = { true }
    var work: @Sendable () async throws -> Void = {}

    func shouldRun() async -> Bool {
        log.record("gate \(id)")
        return await gate()
    }
    func execute() async throws {
        log.record("run \(id)")
        try await work()
    }
}

struct Stage: PipelineAction {
    var id: ActionID
    var priority: ActionPriority = .medium
    var timeLimit: Duration?
    var work: @Sendable (PipelineContext) async -> ActionResult

    func shouldRun() async -> Bool { true }
    func execute(context: PipelineContext) async -> ActionResult { await work(context) }
}

extension ActionOrchestrator {
    /// Returns when that many gates and actions are waited for, and no more: the clock holds no timer of those that have answered.
    func waitUntil(open count: Int) async throws {
        while evaluator.waits.count > count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
