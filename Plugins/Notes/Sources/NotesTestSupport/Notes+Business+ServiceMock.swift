public import NotesModels
public import NotesServiceInt
public import ReluxTestKit

extension Notes.Business {
    /// A service that keeps notes in memory, or fails as a test has set, and records what it was asked. Its search is a plain
    /// comparison of text.
    public final class ServiceMock: IService, MockService {
        public enum Call: Sendable, Equatable {
            case upsert(Model.Note, userId: String)
            case delete(id: String, userId: String)
            case deleteAll(userId: String)
            case list(userId: String)
            case search(String, userId: String)
            case sync(Model.SyncContext)
        }

        public struct Contents: Sendable {
            var notes: [String: [Model.Note]]
            var report = Model.SyncReport(pushed: 0, pulled: 0)
        }

        public let mocked: Mocked<Call, Contents, Model.Failure>

        public init(notes: [String: [Model.Note]] = [:], failure: Model.Failure? = nil) {
            mocked = Mocked(Contents(notes: notes), failure: failure)
        }

        /// What every later synchronisation reports.
        public func report(_ report: Model.SyncReport) { contents { $0.report = report } }

        public func hasNotes() async throws(Model.Failure) -> Bool { contents { !$0.notes.values.allSatisfy(\.isEmpty) } }

        public func upsert(_ note: Model.Note, userId: String) async throws(Model.Failure) -> Model.Note {
            try perform(.upsert(note, userId: userId)) { contents in
                let saved = Model.Note(id: note.id, title: note.title, body: note.body, revision: note.revision + 1)
                contents.notes[userId, default: []].removeAll { $0.id == note.id }
                contents.notes[userId, default: []].append(saved)
                return saved
            }
        }

        @discardableResult
        public func delete(id: String, userId: String) async throws(Model.Failure) -> Int64 {
            try perform(.delete(id: id, userId: userId)) { contents in
                contents.notes[userId]?.removeAll { $0.id == id }
                return 1
            }
        }

        public func skip(to revision: Int64) {}

        public func deleteAll(userId: String) async throws(Model.Failure) {
            try perform(.deleteAll(userId: userId)) { $0.notes[userId] = nil }
        }

        public func list(userId: String) async throws(Model.Failure) -> [Model.Note] {
            try perform(.list(userId: userId)) { $0.notes[userId] ?? [] }
        }

        public func search(_ query: String, userId: String) async throws(Model.Failure) -> [Model.Note] {
            try perform(.search(query, userId: userId)) { contents in
                (contents.notes[userId] ?? []).filter { "\($0.title) \($0.body)".contains(query) }
            }
        }

        public func sync(_ context: Model.SyncContext) async throws(Model.Failure) -> Model.SyncReport {
            try perform(.sync(context)) { $0.report }
        }
    }
}
