extension Payment.Business.Model {
    /// A refund for a user's order that has not been acknowledged yet.
    public struct Debt: Sendable, Equatable, Codable {
        public let orderId: String
        /// Empty in a debt of an earlier version, which did not keep it.
        public let userId: String
        public let reason: String
        /// How many requests have failed or were not acknowledged so far.
        public var attempts: Int

        public init(orderId: String, userId: String, reason: String, attempts: Int = 0) {
            self.orderId = orderId
            self.userId = userId
            self.reason = reason
            self.attempts = attempts
        }

        public func isFor(_ orderId: String, _ userId: String) -> Bool { self.orderId.isSpelled(like: orderId) && self.userId.isSpelled(like: userId) }

        /// Whether that user's acknowledgement ends it. A debt of an earlier version has no user, so any user's does.
        public func isEnded(by userId: String, of orderId: String) -> Bool {
            isFor(orderId, userId) || self.userId.isEmpty && self.orderId.isSpelled(like: orderId)
        }
    }
}
