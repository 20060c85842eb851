public import NotesModels
public import Relux

extension Notes.Business {
    /// What can be asked of Notes, and what it tells others. Notes belong to the user of the latest `sync`.
    public enum Effect: Relux.Effect {
        /// Saves a note, new or changed; answers with it. Whoever makes a note chooses its id.
        case upsert(id: String, title: String, body: String)
        case delete(id: String)
        /// Answers with all notes, by title.
        case list
        /// Answers with the notes that contain every word, best match first.
        case search(query: String)
        /// Opens the notes of the context's user and exchanges them with the replica; answers with what that did.
        case sync(context: Notes.Business.Model.SyncContext)
        /// Closes the notes. What is stored stays. Orchestrators send it.
        case close
        /// Removes all that is stored of a user.
        case deleteAll(userId: String)

        case upserted(note: Notes.Business.Model.Note)
        case deleted(id: String)
        case synced(userId: String, report: Notes.Business.Model.SyncReport)
        case notesFailed(error: Notes.Business.Model.Failure)
    }
}

extension Notes.Business.Effect {
    public typealias SyncContext = Notes.Business.Model.SyncContext
}
