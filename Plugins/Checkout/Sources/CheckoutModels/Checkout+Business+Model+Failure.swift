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
            /// The order is placed already, and paid with another receipt.
            case otherReceipt = 6
            /// The payment failed, and nobody knows whether the money was taken.
            case paymentUnclear = 7
            /// The amount said to have been refunded is not the amount paid.
            case otherAmount = 8
            /// The purchase is another user's, so nothing was changed.
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
