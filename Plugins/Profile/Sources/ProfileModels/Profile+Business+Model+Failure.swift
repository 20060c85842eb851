extension Profile.Business.Model {
    /// Why a profile operation was refused. The message may be shown to the user.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case notAuthenticated = 1
            case invalidField = 2
            case storage = 3
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        /// Whether logging in again may help.
        public var isAuthError: Bool { code == .notAuthenticated }

        public var description: String { "Profile \(code.rawValue) \(code): \(message)" }
    }
}

extension Profile.Business.Model.Failure {
    public static let notAuthenticated = Self(code: .notAuthenticated, message: "nobody is logged in; log in first")
}
