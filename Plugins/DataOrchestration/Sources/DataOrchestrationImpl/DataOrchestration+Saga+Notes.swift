internal import AuthReluxInt
internal import NotesReluxInt
internal import Relux
internal import SyncReluxInt

extension DataOrchestration.Saga {
    func handleNotesEffect(_ effect: any Relux.Effect) async {
        switch effect as? Notes.Business.Effect {
        case .upserted(let note):
            await actions {
                Sync.Business.Effect.enqueue(item: .init(collection: "notes", id: note.id))
            }

        case .deleted(let id):
            await actions {
                Sync.Business.Effect.enqueue(item: .init(collection: "notes", id: id, isRemoval: true))
            }

        case .synced:
            await actions {
                Sync.Business.Effect.run
            }

        case .notesFailed(let error) where error.isAuthError:
            // Perhaps Notes only missed the login: if there is a session, Auth tells of it again.
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
