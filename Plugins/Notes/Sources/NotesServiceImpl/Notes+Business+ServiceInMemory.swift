public import NotesModels
public import NotesServiceInt

extension Notes.Business {
    /// What `services: mock` means for Notes: they end with the process, and there is no other device.
    public actor ServiceInMemory: IService {
        /// By user and id, byte for byte as in a database.
        private var notes: [[UInt8]: [[UInt8]: Model.Note]] = [:]
        private var revision: Int64 = 0

        public init() {}

        /// There is nothing to migrate.
        public nonisolated var isPrepared: Bool { true }

        public nonisolated func prepare() {}

        public func hasNotes() -> Bool { notes.values.contains { !$0.isEmpty } }

        public func upsert(_ note: Model.Note, userId: String) throws(Model.Failure) -> Model.Note {
            try Service.check(userId)
            try Service.check(note)
            revision += 1
            let saved = Model.Note(id: note.id, title: note.title, body: note.body, revision: revision)
            notes[Array(userId.utf8), default: [:]][Array(note.id.utf8)] = saved
            return saved
        }

        @discardableResult
        public func delete(id: String, userId: String) throws(Model.Failure) -> Int64 {
            try Service.check(userId)
            try Service.check("id", id)
            guard notes[Array(userId.utf8)]?.removeValue(forKey: Array(id.utf8)) != nil else { throw Service.notFound(id) }
            revision += 1
            return revision
        }

        public func skip(to revision: Int64) { self.revision = max(self.revision, revision) }

        public func deleteAll(userId: String) throws(Model.Failure) {
            try Service.check(userId)
            notes[Array(userId.utf8)] = nil
        }

        public func list(userId: String) throws(Model.Failure) -> [Model.Note] {
            try Service.check(userId)
            return (notes[Array(userId.utf8)] ?? [:]).values.sorted { ($0.title.lowercased(), $0.id) < ($1.title.lowercased(), $1.id) }
        }

        public func search(_ query: String, userId: String) throws(Model.Failure) -> [Model.Note] {
            let wanted = Self.words(query)
            guard !wanted.isEmpty else { return [] }
            return try list(userId: userId).filter { note in
                let words = Self.words(note.title + " " + note.body)
                return wanted.allSatisfy { prefix in words.contains { $0.hasPrefix(prefix) } }
            }
        }

        public func sync(_ context: Model.SyncContext) throws(Model.Failure) -> Model.SyncReport {
            guard context.isAuthenticated, let userId = context.userId else { throw .notAuthenticated }
            try Service.check(userId)
            return Model.SyncReport(pushed: 0, pulled: 0)
        }

        private static func words(_ text: String) -> [Substring] {
            text.lowercased().split { !$0.isLetter && !$0.isNumber }
        }
    }
}
