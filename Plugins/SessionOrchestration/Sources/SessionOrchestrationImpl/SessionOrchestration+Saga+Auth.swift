internal import AuthReluxInt
internal import LibraryReluxInt
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
                Library.Business.Effect.open(userId: userId)
            }

        case .authFailed(let error):
            await actions {
                Library.Business.Effect.refuseLogin(reason: error.message)
            }

        case .loggedOut:
            await actions {
                Library.Business.Effect.close
            }

        case .accountDeleted(let userId):
            await actions(.concurrently) {
                Profile.Business.Effect.deleteProfile(userId: userId)
                Settings.Business.Effect.forgetSettings(userId: userId)
                Library.Business.Effect.forgetReader(userId: userId)
            }
            await actions { Settings.Business.Effect.resetToDefaults }

        default:
            break
        }
    }
}
