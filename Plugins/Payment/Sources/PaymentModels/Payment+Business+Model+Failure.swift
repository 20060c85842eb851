extension Payment.Business.Model {
    /// Why a charge or a refund failed. The message names the service, and may be shown to the user.
    public struct Failure: Error, Sendable, Equatable, Codable, CustomStringConvertible {
        /// Stable numbers: they travel in effects.
        public enum Code: Int, Sendable, Codable {
            /// Nobody listens there.
            case unreachable = 1
            /// It did not answer in time.
            case timedOut = 2
            /// It answered with a fault of its own.
            case unavailable = 3
            /// It refuses the charge for good.
            case declined = 4
            /// It did not understand the request, or the order is void.
            case rejected = 5
            case unexpectedAnswer = 6
            case invalidCharge = 7
            case configuration = 8
        }

        public let code: Code
        public let message: String
        /// The charge may have succeeded all the same: whoever gives up must ask for a refund.
        public let mayHaveCaptured: Bool

        public init(code: Code, message: String, mayHaveCaptured: Bool = false) {
            self.code = code
            self.message = message
            self.mayHaveCaptured = mayHaveCaptured
        }

        /// The same for a caller that does not know what an earlier life had asked.
        public var afterDeath: Self { Self(code: code, message: message, mayHaveCaptured: true) }

        /// Whether the service itself is in trouble, rather than this one charge.
        public var isOutage: Bool {
            switch code {
            case .unreachable, .timedOut, .unavailable, .unexpectedAnswer: true
            case .declined, .rejected, .invalidCharge, .configuration: false
            }
        }

        public var description: String { "Payment \(code.rawValue) \(code): \(message)" }
    }
}
