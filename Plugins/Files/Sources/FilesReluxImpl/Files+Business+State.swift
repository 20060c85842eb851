internal import FilesModels
internal import FilesReluxInt
internal import Relux

extension Files.Business {
    @MainActor
    final class State: IState {
        private(set) var current = Files.Business.Snapshot()
        private var readers: [AsyncStream<Files.Business.Snapshot>.Continuation] = []

        nonisolated init() {}

        nonisolated var reduces: [any Relux.Action.Type]? { [Files.Business.Action.self, Files.Business.Effect.self] }

        var userId: String? { current.userId }

        var snapshots: AsyncStream<Files.Business.Snapshot> {
            let (stream, continuation) = AsyncStream.makeStream(of: Files.Business.Snapshot.self, bufferingPolicy: .bufferingNewest(1))
            readers.append(continuation)
            return stream
        }

        /// A change of a user whose files are no longer open is not shown.
        func reduce(with action: any Relux.Action) async {
            switch action {
            case Files.Business.Action.opened(let userId, let files): current = Files.Business.Snapshot(userId: userId, files: files)
            case Files.Business.Action.closed, Files.Business.Effect.close: current = Files.Business.Snapshot()
            case Files.Business.Action.failed(let error):
                current = Files.Business.Snapshot(userId: current.userId, files: current.files, failure: error)
            case Files.Business.Effect.saved(let file, let userId) where current.userId?.utf8.elementsEqual(userId.utf8) == true:
                // Byte for byte, as they are stored: `é` and `e` with an accent behind it are two names.
                let others = current.files.filter { !$0.name.utf8.elementsEqual(file.name.utf8) }
                current = Files.Business.Snapshot(userId: userId, files: (others + [file]).sorted { $0.name < $1.name })
            case Files.Business.Effect.removed(let name, let userId) where current.userId?.utf8.elementsEqual(userId.utf8) == true:
                current = Files.Business.Snapshot(userId: userId, files: current.files.filter { !$0.name.utf8.elementsEqual(name.utf8) })
            default: return
            }
            let snapshot = current
            readers.removeAll { if case .terminated = $0.yield(snapshot) { true } else { false } }
        }

        func cleanup() async { await reduce(with: Files.Business.Action.closed) }
    }
}
