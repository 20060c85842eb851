internal import AuthReluxInt
internal import LibraryReluxInt
internal import Relux

extension SessionOrchestration.Saga {
    func handleLibraryEffect(_ effect: any Relux.Effect) async {
        switch effect as? Library.Business.Effect {
        case .loginRequested(let name, let password):
            await actions {
                Auth.Business.Effect.login(name: name, password: password)
            }

        case .authenticationRequired:
            await actions {
                Auth.Business.Effect.forceReauthentication
            }

        case .libraryFailed(let error) where error.isAuthError:
            // Perhaps the library only missed the login: if there is a session, Auth tells of it again.
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
