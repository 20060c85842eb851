internal import GRDB
internal import NotesModels

extension Notes.Business.Service {
    static func stored(id: String, userId: String, in db: Database) throws -> StoredNote? {
        try Row.fetchOne(db, sql: "SELECT * FROM note WHERE userId = ? AND id = ?", arguments: [userId, id])
            .map { StoredNote($0) }
    }

    static func save(_ stored: StoredNote, userId: String, isPending: Bool, in db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO note (userId, id, title, body, revision, isDeleted, isPending) VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (userId, id) DO UPDATE SET
                    title = excluded.title, body = excluded.body, revision = excluded.revision,
                    isDeleted = excluded.isDeleted, isPending = excluded.isPending
                """,
            arguments: [
                userId, stored.note.id, stored.note.title, stored.note.body, stored.note.revision, stored.isDeleted, isPending,
            ]
        )
    }
}
