extension Checkout.Business.Model {
    /// Why a purchase went no further. The message may be shown to the user.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            case invalidOrder = 1
            case unknownOrder = 2
            case outOfStock = 3
            case closed = 4
            case storage = 5
            /// It is placed already, and paid by something else.
            case otherReceipt = 6
            /// The payment failed, and nobody knows whether the money was taken.
            case paymentUnclear = 7
            /// Another amount is said to have gone back than was paid.
            case otherAmount = 8
            /// It is another user's: nothing that is said of it under this name moves anything.
            case otherUser = 9
        }

        public let code: Code
        public let message: String

        public init(code: Code, message: String) {
            self.code = code
            self.message = message
        }

        public var description: String { "Checkout \(code.rawValue) \(code): \(message)" }
    }
}

extension Checkout.Business.Model.Failure {
    public static func unknown(_ id: String) -> Self {
        Self(code: .unknownOrder, message: "there is no purchase '\(id.prefix(64))'; begin it first")
    }

    public static func others(_ id: String) -> Self {
        Self(code: .otherUser, message: "purchase '\(id.prefix(64))' is another user's; choose an id of your own")
    }
}
