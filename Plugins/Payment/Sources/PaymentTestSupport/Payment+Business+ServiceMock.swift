public import PaymentModels
public import PaymentServiceInt
internal import Synchronization

extension Payment.Business {
    /// A payment service that does what a test has set, and records what it was asked.
    public final class ServiceMock: IService {
        public enum Call: Sendable, Equatable {
            case capture(Model.Charge)
            case refund(String)
        }

        private struct Contents {
            var calls: [Call] = []
            var failure: Model.Failure?
            var receipt: String?
            var failures: [String: Model.Failure] = [:]
        }
        private let contents = Mutex(Contents())

        public init() {}

        public var calls: [Call] { contents.withLock { $0.calls } }

        /// What every later call fails with; `nil` lets them succeed again.
        public func fail(_ failure: Model.Failure?) { contents.withLock { $0.failure = failure } }

        /// What every later call for this order fails with, whatever becomes of the others.
        public func fail(_ failure: Model.Failure?, for orderId: String) { contents.withLock { $0.failures[orderId] = failure } }

        /// The id of every later receipt; `nil` makes one of the order's.
        public func answer(receipt: String?) { contents.withLock { $0.receipt = receipt } }

        public func capture(_ charge: Model.Charge) async throws(Model.Failure) -> Model.Receipt {
            try note(.capture(charge), charge.orderId)
            return Model.Receipt(id: contents.withLock { $0.receipt } ?? "r-\(charge.orderId)", orderId: charge.orderId, amount: charge.amount)
        }

        public func refund(orderId: String) async throws(Model.Failure) -> Int64 {
            try note(.refund(orderId), orderId)
            return 100
        }

        private func note(_ call: Call, _ orderId: String) throws(Model.Failure) {
            let failure = contents.withLock { contents in
                contents.calls.append(call)
                return contents.failures[orderId] ?? contents.failure
            }
            if let failure { throw failure }
        }
    }
}
