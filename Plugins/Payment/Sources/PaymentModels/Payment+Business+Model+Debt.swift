extension Payment.Business.Model {
    /// What has to be given back for an order of a user, and has not been acknowledged yet.
    public struct Debt: Sendable, Equatable, Codable {
        public let orderId: String
        /// Empty in a debt of an earlier version, which did not keep it.
        public let userId: String
        public let reason: String
        /// How often it was asked for so far, and failed or was not acknowledged.
        public var attempts: Int

        public init(orderId: String, userId: String, reason: String, attempts: Int = 0) {
            self.orderId = orderId
            self.userId = userId
            self.reason = reason
            self.attempts = attempts
        }

        public func isFor(_ orderId: String, _ userId: String) -> Bool { self.orderId.isSpelled(like: orderId) && self.userId.isSpelled(like: userId) }

        /// Whether the word of that user, whose order it is, ends it: the user of a debt of an earlier version is not known here.
        public func isEnded(by userId: String, of orderId: String) -> Bool {
            isFor(orderId, userId) || self.userId.isEmpty && self.orderId.isSpelled(like: orderId)
        }
    }
}
