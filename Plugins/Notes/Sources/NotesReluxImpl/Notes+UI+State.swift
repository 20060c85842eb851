internal import NotesModels
internal import NotesReluxInt
internal import Relux

extension Notes.UI {
    /// Follows the business state for the relay.
    @MainActor
    final class State: Relux.UIState, SnapshotProviding {
        private(set) var current = Notes.Business.Snapshot()
        private let readers = Snapshots<Notes.Business.Snapshot>()
        private var subscription: Task<Void, Never>?

        init(following business: Notes.Business.State) {
            // Ends with this object, not with a call: the loop holds it only while it hands over a snapshot.
            subscription = Task { [weak self] in
                for await snapshot in await business.snapshots() {
                    guard let self else { return }
                    self.accept(snapshot)
                }
            }
        }

        deinit {
            subscription?.cancel()
        }

        var snapshots: AsyncStream<Notes.Business.Snapshot> { readers.stream() }

        private func accept(_ snapshot: Notes.Business.Snapshot) {
            current = snapshot
            readers.publish(snapshot)
        }
    }
}
