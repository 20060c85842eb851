public import CheckoutModels
public import Relux

extension Checkout.Business {
    /// The purchases of this run. Consumers observe its snapshots through the relay.
    public protocol IState: Relux.HybridState, SnapshotProviding<Checkout.Business.Snapshot> {}

    public struct Snapshot: Relux.SharedSnapshot {
        public struct Entry: Sendable, Equatable, Codable {
            public let orderId: String
            public let phase: Checkout.Business.Model.Phase
            public let reason: String

            public init(_ purchase: Checkout.Business.Model.Purchase) {
                orderId = purchase.id
                phase = purchase.phase
                reason = purchase.reason
            }
        }

        /// The latest 32, in the order in which they changed.
        public let entries: [Entry]
        /// Why the last operation was refused; nil after a success.
        public let failure: Checkout.Business.Model.Failure?

        public init(entries: [Entry] = [], failure: Checkout.Business.Model.Failure? = nil) {
            self.entries = entries
            self.failure = failure
        }
    }
}
