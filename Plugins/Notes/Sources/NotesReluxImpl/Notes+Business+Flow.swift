internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import NotesModels
internal import NotesReluxInt
internal import NotesServiceInt
internal import Relux

extension Notes.Business {
    protocol IFlow: Relux.Flow {}

    /// Stores, finds and exchanges notes, and tells others.
    actor Flow: IFlow {
        let svc: any IService
        let state: any IState
        let router: any IRouter
        private let revisions: Revisions
        private var hasSkipped = false

        init(svc: any IService, state: any IState, revisions: Revisions, router: any IRouter) {
            self.svc = svc
            self.revisions = revisions
            self.state = state
            self.router = router
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard let effect = effect as? Notes.Business.Effect else { return .success }
            do throws(Model.Failure) {
                switch effect {
                case .upsert(let id, let title, let body):
                    return try await upsert(Model.Note(id: id, title: title, body: body))
                case .delete(let id): return try await delete(id)
                case .list: return .success(try await svc.list(userId: try await openUser()))
                case .search(let query): return try await search(query)
                case .sync(let context): return try await sync(context)
                case .deleteAll(let userId): return try await deleteAll(userId)
                case .close, .upserted, .deleted, .synced, .notesFailed: return .success
                }
            } catch {
                return await failed(error)
            }
        }

        /// Needed before this life's first revision: the database may be an older copy.
        func skipGiven() async throws(Model.Failure) {
            guard !hasSkipped else { return }
            try await svc.skip(to: await revisions.given)
            hasSkipped = true
        }

        /// Errors that the user cannot help are tracked.
        private func failed(_ error: Model.Failure) async -> Relux.ActionResult {
            await actions {
                Notes.Business.Action.failed(error: error)
                Notes.Business.Effect.notesFailed(error: error)
                if error.code == .storage {
                    ErrorHandling.Business.Effect.track(
                        error: .init(domain: "Notes", code: error.code.rawValue, message: error.message)
                    )
                }
            }
            return .failure(Relux.Failure(domain: "Notes", code: "\(error.code)", message: error.message))
        }
    }
}
