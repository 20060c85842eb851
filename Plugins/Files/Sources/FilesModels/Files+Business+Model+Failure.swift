extension Files.Business.Model {
    /// Why a file operation was refused. The message may be shown to the user.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case notAuthenticated = 1
            case invalidName = 2
            case tooLarge = 3
            case notFound = 4
            case storage = 5
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        /// Whether a session may help.
        public var isAuthError: Bool { code == .notAuthenticated }

        public var description: String { "Files \(code.rawValue) \(code): \(message)" }
    }
}

extension Files.Business.Model.Failure {
    public static let notAuthenticated = Self(code: .notAuthenticated, message: "nobody is logged in; log in first")
}
