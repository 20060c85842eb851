internal import GRDB
public import NotesModels
public import NotesServiceInt
internal import ReluxStorage

extension Notes.Business {
    /// Notes in SQLite with a full-text index. The databases are opened at the first call, so that a path that cannot be
    /// opened is an answer.
    public final class Service: IService {
        let store: Store
        let replica: Replica

        /// `replicaPath` is the database that several devices share; by default it lies beside the user's own.
        public init(databasePath: String, replicaPath: String? = nil) {
            self.store = Store(path: databasePath, migrator: Store.migrator)
            self.replica = Replica(path: replicaPath ?? databasePath + ".replica")
        }

        public var isPrepared: Bool { get async { await store.isPrepared } }

        public func prepare() async throws(Model.Failure) { try await store.prepare() }

        public func hasNotes() async throws(Model.Failure) -> Bool {
            try await store.read { db in try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM note WHERE NOT isDeleted)") == true }
        }

        public func upsert(_ note: Model.Note, userId: String) async throws(Model.Failure) -> Model.Note {
            try Self.check(userId)
            try Self.check(note)
            return try await store.write { db in
                let revision = try Self.nextRevision(of: userId, in: db)
                let saved = Model.Note(id: note.id, title: note.title, body: note.body, revision: revision)
                try Self.save(StoredNote(saved), userId: userId, isPending: true, in: db)
                return saved
            }
        }

        @discardableResult
        public func delete(id: String, userId: String) async throws(Model.Failure) -> Int64 {
            try Self.check(userId)
            try Self.check("id", id)
            let revision = try await store.write { db -> Int64? in
                guard let stored = try Self.stored(id: id, userId: userId, in: db), !stored.isDeleted else { return nil }
                let tombstone = Model.Note(id: id, title: "", revision: try Self.nextRevision(of: userId, in: db))
                try Self.save(StoredNote(tombstone, isDeleted: true), userId: userId, isPending: true, in: db)
                return tombstone.revision
            }
            guard let revision else { throw Self.notFound(id) }
            return revision
        }

        public func deleteAll(userId: String) async throws(Model.Failure) {
            try Self.check(userId)
            // The replica first: if that fails nothing has changed, and the call can be repeated.
            try await replica.deleteAll(of: userId)
            try await store.write { db in
                try Self.skip(to: try Self.highestRevision(in: db), in: db)
                try db.execute(sql: "DELETE FROM note WHERE userId = ?", arguments: [userId])
                try db.execute(sql: "DELETE FROM seen WHERE userId = ?", arguments: [userId])
            }
        }

        public func list(userId: String) async throws(Model.Failure) -> [Model.Note] {
            try Self.check(userId)
            return try await store.read { db in
                try Row.fetchAll(
                    db,
                    sql: "SELECT * FROM note WHERE userId = ? AND NOT isDeleted ORDER BY title COLLATE NOCASE, id",
                    arguments: [userId]
                ).map { StoredNote($0).note }
            }
        }

        public func search(_ query: String, userId: String) async throws(Model.Failure) -> [Model.Note] {
            try Self.check(userId)
            return try await store.read { db in
                // The pattern keeps only words, so nothing that a user types is read as query syntax.
                guard let pattern = FTS5Pattern(matchingAllPrefixesIn: query) else { return [] }
                return try Row.fetchAll(
                    db,
                    sql: """
                        SELECT note.* FROM note JOIN noteText ON noteText.rowid = note.rowid
                        WHERE noteText MATCH ? AND userId = ? AND NOT isDeleted ORDER BY rank, id
                        """,
                    arguments: [pattern, userId]
                ).map { StoredNote($0).note }
            }
        }

        static func check(_ userId: String) throws(Model.Failure) {
            guard !userId.isEmpty else { throw .notAuthenticated }
            try check("user id", userId)
        }

        /// SQLite ends a text at U+0000: the rest would be lost, and a lookup would find another row.
        static func check(_ field: String, _ text: String) throws(Model.Failure) {
            guard let byte = text.utf8.firstIndex(of: 0) else { return }
            throw invalid("the \(field) has a NUL (U+0000) at byte \(text.utf8.distance(from: text.startIndex, to: byte)); leave it out")
        }

        static func notFound(_ id: String) -> Model.Failure {
            Model.Failure(code: .notFound, message: "there is no note '\(id.prefix(64))'; list shows those that exist")
        }

        static func check(_ note: Model.Note) throws(Model.Failure) {
            try check("id", note.id)
            try check("title", note.title)
            try check("body", note.body)
            guard (1...Model.Note.idLength).contains(note.id.utf8.count) else {
                throw invalid("the id has \(note.id.utf8.count) bytes; use 1 to \(Model.Note.idLength)")
            }
            try check("title", note.title, limit: Model.Note.titleLength)
            try check("body", note.body, limit: Model.Note.bodyLength)
        }

        /// By Unicode scalars: what a reader takes for one character may have any number of them.
        private static func check(_ field: String, _ text: String, limit: Int) throws(Model.Failure) {
            let count = text.unicodeScalars.count
            guard count <= limit else { throw invalid("the \(field) has \(count) characters (Unicode scalars); use at most \(limit)") }
        }

        private static func invalid(_ message: String) -> Model.Failure {
            Model.Failure(code: .invalidNote, message: message)
        }
    }
}
