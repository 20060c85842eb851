public import Relux
public import SyncModels

extension Sync.Business {
    /// What can be asked of Sync, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Changes belong to this user from now on; sends the items of theirs that wait.
        case start(userId: String)
        case stop
        /// Remembers that something has changed, until a round has sent it.
        case enqueue(item: Sync.Business.Model.Item)
        /// Sends what waits; answers with the report.
        case run
        /// Forgets what waits of a user, and what was sent.
        case deleteAll(userId: String)

        case completed(userId: String, report: Sync.Business.Model.Report)
        case syncFailed(error: Sync.Business.Model.Failure)
    }
}
