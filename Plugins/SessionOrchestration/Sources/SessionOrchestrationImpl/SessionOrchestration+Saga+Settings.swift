internal import AuthReluxInt
internal import Relux
internal import SettingsReluxInt

extension SessionOrchestration.Saga {
    func handleSettingsEffect(_ effect: any Relux.Effect) async {
        switch effect as? Settings.Business.Effect {
        case .settingsFailed(let error) where error.isAuthError:
            // Perhaps Settings only missed the login: if there is a session, Auth tells of it again.
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
