public import AuthModels
public import Relux

extension Auth.Business {
    /// Requests to Auth, and its news.
    public enum Effect: Relux.Effect {
        /// Makes an account and logs it in; answers with the user id.
        case register(name: String, password: Secret<String>)
        /// Answers with the user id.
        case login(name: String, password: Secret<String>)
        /// Ends the session. Without one nothing happens.
        case logout
        /// Ends the session, together with what orchestrators do for it in other domains.
        case runLogoutFlow
        /// Ends a session that was refused elsewhere, and shows the login page. Orchestrators send it.
        case forceReauthentication
        /// Asks whether the session is still accepted. If so `authSucceeded` is told again and the answer is the user id; if not,
        /// the session ends.
        case validateSession
        /// Deletes the account of the session; answers with the user id.
        case deleteAccount

        /// A session is open.
        case authSucceeded(userId: String)
        case authFailed(error: Auth.Business.Model.Failure)
        /// The session has ended.
        case loggedOut
        /// The account is gone. What others keep about the user should go too.
        case accountDeleted(userId: String)
    }
}
