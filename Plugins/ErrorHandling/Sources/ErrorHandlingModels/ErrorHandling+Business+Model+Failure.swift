extension ErrorHandling.Business.Model {
    /// Why an error could not be kept.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case storage = 1
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        public var description: String { "ErrorHandling \(code.rawValue) \(code): \(message)" }
    }
}
