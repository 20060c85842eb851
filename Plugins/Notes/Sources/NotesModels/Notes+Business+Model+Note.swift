extension Notes.Business.Model {
    /// One note of one user. Whoever makes it chooses its id, so that a repeated upsert does not make a second one.
    public struct Note: Sendable, Equatable, Codable, Identifiable {
        /// Bytes of an id, and Unicode scalars of the texts, at most.
        public static let idLength = 64
        public static let titleLength = 200
        public static let bodyLength = 100_000

        /// Unique among the user's notes.
        public let id: String
        public var title: String
        public var body: String
        /// Rises with every change on any device; 0 before the first save.
        public let revision: Int64

        public init(id: String, title: String, body: String = "", revision: Int64 = 0) {
            self.id = id
            self.title = title
            self.body = body
            self.revision = revision
        }
    }
}
