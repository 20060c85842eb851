internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import LibraryModels
internal import LibraryReluxInt
internal import LibraryServiceInt
internal import Relux

extension Library.Business {
    protocol IFlow: Relux.Flow {}

    /// Turns effects into actions of the features, and answers with the outcome. One effect is handled at a time, so that
    /// an answer is about its own question.
    actor Flow: IFlow {
        let svc: any IService
        let state: State
        let router: any IRouter

        init(svc: any IService, state: State, router: any IRouter) {
            self.svc = svc
            self.state = state
            self.router = router
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard let effect = effect as? Library.Business.Effect else { return .success }
            do throws(Model.Failure) {
                switch effect {
                case .signIn(let name, let password): return await signIn(name, password)
                case .open(let userId): return try await open(userId)
                case .refuseLogin(let reason): return await perform(.login(.refused(reason: reason)))
                case .close: return await perform(.logout)
                case .add(let id, let title, let contents): return try await add(Model.File(fileId: id, title: title), contents)
                case .list: return try await list()
                case .play(let id): return try await play(id)
                case .stop: return try await stop()
                case .delete(let id): return try await delete(id)
                case .forgetReader(let userId): return try await forget(userId)
                case .loginRequested, .opened, .played, .deleted, .authenticationRequired, .libraryFailed: return .success
                }
            } catch {
                return await failed(error)
            }
        }

        /// Errors that the user cannot help are tracked. The features have told of it already.
        private func failed(_ error: Model.Failure) async -> Relux.ActionResult {
            if error.code == .storage {
                await actions {
                    ErrorHandling.Business.Effect.track(
                        error: .init(domain: "Library", code: error.code.rawValue, message: error.message))
                }
            }
            return .failure(Relux.Failure(domain: "Library", code: "\(error.code)", message: error.message))
        }
    }
}
