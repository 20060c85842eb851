internal import GRDB
internal import NotesModels
internal import ReluxStorage

typealias Store = ReluxStorage.Store<Notes.Business.Model.Failure>

extension Store {
    init(path: String, migrator: DatabaseMigrator) { self.init(path: path, migrator: migrator) { Failure(code: .storage, message: $0) } }

    /// Steps are never edited once released: a change is a new step.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 notes and their text") { db in
            try db.create(table: "note") { table in
                // A named rowid: the index refers to it, and VACUUM may renumber an unnamed one.
                table.autoIncrementedPrimaryKey("rowid")
                table.column("userId", .text).notNull()
                table.column("id", .text).notNull()
                table.column("title", .text).notNull()
                table.column("body", .text).notNull()
                table.column("revision", .integer).notNull()
                table.column("isDeleted", .boolean).notNull()
                table.column("isPending", .boolean).notNull()
                table.uniqueKey(["userId", "id"])
            }
            try db.create(virtualTable: "noteText", using: FTS5()) { table in
                table.synchronize(withTable: "note")
                table.tokenizer = .unicode61()
                table.column("title")
                table.column("body")
            }
            try db.create(table: "seen") { table in
                table.primaryKey("userId", .text)
                table.column("sequence", .integer).notNull()
            }
        }
        migrator.registerMigration("2 revisions that are not given out") { db in
            try db.create(table: "skipped") { table in table.column("revision", .integer).notNull() }
            try db.execute(sql: "INSERT INTO skipped (revision) VALUES (0)")
        }
        return migrator
    }
}
