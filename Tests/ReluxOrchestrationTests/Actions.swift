import Relux
import ReluxOrchestration
import ReluxTestKit

/// What happened, in order.
typealias Log = Recorder<String>

struct Step: SequenceAction, MonitorAction {
    var id: ActionID
    var priority: ActionPriority = .medium
    var timeLimit: Duration?
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
    var work: @Sendable (PipelineContext) async -> ActionResult

    func shouldRun() async -> Bool { true }
    func execute(context: PipelineContext) async -> ActionResult { await work(context) }
}

// The seed's samples, as they are printed.

struct ForceUpdateAction: SequenceAction {
    let id: ActionID = "force-update"
    let priority: ActionPriority = .critical  // blocks all app usage

    func shouldRun() async -> Bool { true }
    func execute() async {}
}

struct API: Sendable {
    func fetchPosts() async throws -> [String] { ["a", "b"] }
}

struct FetchPostsAction: PipelineAction {
    let id: ActionID = "fetch-posts"
    let priority: ActionPriority = .high
    let api = API()

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        do {
            let posts = try await api.fetchPosts()
            context.set("posts", posts)
            return .completed
        } catch {
            return .failed("\(error)")
        }
    }
}
