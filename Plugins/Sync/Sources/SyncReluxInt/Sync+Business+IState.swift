public import Relux
public import SyncModels

extension Sync.Business {
    /// What waits to be sent. It survives a crash and an upgrade; consumers observe snapshots through the relay.
    public protocol IState: Relux.HybridState, SnapshotProviding<Sync.Business.Snapshot> {
        var userId: String? { get }
        /// The changes of the user who is followed, oldest first.
        var waiting: [Model.Item] { get }
    }

    public struct Snapshot: Relux.SharedSnapshot {
        public let userId: String?
        /// Items of the user that wait.
        public let waiting: Int
        /// Why the last round failed; nil after a success.
        public let failure: Sync.Business.Model.Failure?

        public init(userId: String? = nil, waiting: Int = 0, failure: Sync.Business.Model.Failure? = nil) {
            self.userId = userId
            self.waiting = waiting
            self.failure = failure
        }
    }
}
