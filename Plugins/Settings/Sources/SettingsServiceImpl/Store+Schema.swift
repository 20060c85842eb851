internal import GRDB
internal import SettingsModels
internal import ReluxStorage

typealias Store = ReluxStorage.Store<Settings.Business.Model.Failure>

extension Store {
    init(path: String) { self.init(path: path, migrator: Self.migrator) { Failure(code: .storage, message: $0) } }

    /// Steps are never edited once released: a change is a new step.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 settings") { db in
            try db.create(table: "setting", options: .withoutRowID) { table in
                table.column("userId", .text).notNull()
                table.column("key", .text).notNull()
                table.column("value", .text).notNull()
                table.primaryKey(["userId", "key"])
            }
        }
        migrator.registerMigration("2 onboarding") { db in
            try db.create(table: "onboarding") { table in
                // One row, when it is done.
                table.primaryKey("id", .integer)
            }
        }
        return migrator
    }
}
