public import NotesModels
public import Relux

extension Notes.Business {
    /// The notes that are open. Consumers observe its snapshots through the relay.
    public protocol IState: Relux.BusinessState {
        /// Whose notes are open; nil while none are.
        var userId: String? { get async }
        /// By title.
        var notes: [Model.Note] { get async }
    }

    /// What is shown of the open notes: their bodies are fetched when they are opened.
    public struct Snapshot: Relux.SharedSnapshot {
        public struct Entry: Sendable, Equatable, Codable {
            public let id: String
            public let title: String

            public init(id: String, title: String) {
                self.id = id
                self.title = title
            }
        }

        public let userId: String?
        /// By title.
        public let entries: [Entry]
        /// Ids of what the latest search found, best match first.
        public let found: [String]
        /// Why the last operation was refused; nil after a success.
        public let failure: Notes.Business.Model.Failure?

        public init(
            userId: String? = nil, entries: [Entry] = [], found: [String] = [],
            failure: Notes.Business.Model.Failure? = nil
        ) {
            self.userId = userId
            self.entries = entries
            self.found = found
            self.failure = failure
        }
    }
}
