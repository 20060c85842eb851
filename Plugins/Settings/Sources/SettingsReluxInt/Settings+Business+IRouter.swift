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
        /// What there is to set, for those who are here for the first time.
        case onboarding
    }
}
