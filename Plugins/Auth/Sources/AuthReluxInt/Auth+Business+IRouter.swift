public import AuthModels
public import Relux

extension Auth.Business {
    /// Where Auth sends the user. The composition root says how.
    public protocol IRouter: Sendable {
        func setAuthPage(_ page: Auth.UI.Model.Page) -> any Relux.Action
        func pushMain() -> any Relux.Action
    }
}

extension Auth.UI.Model {
    public enum Page: String, Sendable, Equatable, Codable {
        case login
        case register
    }
}
