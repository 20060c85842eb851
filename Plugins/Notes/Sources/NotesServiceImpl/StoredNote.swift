internal import GRDB
internal import NotesModels

/// A note as it is stored and exchanged: deleted ones stay as empty tombstones, so that other devices learn of them.
struct StoredNote: Sendable, Equatable {
    var note: Notes.Business.Model.Note
    var isDeleted: Bool

    init(_ note: Notes.Business.Model.Note, isDeleted: Bool = false) {
        self.note = note
        self.isDeleted = isDeleted
    }

    init(_ row: Row) {
        note = Notes.Business.Model.Note(id: row["id"], title: row["title"], body: row["body"], revision: row["revision"])
        isDeleted = row["isDeleted"]
    }

    /// Whether this change replaces `other`. With equal revisions the content decides, so that all devices agree.
    func wins(over other: StoredNote) -> Bool {
        rank > other.rank
    }

    private var rank: (Int64, Int, String, String) { (note.revision, isDeleted ? 1 : 0, note.title, note.body) }
}
