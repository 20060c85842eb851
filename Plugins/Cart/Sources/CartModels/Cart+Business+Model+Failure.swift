extension Cart.Business.Model {
    /// Why a cart operation was refused. The message may be shown to the user.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case notAuthenticated = 1
            case unknownArticle = 2
            case invalidQuantity = 3
            case empty = 4
            case invalidRequest = 5
            case priceList = 6
            /// The purchase failed.
            case notBought = 7
            /// Whether the purchase failed is not known yet.
            case undecided = 8
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        /// Whether a session may help.
        public var isAuthError: Bool { code == .notAuthenticated }

        public var description: String { "Cart \(code.rawValue) \(code): \(message)" }
    }
}

extension Cart.Business.Model.Failure {
    public static let notAuthenticated = Self(code: .notAuthenticated, message: "nobody is logged in; log in first")

    /// - Throws: `invalidRequest` when no cart can belong to a user of that id.
    public static func check(userId: String) throws(Self) {
        let length = Cart.Business.Model.Request.userIdLength
        guard length.contains(userId.utf8.count) else {
            throw Self(
                code: .invalidRequest,
                message: "the user's id has \(userId.utf8.count) bytes, and one has \(length.lowerBound) to \(length.upperBound); name a user, or release the"
                    + " cart")
        }
    }
}
