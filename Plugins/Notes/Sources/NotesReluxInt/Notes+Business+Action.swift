public import NotesModels
public import Relux

extension Notes.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case opened(userId: String, notes: [Notes.Business.Model.Note])
        case closed
        case saved(note: Notes.Business.Model.Note, userId: String)
        case removed(id: String, userId: String, revision: Int64)
        case found(query: String, ids: [String])
        case failed(error: Notes.Business.Model.Failure)
    }
}
