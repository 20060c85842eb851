public import PaymentModels
public import Relux

extension Payment.Business {
    /// What has to be given back still. It survives a crash and an upgrade; consumers observe snapshots through the relay.
    public protocol IState: Relux.HybridState, SnapshotProviding<Payment.Business.Snapshot> {
        /// In the order in which they became due.
        var due: [Model.Debt] { get }
    }

    public struct Snapshot: Relux.SharedSnapshot {
        /// Orders whose money has to go back, or has and nobody has acknowledged it; sorted.
        public let due: [String]
        /// Why the last operation failed; nil after one that did not.
        public let failure: Payment.Business.Model.Failure?

        public init(due: [String] = [], failure: Payment.Business.Model.Failure? = nil) {
            self.due = due
            self.failure = failure
        }
    }
}
