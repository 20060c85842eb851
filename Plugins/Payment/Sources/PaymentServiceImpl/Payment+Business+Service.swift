internal import Foundation
public import PaymentModels
public import PaymentServiceInt

extension Payment.Business {
    /// The payment service over HTTP, as `Plugins/Payment/Service/payment-service` speaks it.
    ///
    /// Each question goes out under the order's id as its idempotency key, so that an attempt after a lost answer takes no money twice. What
    /// may pass is tried again, a bounded number of times; a word of the service itself is final.
    public final class Service: IService {
        private let configuration: ServiceConfiguration
        private let exchange = HTTPExchange()

        public init(_ configuration: ServiceConfiguration) { self.configuration = configuration }

        public func capture(_ charge: Model.Charge) async throws(Model.Failure) -> Model.Receipt {
            try charge.check()
            let question = CaptureQuestion(order: charge.orderId, amount: charge.amount, payer: charge.payer)
            let answer: CaptureAnswer = try await ask("captures", question, order: charge.orderId)
            guard answer.amount == charge.amount else {
                throw failure(
                    Trouble(.unexpectedAnswer, "it says that it took \(answer.amount) cents instead of \(charge.amount)"), charge.orderId,
                    "look after the service", mayHaveCaptured: true)
            }
            guard Model.Receipt.idLength.contains(answer.receipt.utf8.count) else {
                throw failure(
                    Trouble(
                        .unexpectedAnswer,
                        "a receipt of \(answer.receipt.utf8.count) bytes instead of 1 to \(Model.Receipt.idLength.upperBound)"), charge.orderId,
                    "look after the service", mayHaveCaptured: true)
            }
            return Model.Receipt(id: answer.receipt, orderId: charge.orderId, payer: charge.payer, amount: answer.amount)
        }

        public func refund(orderId: String, payer: String) async throws(Model.Failure) -> Int64 {
            let answer: RefundAnswer = try await ask("refunds", RefundQuestion(order: orderId, payer: payer), order: orderId)
            guard answer.refunded >= 0 else {
                throw failure(
                    Trouble(.unexpectedAnswer, "it says that \(answer.refunded) cents went back, and less than 0 cannot"), orderId,
                    "look after the service", mayHaveCaptured: true)
            }
            return answer.refunded
        }

        private struct CaptureQuestion: Encodable {
            let order: String
            let amount: Int64
            let payer: String
        }
        private struct CaptureAnswer: Decodable {
            let receipt: String
            let amount: Int64
        }
        private struct RefundQuestion: Encodable {
            let order: String
            let payer: String
        }
        private struct RefundAnswer: Decodable { let refunded: Int64 }

        /// What somebody chose becomes part of no header as it is: only what is unreserved in addresses (RFC 3986, section 2.3) goes without an escape.
        static func key(of order: String) -> String {
            order.utf8.map { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                    String(UnicodeScalar(byte))
                default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
                }
            }.joined()
        }

        private func ask<Answer: Decodable>(
            _ path: String, _ question: some Encodable, order: String
        ) async throws(Model.Failure) -> Answer {
            guard let url = URL(string: "\(configuration.url)/\(path)"), let body = try? JSONEncoder().encode(question) else {
                throw Model.Failure(code: .invalidCharge, message: "order '\(order)' cannot be put into a question to \(configuration.url)")
            }
            let started = ContinuousClock.now
            var last = Trouble(.unreachable, "it was not asked")
            var mayHaveCaptured = false
            for attempt in 0..<configuration.attempts {
                // A cancelled caller gets its answer at once.
                if attempt > 0 { guard (try? await Task.sleep(for: configuration.pause(before: attempt))) != nil else { break } }
                let outcome = await exchange.post(
                    body, to: url, headers: ["Content-Type": "application/json", "Idempotency-Key": Self.key(of: order)], within: configuration.timeout)
                switch read(outcome, as: Answer.self) {
                case .success(let answer): return answer
                case .failure(let trouble):
                    last = trouble
                    mayHaveCaptured = mayHaveCaptured || trouble.isAmbiguous
                    guard trouble.mayPass else {
                        throw failure(trouble, order, "its word is final", mayHaveCaptured: mayHaveCaptured)
                    }
                }
            }
            let took = (ContinuousClock.now - started) / .milliseconds(1)
            throw failure(
                last, order, "\(configuration.attempts) attempts in \(Int(took)) ms; look after the service, or name another by RELUX_PAYMENT_URL",
                mayHaveCaptured: mayHaveCaptured)
        }

        private func failure(_ trouble: Trouble, _ order: String, _ rest: String, mayHaveCaptured: Bool) -> Model.Failure {
            Model.Failure(
                code: trouble.code, message: "the payment service \(configuration.url), asked about order \(order): \(trouble.why) (\(rest))",
                mayHaveCaptured: mayHaveCaptured)
        }
    }
}
