internal import NotesReluxInt
internal import Observation
internal import Relux

extension Notes.UI {
    /// What the views read: the latest snapshot of Notes, and what was last said to the person.
    @MainActor
    @Observable
    final class ViewState: Relux.UIState {
        private let notes: Relux.UI.SnapshotView<Notes.Business.Snapshot>?
        /// The answer to the last line typed; empty if the view shows it already.
        var notice = ""
        /// Notes that were opened, with their bodies: the snapshot has none.
        var opened: [String: Notes.Business.Model.Note] = [:]

        init(_ dispatcher: Relux.Dispatcher) { notes = dispatcher.view(of: Notes.Business.Snapshot.self) }

        /// Nil until Notes have spoken.
        var snapshot: Notes.Business.Snapshot? { notes?.latest }
        var isStale: Bool { notes?.isStale ?? true }

        /// By the number that the list shows; nil when there is none of it.
        func entry(_ number: Int) -> Notes.Business.Snapshot.Entry? {
            guard number >= 1, let entries = snapshot?.entries, number <= entries.count else { return nil }
            return entries[number - 1]
        }
    }
}
