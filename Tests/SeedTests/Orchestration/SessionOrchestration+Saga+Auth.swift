// Seed 0, as printed.
import Relux

extension SessionOrchestration.Saga {
    func handleAuthEffect(_ effect: any Relux.Effect) async {
        switch effect as? Auth.Business.Effect {
            
        case .runLogoutFlow:
            await actions(.concurrently) {
                Profile.Business.Effect.clearProfile
                Settings.Business.Effect.resetToDefaults
            }
            
        case .authSucceeded(let userId):
            await actions {
                Profile.Business.Effect.fetchProfile(userId: userId)
            }
            
        default:
            break
        }
    }
}
