extension Library.Business.Model {
    /// Why the library refused something. The message may be shown to the reader.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case notAuthenticated = 1
            case sessionExpired = 2
            case notFound = 3
            case invalidFile = 4
            case storage = 5
            case loginRefused = 6
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        /// Whether logging in again may help.
        public var isAuthError: Bool { code == .notAuthenticated || code == .sessionExpired }

        public var description: String { "Library \(code.rawValue) \(code): \(message)" }
    }
}

extension Library.Business.Model.Failure {
    public static let notAuthenticated = Self(code: .notAuthenticated, message: "nobody is logged in; log in first")

    public static func sessionExpired(_ userId: String) -> Self {
        Self(code: .sessionExpired, message: "the library's session of reader '\(userId.prefix(64))' has ended; log in again")
    }

    public static func notFound(_ id: String) -> Self {
        Self(code: .notFound, message: "there is no file '\(id.prefix(64))'; list shows those that exist")
    }
}
