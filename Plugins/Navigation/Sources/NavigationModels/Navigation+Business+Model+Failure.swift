extension Navigation.Business.Model {
    /// Why a link leads nowhere. The message may be shown to the user.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case invalidLink = 1
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        public var description: String { "Navigation \(code.rawValue) \(code): \(message)" }
    }
}
