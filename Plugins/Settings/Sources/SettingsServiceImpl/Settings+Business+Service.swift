public import SettingsModels
public import SettingsServiceInt
internal import GRDB
internal import ReluxStorage

extension Settings.Business {
    /// Settings in SQLite. The database is opened at the first call, so that a path that cannot be opened is an answer.
    public final class Service: IService {
        private let store: Store

        public init(databasePath: String) {
            self.store = Store(path: databasePath)
        }

        public var isPrepared: Bool { get async { await store.isPrepared } }

        public func prepare() async throws(Model.Failure) { try await store.prepare() }

        public func isOnboarded() async throws(Model.Failure) -> Bool {
            try await store.read { db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM onboarding)") == true }
        }

        public func noteOnboarded() async throws(Model.Failure) {
            try await store.write { db in
                try db.execute(sql: "INSERT INTO onboarding (id) VALUES (1) ON CONFLICT (id) DO NOTHING")
            }
        }

        public func values(userId: String) async throws(Model.Failure) -> Model.Values {
            try Self.check(userId)
            return try await store.read { db in try Self.values(of: userId, in: db) }
        }

        public func set(_ key: Model.Key, to value: String, userId: String) async throws(Model.Failure) -> Model.Values {
            try Self.check(userId)
            try Self.check(key, value)
            return try await store.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO setting (userId, key, value) VALUES (?, ?, ?)
                        ON CONFLICT (userId, key) DO UPDATE SET value = excluded.value
                        """,
                    arguments: [userId, key.rawValue, value]
                )
                return try Self.values(of: userId, in: db)
            }
        }

        public func resetToDefaults(userId: String) async throws(Model.Failure) -> Model.Values {
            try Self.check(userId)
            return try await store.write { db in
                try db.execute(sql: "DELETE FROM setting WHERE userId = ?", arguments: [userId])
                return Model.Key.defaults
            }
        }

        /// Keys that this version does not know and values that it no longer accepts are passed over.
        private static func values(of userId: String, in db: Database) throws -> Model.Values {
            try Row.fetchAll(db, sql: "SELECT key, value FROM setting WHERE userId = ?", arguments: [userId])
                .reduce(into: Model.Key.defaults) { values, row in
                    let value: String = row["value"]
                    if let key = Model.Key(rawValue: row["key"]), key.accepts(value) { values[key] = value }
                }
        }

        static func check(_ userId: String) throws(Model.Failure) {
            guard !userId.isEmpty else { throw .notAuthenticated }
            // SQLite ends a text at U+0000: a lookup would find another user's rows.
            guard let byte = userId.utf8.firstIndex(of: 0) else { return }
            let offset = userId.utf8.distance(from: userId.startIndex, to: byte)
            throw Model.Failure(code: .invalidValue, message: "the user id has a NUL (U+0000) at byte \(offset); leave it out")
        }

        static func check(_ key: Model.Key, _ value: String) throws(Model.Failure) {
            guard key.accepts(value) else {
                throw Model.Failure(
                    code: .invalidValue,
                    message: "'\(value.prefix(64))' is no value for \(key.rawValue); it takes \(key.allowed)"
                )
            }
        }
    }
}
