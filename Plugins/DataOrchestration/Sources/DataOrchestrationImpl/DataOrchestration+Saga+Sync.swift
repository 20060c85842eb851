internal import AuthReluxInt
internal import Relux
internal import SyncReluxInt

extension DataOrchestration.Saga {
    func handleSyncEffect(_ effect: any Relux.Effect) async {
        switch effect as? Sync.Business.Effect {
        case .syncFailed(let error) where error.isAuthError:
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
