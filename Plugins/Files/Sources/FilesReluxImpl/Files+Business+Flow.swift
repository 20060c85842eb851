internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import FilesModels
internal import FilesReluxInt
internal import FilesServiceInt
internal import Relux

extension Files.Business {
    protocol IFlow: Relux.Flow {}

    /// Writes, reads and removes files, and tells others.
    actor Flow: IFlow {
        private let svc: any IService
        private let state: any IState

        init(svc: any IService, state: any IState) {
            self.svc = svc
            self.state = state
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard let effect = effect as? Files.Business.Effect else { return .success }
            do throws(Model.Failure) {
                switch effect {
                case .open(let userId):
                    let files = try await svc.list(userId: userId)
                    await actions { Files.Business.Action.opened(userId: userId, files: files) }
                    return .success(files)
                case .save(let name, let text):
                    let userId = try await openUser()
                    let file = try await svc.save(text, as: name, userId: userId)
                    await actions { Files.Business.Effect.saved(file: file, userId: userId) }
                    return .success(file)
                case .read(let name): return .success(try await svc.read(name, userId: try await openUser()))
                case .remove(let name):
                    let userId = try await openUser()
                    try await svc.remove(name, userId: userId)
                    await actions { Files.Business.Effect.removed(name: name, userId: userId) }
                    return .success
                case .deleteAll(let userId):
                    try await svc.deleteAll(userId: userId)
                    if await state.userId?.utf8.elementsEqual(userId.utf8) == true { await actions { Files.Business.Action.closed } }
                    return .success
                case .close, .saved, .removed, .filesFailed: return .success
                }
            } catch {
                return await failed(error)
            }
        }

        private func openUser() async throws(Model.Failure) -> String {
            guard let userId = await state.userId else { throw .notAuthenticated }
            return userId
        }

        /// Errors that the user cannot help are tracked.
        private func failed(_ error: Model.Failure) async -> Relux.ActionResult {
            await actions {
                Files.Business.Action.failed(error: error)
                Files.Business.Effect.filesFailed(error: error)
                if error.code == .storage {
                    ErrorHandling.Business.Effect.track(
                        error: .init(domain: "Files", code: error.code.rawValue, message: error.message))
                }
            }
            return .failure(Relux.Failure(domain: "Files", code: "\(error.code)", message: error.message))
        }
    }
}
