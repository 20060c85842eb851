internal import NotesReluxInt
internal import Relux

extension Notes.Business {
    /// The highest revision that was given out, of any user. It lies in the module's journal, and the notes in a database: an older copy of that does
    /// not know what was given out since.
    actor Revisions: Relux.RestorableState {
        private(set) var given: Int64 = 0

        nonisolated var reduces: [any Relux.Action.Type]? { [Notes.Business.Action.self] }

        func reduce(with action: any Relux.Action) async {
            switch action {
            case Notes.Business.Action.saved(let note, _): given = max(given, note.revision)
            case Notes.Business.Action.removed(_, _, let revision): given = max(given, revision)
            default: break
            }
        }

        var stored: Int64 { given }

        func restore(_ stored: Int64) async { given = stored }
    }
}
