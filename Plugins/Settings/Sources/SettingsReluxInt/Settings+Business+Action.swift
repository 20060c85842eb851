public import Relux
public import SettingsModels

extension Settings.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case activated(userId: String, values: Settings.Business.Model.Values)
        case failed(error: Settings.Business.Model.Failure)
    }
}
