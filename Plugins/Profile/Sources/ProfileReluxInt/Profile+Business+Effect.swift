public import ProfileModels
public import Relux

extension Profile.Business {
    /// What can be asked of Profile, and what it tells others.
    public enum Effect: Relux.Effect {
        /// Loads and shows a profile; answers with it.
        case fetchProfile(userId: String)
        /// Saves a profile; answers with it.
        case updateProfile(userId: String, displayName: String, about: String)
        /// Empties the fields of what is stored; answers with what is left.
        case resetProfile(userId: String)
        /// Removes what is stored about the user.
        case deleteProfile(userId: String)
        /// Shows no profile any more. What is stored stays.
        case clearProfile

        case profileFetched(profile: Profile.Business.Model.UserProfile)
        /// Nothing could be loaded; `error.isAuthError` says whether logging in again may help.
        case profileFetchFailed(error: Profile.Business.Model.Failure)
        case profileUpdated(profile: Profile.Business.Model.UserProfile)
        case profileUpdateFailed(error: Profile.Business.Model.Failure)
        case profileDeleted(userId: String)
    }
}
