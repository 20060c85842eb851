internal import AuthReluxInt
internal import ProfileReluxInt
internal import Relux
internal import SettingsReluxInt

extension SessionOrchestration.Saga {
    func handleAuthEffect(_ effect: any Relux.Effect) async {
        switch effect as? Auth.Business.Effect {
        case .runLogoutFlow:
            await actions(.concurrently) {
                Profile.Business.Effect.clearProfile
                Settings.Business.Effect.resetToDefaults
            }

        case .authSucceeded(let userId):
            await actions(.concurrently) {
                Profile.Business.Effect.fetchProfile(userId: userId)
                Settings.Business.Effect.loadSettings(userId: userId)
            }

        case .accountDeleted(let userId):
            await actions(.concurrently) {
                Profile.Business.Effect.deleteProfile(userId: userId)
                Settings.Business.Effect.forgetSettings(userId: userId)
            }
            await actions { Settings.Business.Effect.resetToDefaults }

        default:
            break
        }
    }
}
