public import CartModels
public import Relux

extension Cart.Business {
    /// The cart. It survives a crash and an upgrade; consumers observe its snapshots through the relay.
    public protocol IState: Relux.HybridState, SnapshotProviding<Cart.Business.Snapshot> {
        /// The owner, the lines and the requests of one moment; two reads are of two moments.
        var contents: Model.Contents { get }
        var userId: String? { get }
        var lines: [Model.Line] { get }
        /// The user's recent request under this id; nil if the cart is not theirs.
        func wish(_ id: String, of userId: String) -> Model.Wish?
        /// The pieces that were there when the addition with this ticket was refused; nil if it was not refused. Can be read once.
        func refusal(of ticket: UInt64) -> Int?
    }

    public struct Snapshot: Relux.SharedSnapshot {
        public let userId: String?
        /// In the order in which they were first added.
        public let lines: [Cart.Business.Model.Line]
        /// Cents.
        public let total: Int64
        /// Why the last operation was refused; nil after a success.
        public let failure: Cart.Business.Model.Failure?

        public init(
            userId: String? = nil, lines: [Cart.Business.Model.Line] = [], failure: Cart.Business.Model.Failure? = nil
        ) {
            self.userId = userId
            self.lines = lines
            self.total = lines.total
            self.failure = failure
        }
    }
}
