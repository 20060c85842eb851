public import NotesModels
public import NotesServiceInt
internal import Synchronization

extension Notes.Business {
    /// A service that keeps notes in memory, or fails as a test has set, and records what it was asked. Its search is a plain
    /// comparison of text.
    public final class ServiceMock: IService {
        public enum Call: Sendable, Equatable {
            case upsert(Model.Note, userId: String)
            case delete(id: String, userId: String)
            case deleteAll(userId: String)
            case list(userId: String)
            case search(String, userId: String)
            case sync(Model.SyncContext)
        }

        private struct Contents {
            var calls: [Call] = []
            var isPrepared = false
            var notes: [String: [Model.Note]] = [:]
            var report = Model.SyncReport(pushed: 0, pulled: 0)
            var failure: Model.Failure?
        }

        private let contents: Mutex<Contents>

        public init(notes: [String: [Model.Note]] = [:], failure: Model.Failure? = nil) {
            self.contents = Mutex(Contents(notes: notes, failure: failure))
        }

        public var calls: [Call] { contents.withLock { $0.calls } }

        /// What every later call fails with; `nil` lets them succeed again.
        public func fail(_ failure: Model.Failure?) {
            contents.withLock { $0.failure = failure }
        }

        /// What every later synchronisation reports.
        public func report(_ report: Model.SyncReport) {
            contents.withLock { $0.report = report }
        }

        public var isPrepared: Bool { contents.withLock { $0.isPrepared } }

        /// Not recorded: it is no call of the flow's.
        public func prepare() async throws(Model.Failure) {
            let failure = contents.withLock { contents in
                contents.isPrepared = contents.failure == nil
                return contents.failure
            }
            if let failure { throw failure }
        }

        public func hasNotes() async throws(Model.Failure) -> Bool { contents.withLock { !$0.notes.values.allSatisfy(\.isEmpty) } }

        public func upsert(_ note: Model.Note, userId: String) async throws(Model.Failure) -> Model.Note {
            try perform(.upsert(note, userId: userId)) { contents in
                let saved = Model.Note(id: note.id, title: note.title, body: note.body, revision: note.revision + 1)
                contents.notes[userId, default: []].removeAll { $0.id == note.id }
                contents.notes[userId, default: []].append(saved)
                return saved
            }.get()
        }

        @discardableResult
        public func delete(id: String, userId: String) async throws(Model.Failure) -> Int64 {
            try perform(.delete(id: id, userId: userId)) { contents in
                contents.notes[userId]?.removeAll { $0.id == id }
                return 1
            }.get()
        }

        public func skip(to revision: Int64) {}

        public func deleteAll(userId: String) async throws(Model.Failure) {
            try perform(.deleteAll(userId: userId)) { $0.notes[userId] = nil }.get()
        }

        public func list(userId: String) async throws(Model.Failure) -> [Model.Note] {
            try perform(.list(userId: userId)) { $0.notes[userId] ?? [] }.get()
        }

        public func search(_ query: String, userId: String) async throws(Model.Failure) -> [Model.Note] {
            try perform(.search(query, userId: userId)) { contents in
                (contents.notes[userId] ?? []).filter { "\($0.title) \($0.body)".contains(query) }
            }.get()
        }

        public func sync(_ context: Model.SyncContext) async throws(Model.Failure) -> Model.SyncReport {
            try perform(.sync(context)) { $0.report }.get()
        }

        private func perform<R>(_ call: Call, _ body: (inout Contents) -> R) -> Result<R, Model.Failure> {
            contents.withLock { contents in
                contents.calls.append(call)
                if let failure = contents.failure { return .failure(failure) }
                return .success(body(&contents))
            }
        }
    }
}
