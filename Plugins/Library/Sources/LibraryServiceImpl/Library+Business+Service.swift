internal import Foundation
internal import GRDB
public import LibraryModels
public import LibraryServiceInt
internal import ReluxStorage

extension Library.Business {
    /// Files and sessions in SQLite. The database is opened at the first call, so that a path that cannot be opened is an answer.
    public final class Service: IService {
        let store: Store
        private let sessionSeconds: Int64
        private let now: @Sendable () -> Int64

        /// - Parameters:
        ///   - sessionSeconds: how long a session lasts after it was opened.
        ///   - now: seconds since 1970; by default the system's clock.
        public init(databasePath: String, sessionSeconds: Int64 = 8 * 3600, now: (@Sendable () -> Int64)? = nil) {
            store = Store(path: databasePath)
            self.sessionSeconds = sessionSeconds
            self.now = now ?? { Int64(Date().timeIntervalSince1970) }
        }

        public var isPrepared: Bool { get async { await store.isPrepared } }

        public func prepare() async throws(Model.Failure) { try await store.prepare() }

        public func openSession(userId: String) async throws(Model.Failure) -> Model.LoginResponse {
            guard !userId.isEmpty else { throw .notAuthenticated }
            try Self.check("user id", userId)
            let expiresAt = now() + sessionSeconds
            try await store.write { db in
                try db.execute(
                    sql: "INSERT INTO session VALUES (?, ?) ON CONFLICT (userId) DO UPDATE SET expiresAt = excluded.expiresAt",
                    arguments: [userId, expiresAt])
            }
            return Model.LoginResponse(userId: userId, expiresAt: expiresAt)
        }

        public func closeSession(userId: String) async throws(Model.Failure) {
            try Self.check("user id", userId)
            try await store.write { db in try db.execute(sql: "DELETE FROM session WHERE userId = ?", arguments: [userId]) }
        }

        public func list(userId: String) async throws(Model.Failure) -> [Model.File] {
            try await reading(as: userId) { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT id, title, length(contents) AS byteCount FROM file WHERE userId = ? ORDER BY title COLLATE NOCASE, id",
                    arguments: [userId]
                ).map { Model.File(fileId: $0["id"], title: $0["title"], byteCount: $0["byteCount"]) }
            }
        }

        public func add(_ file: Model.File, contents: [UInt8], userId: String) async throws(Model.Failure) -> Model.File {
            try Self.check(file, contents)
            return try await writing(as: userId) { db in
                try db.execute(
                    sql: """
                        INSERT INTO file VALUES (?, ?, ?, ?)
                        ON CONFLICT (userId, id) DO UPDATE SET title = excluded.title, contents = excluded.contents
                        """,
                    arguments: [userId, file.fileId, file.title, Data(contents)])
                return Model.File(fileId: file.fileId, title: file.title, byteCount: contents.count)
            }
        }

        public func delete(id: String, userId: String) async throws(Model.Failure) {
            try Self.check("id", id)
            let isDeleted = try await writing(as: userId) { db in
                try db.execute(sql: "DELETE FROM file WHERE userId = ? AND id = ?", arguments: [userId, id])
                return db.changesCount > 0
            }
            guard isDeleted else { throw .notFound(id) }
        }

        public func read(id: String, from offset: Int, count: Int, userId: String) async throws(Model.Failure) -> [UInt8] {
            try Self.check("id", id)
            let piece = try await reading(as: userId) { db in
                try Data.fetchOne(
                    db, sql: "SELECT substr(contents, ?, ?) FROM file WHERE userId = ? AND id = ?",
                    arguments: [max(0, offset) + 1, max(0, count), userId, id])
            }
            guard let piece else { throw .notFound(id) }
            return Array(piece)
        }

        public func forget(userId: String) async throws(Model.Failure) {
            try Self.check("user id", userId)
            try await store.write { db in
                try db.execute(sql: "DELETE FROM file WHERE userId = ?", arguments: [userId])
                try db.execute(sql: "DELETE FROM session WHERE userId = ?", arguments: [userId])
            }
        }

        // MARK: Sessions

        private func reading<T: Sendable>(
            as userId: String, _ body: @escaping @Sendable (Database) throws -> T
        ) async throws(Model.Failure) -> T {
            try Self.check("user id", userId)
            let now = now()
            return try Self.served(
                try await store.read { db in try Self.isServed(userId, at: now, in: db) ? try body(db) : nil }, userId)
        }

        private func writing<T: Sendable>(
            as userId: String, _ body: @escaping @Sendable (Database) throws -> T
        ) async throws(Model.Failure) -> T {
            try Self.check("user id", userId)
            let now = now()
            return try Self.served(
                try await store.write { db in try Self.isServed(userId, at: now, in: db) ? try body(db) : nil }, userId)
        }

        private static func isServed(_ userId: String, at now: Int64, in db: Database) throws -> Bool {
            try Bool.fetchOne(db, sql: "SELECT expiresAt > ? FROM session WHERE userId = ?", arguments: [now, userId]) ?? false
        }

        private static func served<T>(_ answer: T?, _ userId: String) throws(Model.Failure) -> T {
            guard let answer else { throw .sessionExpired(userId) }
            return answer
        }

        /// SQLite ends a text at U+0000: the rest would be lost, and a lookup would find another row.
        static func check(_ field: String, _ text: String) throws(Model.Failure) {
            guard let byte = text.utf8.firstIndex(of: 0) else { return }
            throw invalid("the \(field) has a NUL (U+0000) at byte \(text.utf8.distance(from: text.startIndex, to: byte)); leave it out")
        }

        static func check(_ file: Model.File, _ contents: [UInt8]) throws(Model.Failure) {
            try check("id", file.fileId)
            try check("title", file.title)
            guard (1...Model.File.idLength).contains(file.fileId.utf8.count) else {
                throw invalid("the id has \(file.fileId.utf8.count) bytes; use 1 to \(Model.File.idLength)")
            }
            // A character that a reader sees may have any number of scalars.
            let count = file.title.unicodeScalars.count
            guard count <= Model.File.titleLength else {
                throw invalid("the title has \(count) characters (Unicode scalars); use at most \(Model.File.titleLength)")
            }
            guard contents.count <= Model.File.contentsLength else {
                throw invalid("the contents have \(contents.count) bytes; use at most \(Model.File.contentsLength)")
            }
        }

        private static func invalid(_ message: String) -> Model.Failure { Model.Failure(code: .invalidFile, message: message) }
    }
}
