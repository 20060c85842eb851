internal import AuthReluxInt
internal import FilesReluxInt
internal import NotesReluxInt
internal import Relux
internal import SyncReluxInt

extension DataOrchestration.Saga {
    func handleAuthEffect(_ effect: any Relux.Effect) async {
        switch effect as? Auth.Business.Effect {
        case .authSucceeded(let userId):
            let context = Notes.Business.Effect.SyncContext(isAuthenticated: true, userId: userId)
            await actions(.concurrently) {
                Notes.Business.Effect.sync(context: context)
                Files.Business.Effect.open(userId: userId)
                Sync.Business.Effect.start(userId: userId)
            }

        case .loggedOut:
            await actions(.concurrently) {
                Notes.Business.Effect.close
                Files.Business.Effect.close
                Sync.Business.Effect.stop
            }

        case .accountDeleted(let userId):
            await actions(.concurrently) {
                Notes.Business.Effect.deleteAll(userId: userId)
                Files.Business.Effect.deleteAll(userId: userId)
                Sync.Business.Effect.deleteAll(userId: userId)
            }

        default:
            break
        }
    }
}
