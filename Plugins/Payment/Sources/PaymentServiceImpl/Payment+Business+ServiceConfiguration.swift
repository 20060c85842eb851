internal import Foundation
public import PaymentModels

extension Payment.Business {
    /// Where the payment service is and how much patience it gets.
    public struct ServiceConfiguration: Sendable, Equatable {
        /// How long one question and all of its attempts may take together, at most: less than what awaits it.
        public static let limit: Duration = .seconds(20)

        public let url: String
        /// The timeout of one attempt.
        public let timeout: Duration
        public let attempts: Int
        /// Before the second attempt; twice as long before each further one.
        public let backoff: Duration

        /// - Throws: `configuration`, naming the variable, its value and what it takes.
        public init(
            url: String = "http://127.0.0.1:8480", timeoutMilliseconds: Int = 2_000, attempts: Int = 3, backoffMilliseconds: Int = 100
        ) throws(Model.Failure) {
            let parts = URLComponents(string: url)
            guard parts?.scheme == "http" || parts?.scheme == "https", parts?.host?.isEmpty == false else {
                throw Self.refusal("URL", url, "an address such as http://127.0.0.1:8480")
            }
            guard (10...10_000).contains(timeoutMilliseconds) else {
                throw Self.refusal("TIMEOUT_MS", "\(timeoutMilliseconds)", "a whole number of milliseconds from 10 to 10000")
            }
            guard (1...10).contains(attempts) else { throw Self.refusal("ATTEMPTS", "\(attempts)", "a whole number from 1 to 10") }
            guard (1...1_000).contains(backoffMilliseconds) else {
                throw Self.refusal("BACKOFF_MS", "\(backoffMilliseconds)", "a whole number of milliseconds from 1 to 1000")
            }
            self.url = url.hasSuffix("/") ? String(url.dropLast()) : url
            self.timeout = .milliseconds(timeoutMilliseconds)
            self.attempts = attempts
            self.backoff = .milliseconds(backoffMilliseconds)
            guard longest <= Self.limit else {
                throw Self.refusal(
                    "ATTEMPTS", "\(attempts)",
                    "a number such that all of them, \(timeoutMilliseconds) ms each and the pauses between, take 20 s at most; now it may be \(longest)")
            }
        }

        /// From `RELUX_PAYMENT_URL`, `RELUX_PAYMENT_TIMEOUT_MS`, `RELUX_PAYMENT_ATTEMPTS` and `RELUX_PAYMENT_BACKOFF_MS`.
        ///
        /// - Parameter environment: nil is the process's own.
        /// - Throws: `configuration`.
        public init(environment given: [String: String]? = nil) throws(Model.Failure) {
            let environment = given ?? ProcessInfo.processInfo.environment
            func number(_ name: String, _ fallback: Int) throws(Model.Failure) -> Int {
                guard let text = environment["RELUX_PAYMENT_\(name)"], !text.isEmpty else { return fallback }
                guard let number = Int(text) else { throw Self.refusal(name, text, "a whole number") }
                return number
            }
            let url = environment["RELUX_PAYMENT_URL"] ?? ""
            try self.init(
                url: url.isEmpty ? "http://127.0.0.1:8480" : url, timeoutMilliseconds: try number("TIMEOUT_MS", 2_000),
                attempts: try number("ATTEMPTS", 3), backoffMilliseconds: try number("BACKOFF_MS", 100))
        }

        /// The pause before an attempt, counted from 0.
        func pause(before attempt: Int) -> Duration {
            attempt == 0 ? .zero : min(backoff * (1 << (attempt - 1)), .seconds(2))
        }

        /// What all attempts may take.
        var longest: Duration { (0..<attempts).reduce(timeout * attempts) { $0 + pause(before: $1) } }

        private static func refusal(_ name: String, _ value: String, _ allowed: String) -> Model.Failure {
            Model.Failure(code: .configuration, message: "RELUX_PAYMENT_\(name) is \"\(value)\"; it takes \(allowed)")
        }
    }
}
