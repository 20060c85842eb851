extension Sync.Business.Model {
    /// A changed item: its collection and its id there.
    public struct Item: Sendable, Hashable, Codable {
        public let collection: String
        public let id: String
        /// It is gone.
        public let isRemoval: Bool

        public init(collection: String, id: String, isRemoval: Bool = false) {
            self.collection = collection
            self.id = id
            self.isRemoval = isRemoval
        }

        /// Compares bytes: `é` and `e` followed by an accent are one text for Swift, and two names elsewhere.
        public func names(_ other: Item) -> Bool {
            collection.utf8.elementsEqual(other.collection.utf8) && id.utf8.elementsEqual(other.id.utf8)
        }

        public static func == (left: Item, right: Item) -> Bool { left.isRemoval == right.isRemoval && left.names(right) }

        public func hash(into hasher: inout Hasher) {
            for text in [collection, id] { hasher.combine(Array(text.utf8)) }
            hasher.combine(isRemoval)
        }
    }

    /// Bytes of a user id: in hexadecimal it is the name of a file, which takes 255.
    public static let userIdLength = 120

    /// - Throws: when nothing can be kept for a user of that name.
    public static func check(_ userId: String) throws(Failure) {
        guard !userId.isEmpty else { throw .notAuthenticated }
        guard userId.utf8.count <= userIdLength else {
            throw Failure(code: .remote, message: "the user id has \(userId.utf8.count) bytes; use at most \(userIdLength)")
        }
    }

    /// What one round has done.
    public struct Report: Sendable, Equatable, Codable {
        public let sent: Int

        public init(sent: Int) { self.sent = sent }
    }

    /// Why a round did not come to its end. The message may be shown to the user.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case notAuthenticated = 1
            case remote = 2
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        /// Whether a session may help.
        public var isAuthError: Bool { code == .notAuthenticated }

        public var description: String { "Sync \(code.rawValue) \(code): \(message)" }
    }
}

extension Sync.Business.Model.Failure {
    public static let notAuthenticated = Self(code: .notAuthenticated, message: "nobody is logged in; log in first")
}
