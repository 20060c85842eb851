// Seed 0, as printed.
import Relux

extension SessionOrchestration.Saga {
    func handleProfileEffect(_ effect: any Relux.Effect) async {
        switch effect as? Profile.Business.Effect {
            
        case .profileFetchFailed(let error) where error.isAuthError:
            await actions {
                Auth.Business.Effect.forceReauthentication
            }
            
        case .profileDeleted:
            await actions {
                Auth.Business.Effect.logout
            }
            
        default:
            break
        }
    }
}
