internal import GRDB
internal import LibraryModels
internal import ReluxStorage

typealias Store = ReluxStorage.Store<Library.Business.Model.Failure>

extension Store {
    init(path: String) { self.init(path: path, migrator: Self.migrator) { Failure(code: .storage, message: $0) } }

    /// Steps are never edited once released: a change is a new step.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 files and sessions") { db in
            try db.create(table: "file") { table in
                table.column("userId", .text).notNull()
                table.column("id", .text).notNull()
                table.column("title", .text).notNull()
                table.column("contents", .blob).notNull()
                table.primaryKey(["userId", "id"])
            }
            try db.create(table: "session") { table in
                table.primaryKey("userId", .text)
                table.column("expiresAt", .integer).notNull()
            }
        }
        return migrator
    }
}
