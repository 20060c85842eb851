internal import NotesModels
internal import NotesReluxInt
internal import Relux

extension Notes.Business.State {
    nonisolated var reduces: [any Relux.Action.Type]? { [Notes.Business.Action.self, Notes.Business.Effect.self] }

    /// A change of a user whose notes are no longer open is not shown.
    func reduce(with action: any Relux.Action) async {
        switch action {
        case Notes.Business.Action.opened(let userId, let notes): open(userId: userId, notes: notes)
        case Notes.Business.Action.closed, Notes.Business.Effect.close: close()
        case Notes.Business.Action.saved(let note, let userId) where self.userId?.utf8.elementsEqual(userId.utf8) == true: save(note)
        case Notes.Business.Action.removed(let id, let userId, _) where self.userId?.utf8.elementsEqual(userId.utf8) == true: remove(id: id)
        case Notes.Business.Action.found(_, let ids): find(ids)
        case Notes.Business.Action.failed(let error): fail(error)
        default: break
        }
    }
}
