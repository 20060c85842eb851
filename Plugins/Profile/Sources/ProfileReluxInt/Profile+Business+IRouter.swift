public import ProfileModels
public import Relux

extension Profile.Business {
    /// Where Profile sends the user. The composition root says how.
    public protocol IRouter: Sendable {
        func setProfilePage(_ page: Profile.UI.Model.Page) -> any Relux.Action
        func pushMain() -> any Relux.Action
    }
}

extension Profile.UI.Model {
    public enum Page: Sendable, Equatable, Codable {
        case details(userId: String)
        case edit(userId: String)
    }
}
