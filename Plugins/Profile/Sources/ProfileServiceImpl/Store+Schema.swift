internal import GRDB
internal import ProfileModels
internal import ReluxStorage

typealias Store = ReluxStorage.Store<Profile.Business.Model.Failure>

extension Store {
    init(path: String) { self.init(path: path, migrator: Self.migrator) { Failure(code: .storage, message: $0) } }

    /// Steps are never edited once released: a change is a new step.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 profiles") { db in
            try db.create(table: "profile") { table in
                table.primaryKey("userId", .text)
                table.column("displayName", .text).notNull()
                table.column("about", .text).notNull()
                table.column("revision", .integer).notNull()
            }
        }
        migrator.registerMigration("2 revisions that are not given out") { db in
            try db.create(table: "skipped") { table in table.column("revision", .integer).notNull() }
            try db.execute(sql: "INSERT INTO skipped (revision) VALUES (0)")
        }
        return migrator
    }
}
