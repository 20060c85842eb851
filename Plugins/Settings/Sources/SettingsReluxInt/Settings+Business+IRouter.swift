public import Relux
public import SettingsModels

extension Settings.Business {
    /// Where Settings sends the user. The composition root says how.
    public protocol IRouter: Sendable {
        func setSettingsPage(_ page: Settings.UI.Model.Page) -> any Relux.Action
    }
}

extension Settings.UI.Model {
    public enum Page: String, Sendable, Equatable, Codable {
        case list
        /// The settings, for a user who is here for the first time.
        case onboarding
    }
}
