internal import AuthReluxInt
internal import NotesReluxInt
internal import Relux

extension DataOrchestration.Saga {
    func handleNotesEffect(_ effect: any Relux.Effect) async {
        switch effect as? Notes.Business.Effect {
        case .notesFailed(let error) where error.isAuthError:
            // Notes may merely have missed the login. If there is a session, Auth tells of it again.
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
