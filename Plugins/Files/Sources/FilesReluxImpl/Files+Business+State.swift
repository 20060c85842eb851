internal import FilesModels
internal import FilesReluxInt
internal import FilesServiceInt
internal import Relux

extension Files.Business {
    /// Whose files are open outlives the process; the list is read again from where they are stored.
    @MainActor
    final class State: IState, Relux.RestorableState {
        struct Stored: Codable, Sendable {
            var userId: String?
        }

        private let svc: any IService
        private(set) var current = Files.Business.Snapshot()
        private let readers = Snapshots<Files.Business.Snapshot>()

        nonisolated init(svc: any IService) { self.svc = svc }

        nonisolated var reduces: [any Relux.Action.Type]? { [Files.Business.Action.self, Files.Business.Effect.self] }

        var userId: String? { current.userId }
        var stored: Stored { Stored(userId: userId) }

        func restore(_ stored: Stored) async {
            guard let userId = stored.userId else { return }
            do throws(Model.Failure) {
                show(Files.Business.Snapshot(userId: userId, files: try await svc.list(userId: userId)))
            } catch {
                show(Files.Business.Snapshot(userId: userId, failure: error))
            }
        }

        var snapshots: AsyncStream<Files.Business.Snapshot> { readers.stream() }

        /// A change of a user whose files are no longer open is not shown.
        func reduce(with action: any Relux.Action) async {
            switch action {
            case Files.Business.Action.opened(let userId, let files): show(Files.Business.Snapshot(userId: userId, files: files))
            case Files.Business.Action.closed, Files.Business.Effect.close: show(Files.Business.Snapshot())
            case Files.Business.Action.failed(let error):
                show(Files.Business.Snapshot(userId: current.userId, files: current.files, failure: error))
            case Files.Business.Effect.saved(let file, let userId) where current.userId?.utf8.elementsEqual(userId.utf8) == true:
                // By bytes, as they are stored: `é` and `e` followed by an accent are two names.
                let others = current.files.filter { !$0.name.utf8.elementsEqual(file.name.utf8) }
                show(Files.Business.Snapshot(userId: userId, files: (others + [file]).sorted { $0.name < $1.name }))
            case Files.Business.Effect.removed(let name, let userId) where current.userId?.utf8.elementsEqual(userId.utf8) == true:
                show(Files.Business.Snapshot(userId: userId, files: current.files.filter { !$0.name.utf8.elementsEqual(name.utf8) }))
            default: break
            }
        }

        private func show(_ snapshot: Files.Business.Snapshot) {
            current = snapshot
            readers.publish(snapshot)
        }

        func cleanup() async { await reduce(with: Files.Business.Action.closed) }
    }
}
