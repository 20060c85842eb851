public import PaymentModels
public import PaymentServiceInt
internal import Synchronization

extension Payment.Business {
    /// A payment service that does what a test has set, and records what it was asked.
    public final class ServiceMock: IService {
        public enum Call: Sendable, Equatable {
            case capture(Model.Charge)
            case refund(String, payer: String)
        }

        private struct Contents {
            var calls: [Call] = []
            var failure: Model.Failure?
            var receipt: String?
            var refunded: Int64 = 100
            var hold: @Sendable () async -> Void = {}
            var behind: (any IService)?
            var failures: [String: Model.Failure] = [:]
        }
        private let contents = Mutex(Contents())

        public init() {}

        public var calls: [Call] { contents.withLock { $0.calls } }

        /// What every later call fails with; `nil` lets them succeed again.
        public func fail(_ failure: Model.Failure?) { contents.withLock { $0.failure = failure } }

        /// What every later call for this order fails with, whatever becomes of the others.
        public func fail(_ failure: Model.Failure?, for orderId: String) { contents.withLock { $0.failures[orderId] = failure } }

        /// The service that answers every later call that does not fail here.
        public func pass(to service: any IService) { contents.withLock { $0.behind = service } }

        /// The id of every later receipt; `nil` makes one of the order's.
        public func answer(receipt: String?) { contents.withLock { $0.receipt = receipt } }

        /// What every later refund is said to have been, in cents.
        public func answer(refunded: Int64) { contents.withLock { $0.refunded = refunded } }

        /// Awaited before every later call is answered, or fails.
        public func hold(_ hold: @escaping @Sendable () async -> Void) { contents.withLock { $0.hold = hold } }

        public func capture(_ charge: Model.Charge) async throws(Model.Failure) -> Model.Receipt {
            try await note(.capture(charge), charge.orderId)
            if let behind = contents.withLock({ $0.behind }) { return try await behind.capture(charge) }
            return Model.Receipt(
                id: contents.withLock { $0.receipt } ?? "r-\(charge.orderId)", orderId: charge.orderId, payer: charge.payer, amount: charge.amount)
        }

        public func refund(orderId: String, payer: String) async throws(Model.Failure) -> Int64 {
            try await note(.refund(orderId, payer: payer), orderId)
            if let behind = contents.withLock({ $0.behind }) { return try await behind.refund(orderId: orderId, payer: payer) }
            return contents.withLock { $0.refunded }
        }

        private func note(_ call: Call, _ orderId: String) async throws(Model.Failure) {
            let (failure, hold) = contents.withLock { contents in
                contents.calls.append(call)
                return (contents.failures[orderId] ?? contents.failure, contents.hold)
            }
            await hold()
            if let failure { throw failure }
        }
    }
}
