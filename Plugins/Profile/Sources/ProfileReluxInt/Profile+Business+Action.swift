public import ProfileModels
public import Relux

extension Profile.Business {
    /// What the flow tells its state.
    public enum Action: Relux.Action {
        case shown(profile: Profile.Business.Model.UserProfile)
        case hidden
        case failed(error: Profile.Business.Model.Failure)
    }
}
