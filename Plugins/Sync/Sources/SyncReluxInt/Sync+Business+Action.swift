public import Relux
public import SyncModels

extension Sync.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case sent(items: [Sync.Business.Model.Item], userId: String)
        case failed(error: Sync.Business.Model.Failure)
    }
}
