internal import Relux
internal import SyncModels
internal import SyncReluxInt
internal import SyncServiceInt

extension Sync.Business {
    protocol IFlow: Relux.Flow {}

    /// Sends what waits, and tells others.
    actor Flow: IFlow {
        private let svc: any IService
        private let state: any IState

        init(svc: any IService, state: any IState) {
            self.svc = svc
            self.state = state
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard let effect = effect as? Sync.Business.Effect else { return .success }
            do throws(Model.Failure) {
                switch effect {
                case .start(let userId):
                    try Model.check(userId)
                    return try await run()
                case .run: return try await run()
                case .enqueue:
                    guard await state.userId != nil else { throw .notAuthenticated }
                    return .success
                case .deleteAll(let userId):
                    try await svc.deleteAll(userId: userId)
                    return .success
                case .stop, .completed, .syncFailed: return .success
                }
            } catch {
                await actions {
                    Sync.Business.Action.failed(error: error)
                    Sync.Business.Effect.syncFailed(error: error)
                }
                return .failure(Relux.Failure(domain: "Sync", code: "\(error.code)", message: error.message))
            }
        }

        private func run() async throws(Model.Failure) -> Relux.ActionResult {
            guard let userId = await state.userId else { throw .notAuthenticated }
            let items = await state.waiting
            let report = Model.Report(sent: items.count)
            guard !items.isEmpty else { return .success(report) }
            try await svc.send(items, userId: userId)
            await actions {
                Sync.Business.Action.sent(items: items, userId: userId)
                Sync.Business.Effect.completed(userId: userId, report: report)
            }
            return .success(report)
        }
    }
}
