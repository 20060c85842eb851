// The samples of the seed document on the action model, as they are printed. What it leaves out is filled in: `/* ... */` of a gate with an
// answer, the `api` that a sample uses, and Foundation's `localizedDescription`.
import Foundation
import Relux
import ReluxOrchestration

struct ForceUpdateAction: SequenceAction {
    let id: ActionID = "force-update"
    let priority: ActionPriority = .critical  // blocks all app usage

    func shouldRun() async -> Bool { true /* ... */ }
    func execute() async { /* ... */ }
}

struct FetchPostsAction: PipelineAction {
    let id: ActionID = "fetch-posts"
    let priority: ActionPriority = .high

    func shouldRun() async -> Bool { true }

    func execute(context: PipelineContext) async -> ActionResult {
        do {
            let posts = try await api.fetchPosts()
            context.set("posts", posts)
            return .completed
        } catch {
            return .failed(error.localizedDescription)
        }
    }
}

struct PostsAPI: Sendable {
    func fetchPosts() async throws -> [String] { ["a", "b"] }
}

let api = PostsAPI()

func identifiers() -> Set<ActionID> {
    let first = {
        let id = ActionID("onboarding")
        return id
    }()

    // ActionID is ExpressibleByStringLiteral
    let id: ActionID = "onboarding"

    // Comparable, Hashable, Sendable — works as Set/Dictionary key
    var seen: Set<ActionID> = [id]
    seen.insert(first)
    return seen
}
