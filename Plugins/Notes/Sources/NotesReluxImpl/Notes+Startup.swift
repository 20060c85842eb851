internal import NotesModels
internal import NotesReluxInt
internal import NotesServiceInt
internal import Relux
internal import ReluxOrchestration

extension Notes {
    /// What the domain does when the cluster starts.
    static func startup(svc: any Notes.Business.IService, router: any Notes.Business.IRouter) -> ActionContributor {
        ActionContributor([
            "StartupOrchestration": [
                ActionBlock(
                    "notes.migrate", priority: .critical, shouldRun: { await !svc.isPrepared }, execute: { try await svc.prepare() }),
                TipAction(svc: svc, router: router),
            ]
        ])
    }

    /// Explains notes, while there are none.
    struct TipAction: PipelineAction {
        let id: ActionID = "notes.tip"
        let priority: ActionPriority = .low
        let excludedModes: Set<String> = ["headless"]
        let svc: any Notes.Business.IService
        let router: any Notes.Business.IRouter

        /// The migration opens the database; it runs before this, and not in a gate.
        func shouldRun() async -> Bool {
            guard await svc.isPrepared else { return true }
            return (try? await svc.hasNotes()) == false
        }

        func execute(context: PipelineContext) async -> ActionResult {
            do {
                if try await svc.hasNotes() { return .skipped }
                await actions { router.setNotesPage(.tip) }
                return .completed
            } catch {
                return .failed("\(error)")
            }
        }
    }
}
