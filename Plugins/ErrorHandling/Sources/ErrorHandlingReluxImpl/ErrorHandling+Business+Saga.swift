internal import ErrorHandlingModels
internal import ErrorHandlingReluxInt
internal import ErrorHandlingServiceInt
internal import Relux

extension ErrorHandling.Business {
    protocol ISaga: Relux.Flow {}

    /// Keeps tracked errors, and refuses the part of them that is too long.
    actor Saga: ISaga {
        private let svc: any IService

        init(svc: any IService) {
            self.svc = svc
        }

        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            switch effect as? ErrorHandling.Business.Effect {
            case .track(let error):
                await track(error)
                guard let excess = error.excess else { return .success }
                return .failure(
                    Relux.Failure(domain: "ErrorHandling", code: "tooLong", message: "\(excess); say the rest in another error, or shorter"))
            case .clear, nil: return .success
            }
        }

        private func track(_ said: Model.TrackedError) async {
            let error = said.cut
            do {
                let entry = try await svc.track(error)
                await actions { ErrorHandling.Business.Action.tracked(entry) }
            } catch let failure {
                // The error must be seen even if it could not be kept, and so must the reason.
                let reason = Model.TrackedError(domain: "ErrorHandling", code: failure.code.rawValue, message: failure.message)
                await actions {
                    ErrorHandling.Business.Action.tracked(Model.Entry(error: error, trackedAt: 0))
                    ErrorHandling.Business.Action.tracked(Model.Entry(error: reason, trackedAt: 0))
                }
            }
        }
    }
}
