extension ErrorHandling.Business.Model {
    /// An error as its domain describes it.
    public struct TrackedError: Sendable, Equatable, Codable {
        /// Unicode scalars of a message that are kept.
        public static let messageLength = 1_000
        /// The same of a domain's name.
        public static let domainLength = 100

        public let domain: String
        /// The domain's own stable number.
        public let code: Int
        public let message: String

        public init(domain: String, code: Int, message: String) {
            self.domain = String(String.UnicodeScalarView(domain.unicodeScalars.prefix(Self.domainLength)))
            self.code = code
            self.message = String(String.UnicodeScalarView(message.unicodeScalars.prefix(Self.messageLength)))
        }

        /// The same error within the limits: an effect's sender may have exceeded them.
        public var cut: TrackedError { TrackedError(domain: domain, code: code, message: message) }

        /// The part that ``cut`` leaves out, in words; nil if it leaves out nothing.
        public var excess: String? {
            let parts = [("domain", domain, Self.domainLength), ("message", message, Self.messageLength)].compactMap { name, text, limit in
                let count = text.unicodeScalars.count
                return count > limit ? "the \(name) has \(count) characters (Unicode scalars), and the first \(limit) are kept" : nil
            }
            return parts.isEmpty ? nil : parts.joined(separator: "; ")
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
