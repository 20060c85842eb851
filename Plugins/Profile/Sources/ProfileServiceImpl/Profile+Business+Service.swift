public import ProfileModels
public import ProfileServiceInt
internal import GRDB
internal import ReluxStorage

extension Profile.Business {
    /// Profiles in SQLite. The database is opened at the first call, so that a path that cannot be opened is an answer.
    public final class Service: IService {
        let store: Store

        public init(databasePath: String) {
            self.store = Store(path: databasePath)
        }

        public var isPrepared: Bool { get async { await store.isPrepared } }

        public func prepare() async throws(Model.Failure) { try await store.prepare() }

        public func fetch(userId: String) async throws(Model.Failure) -> Model.UserProfile {
            try Self.check(userId)
            return try await store.read { db in try Self.profile(of: userId, in: db) }
        }

        public func update(_ profile: Model.UserProfile) async throws(Model.Failure) -> Model.UserProfile {
            try Self.check(profile)
            return try await store.write { db in
                try db.execute(
                    sql: """
                        INSERT INTO profile (userId, displayName, about, revision) VALUES (?, ?, ?, \(Self.nextRevision))
                        ON CONFLICT (userId) DO UPDATE SET
                            displayName = excluded.displayName, about = excluded.about, revision = excluded.revision
                        """,
                    arguments: [profile.userId, profile.displayName, profile.about, profile.userId]
                )
                return try Self.profile(of: profile.userId, in: db)
            }
        }

        public func clear(userId: String) async throws(Model.Failure) -> Model.UserProfile {
            try Self.check(userId)
            return try await store.write { db in
                try db.execute(
                    sql: "UPDATE profile SET displayName = '', about = '', revision = \(Self.nextRevision) WHERE userId = ?",
                    arguments: [userId, userId]
                )
                return try Self.profile(of: userId, in: db)
            }
        }

        public func delete(userId: String) async throws(Model.Failure) {
            try Self.check(userId)
            try await store.write { db in
                try Self.skip(to: try Self.highestRevision(in: db), in: db)
                try db.execute(sql: "DELETE FROM profile WHERE userId = ?", arguments: [userId])
            }
        }

        private static func profile(of userId: String, in db: Database) throws -> Model.UserProfile {
            try Row.fetchOne(
                db, sql: "SELECT displayName, about, revision FROM profile WHERE userId = ?", arguments: [userId]
            ).map {
                Model.UserProfile(
                    userId: userId, displayName: $0["displayName"], about: $0["about"], revision: $0["revision"]
                )
            } ?? Model.UserProfile(userId: userId)
        }

        static func check(_ userId: String) throws(Model.Failure) {
            guard !userId.isEmpty else { throw .notAuthenticated }
            try checkWhole("user id", userId)
        }

        static func check(_ profile: Model.UserProfile) throws(Model.Failure) {
            try check(profile.userId)
            try check("display name", profile.displayName, limit: Model.UserProfile.displayNameLength)
            try check("about", profile.about, limit: Model.UserProfile.aboutLength)
        }

        private static func check(_ field: String, _ value: String, limit: Int) throws(Model.Failure) {
            // A character that a reader sees may have any number of scalars.
            let count = value.unicodeScalars.count
            guard count <= limit else {
                throw Model.Failure(
                    code: .invalidField, message: "the \(field) has \(count) characters (Unicode scalars); use at most \(limit)"
                )
            }
            try checkWhole(field, value)
        }

        /// SQLite ends a text at U+0000: the rest would be lost, and a lookup would find another row.
        private static func checkWhole(_ field: String, _ text: String) throws(Model.Failure) {
            guard let byte = text.utf8.firstIndex(of: 0) else { return }
            let offset = text.utf8.distance(from: text.startIndex, to: byte)
            throw Model.Failure(code: .invalidField, message: "the \(field) has a NUL (U+0000) at byte \(offset); leave it out")
        }
    }
}
