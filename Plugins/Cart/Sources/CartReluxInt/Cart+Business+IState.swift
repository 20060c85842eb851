public import CartModels
public import Relux

extension Cart.Business {
    /// The cart. It survives a crash and an upgrade; consumers observe its snapshots through the relay.
    public protocol IState: Relux.HybridState, SnapshotProviding<Cart.Business.Snapshot> {
        /// Whose it is, what is in it and what was wanted of it, as of one moment: two reads are of two.
        var contents: Model.Contents { get }
        var userId: String? { get }
        var lines: [Model.Line] { get }
        /// What this user wanted to buy under this id, if that was lately and the cart is theirs.
        func wish(_ id: String, of userId: String) -> Model.Wish?
        /// How many pieces were there when what came with this ticket was too much; nil when it was not. It is said once.
        func refusal(of ticket: UInt64) -> Int?
    }

    public struct Snapshot: Relux.SharedSnapshot {
        public let userId: String?
        /// In the order in which they were first added.
        public let lines: [Cart.Business.Model.Line]
        /// Cents.
        public let total: Int64
        /// Why the last operation was refused; nil after one that was not.
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
