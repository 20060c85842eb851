internal import AuthReluxInt
internal import NotesReluxInt
internal import Relux

extension DataOrchestration.Saga {
    func handleAuthEffect(_ effect: any Relux.Effect) async {
        switch effect as? Auth.Business.Effect {
        case .authSucceeded(let userId):
            let context = Notes.Business.Effect.SyncContext(isAuthenticated: true, userId: userId)
            await actions {
                Notes.Business.Effect.sync(context: context)
            }

        case .loggedOut:
            await actions {
                Notes.Business.Effect.close
            }

        case .accountDeleted(let userId):
            await actions {
                Notes.Business.Effect.deleteAll(userId: userId)
            }

        default:
            break
        }
    }
}
