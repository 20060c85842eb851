extension ErrorHandling.Business.Model {
    /// An error as its domain describes it.
    public struct TrackedError: Sendable, Equatable, Codable {
        /// Characters of a message that are kept.
        public static let messageLength = 1_000

        public let domain: String
        /// The domain's own stable number.
        public let code: Int
        public let message: String

        public init(domain: String, code: Int, message: String) {
            self.domain = domain
            self.code = code
            self.message = String(message.prefix(Self.messageLength))
        }
    }

    /// An error and when it was tracked.
    public struct Entry: Sendable, Equatable, Codable {
        public let error: TrackedError
        /// Seconds since 1970.
        public let trackedAt: Int64

        public init(error: TrackedError, trackedAt: Int64) {
            self.error = error
            self.trackedAt = trackedAt
        }
    }
}
