internal import AuthReluxInt
internal import LibraryReluxInt
internal import ProfileReluxInt
internal import Relux
internal import SettingsReluxInt

extension SessionOrchestration.Saga {
    func handleOwnEffect(_ effect: any Relux.Effect) async {
        switch effect as? SessionOrchestration.Effect {
        case .teardownSession:
            await actions(.concurrently) {
                Auth.Business.Effect.logout
                Profile.Business.Effect.clearProfile
                Settings.Business.Effect.resetToDefaults
                Library.Business.Effect.close
            }

        case .refreshSession:
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
