public import PaymentModels
public import Relux

extension Payment.Business {
    /// The due refunds. They survive a crash and an upgrade; consumers observe snapshots through the relay.
    public protocol IState: Relux.HybridState, SnapshotProviding<Payment.Business.Snapshot> {
        /// In the order in which they became due.
        var due: [Model.Debt] { get }
    }

    public struct Snapshot: Relux.SharedSnapshot {
        /// Orders with a refund that is due or not acknowledged; sorted.
        public let due: [String]
        /// Why the last operation failed; nil after a success.
        public let failure: Payment.Business.Model.Failure?

        public init(due: [String] = [], failure: Payment.Business.Model.Failure? = nil) {
            self.due = due
            self.failure = failure
        }
    }
}
