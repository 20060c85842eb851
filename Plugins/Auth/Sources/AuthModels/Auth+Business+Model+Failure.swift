extension Auth.Business.Model {
    /// Why an account operation was refused. The message may be shown to the user; it never holds a password or a token.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case invalidName = 1
            case invalidPassword = 2
            case nameTaken = 3
            case invalidCredentials = 4
            case invalidSession = 5
            case storage = 6
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        public var description: String { "Auth \(code.rawValue) \(code): \(message)" }
    }
}

extension Auth.Business.Model.Failure {
    /// The same answer for an unknown name and for a wrong password, so that nobody learns which names exist.
    public static let invalidCredentials = Self(code: .invalidCredentials, message: "name or password is wrong")

    public static let invalidSession = Self(code: .invalidSession, message: "the session is unknown or has ended; log in again")
}
