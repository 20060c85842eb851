internal import AuthModels
internal import GRDB
internal import ReluxStorage

typealias Store = ReluxStorage.Store<Auth.Business.Model.Failure>

extension Store {
    init(path: String) { self.init(path: path, migrator: Self.migrator) { Failure(code: .storage, message: $0) } }

    /// Steps are never edited once released: a change is a new step.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 accounts and sessions") { db in
            try db.create(table: "account") { table in
                table.primaryKey("userId", .text)
                table.column("name", .text).notNull().unique()
                table.column("passwordHash", .text).notNull()
            }
            try db.create(table: "session") { table in
                table.primaryKey("tokenHash", .blob)
                table.column("userId", .text).notNull().indexed().references("account", onDelete: .cascade)
                table.column("expiresAt", .integer).notNull()
            }
        }
        return migrator
    }
}
