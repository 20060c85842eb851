internal import Foundation
internal import GRDB
internal import NotesModels
internal import ReluxStorage

/// The notes that several devices share. It numbers every change that it takes, so that a device asks only for later ones.
struct Replica: Sendable {
    struct Exchange: Sendable {
        /// How many of the offered notes were taken.
        let pushed: Int
        /// What changed since the sequence that was asked for, the offered notes included.
        let changes: [StoredNote]
        /// The highest sequence that `changes` reach to.
        let sequence: Int64
    }

    private let store: Store

    init(path: String) {
        store = Store(path: path, migrator: Self.migrator)
    }

    /// Whether it is an older copy of what gave that sequence out.
    func hasForgotten(_ sequence: Int64) async throws(Notes.Business.Model.Failure) -> Bool {
        try await store.read { db in
            try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'shared'") ?? 0 < sequence
        }
    }

    /// Takes the offered notes that win over what is here, and answers with what changed after `sequence`, in one transaction.
    func exchange(
        _ offered: [StoredNote], userId: String, after sequence: Int64
    ) async throws(Notes.Business.Model.Failure) -> Exchange {
        try await store.write { db in
            var pushed = 0
            for note in offered where try Self.take(note, userId: userId, in: db) { pushed += 1 }
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT * FROM shared WHERE userId = ? AND sequence > ? ORDER BY sequence",
                arguments: [userId, sequence]
            )
            return Exchange(
                pushed: pushed, changes: rows.map { StoredNote($0) }, sequence: rows.last?["sequence"] ?? sequence
            )
        }
    }

    func deleteAll(of userId: String) async throws(Notes.Business.Model.Failure) {
        try await store.write { db in
            try db.execute(sql: "DELETE FROM shared WHERE userId = ?", arguments: [userId])
        }
    }

    private static func take(_ note: StoredNote, userId: String, in db: Database) throws -> Bool {
        let here = try Row.fetchOne(
            db, sql: "SELECT * FROM shared WHERE userId = ? AND id = ?", arguments: [userId, note.note.id]
        ).map { StoredNote($0) }
        if let here, !note.wins(over: here) { return false }
        try db.execute(sql: "DELETE FROM shared WHERE userId = ? AND id = ?", arguments: [userId, note.note.id])
        // By the clock: an older copy of this database does not know what was given out since, and gives none of it out again.
        let last = try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'shared'") ?? 0
        let sequence = max(last + 1, Int64(Date().timeIntervalSince1970 * 1_000_000))
        try db.execute(
            sql: "INSERT INTO shared (sequence, userId, id, title, body, revision, isDeleted) VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [sequence, userId, note.note.id, note.note.title, note.note.body, note.note.revision, note.isDeleted]
        )
        return true
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 shared notes") { db in
            try db.create(table: "shared") { table in
                // Never given twice, also after the highest row has gone.
                table.autoIncrementedPrimaryKey("sequence")
                table.column("userId", .text).notNull()
                table.column("id", .text).notNull()
                table.column("title", .text).notNull()
                table.column("body", .text).notNull()
                table.column("revision", .integer).notNull()
                table.column("isDeleted", .boolean).notNull()
                table.uniqueKey(["userId", "id"])
            }
        }
        return migrator
    }
}
