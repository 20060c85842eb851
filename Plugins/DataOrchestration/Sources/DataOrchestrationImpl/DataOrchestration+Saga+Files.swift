internal import AuthReluxInt
internal import FilesReluxInt
internal import Relux
internal import SyncReluxInt

extension DataOrchestration.Saga {
    func handleFilesEffect(_ effect: any Relux.Effect) async {
        switch effect as? Files.Business.Effect {
        case .saved(let file, _):
            await actions {
                Sync.Business.Effect.enqueue(item: .init(collection: "files", id: file.name))
            }

        case .removed(let name, _):
            await actions {
                Sync.Business.Effect.enqueue(item: .init(collection: "files", id: name, isRemoval: true))
            }

        case .filesFailed(let error) where error.isAuthError:
            // Perhaps Files only missed the login: if there is a session, Auth tells of it again.
            await actions {
                Auth.Business.Effect.validateSession
            }

        default:
            break
        }
    }
}
