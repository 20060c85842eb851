public import Relux
public import SettingsModels
public import SettingsReluxInt

extension Settings.Business {
    /// A router whose actions do nothing but appear in a test's log.
    public struct RouterStub: IRouter {
        public enum Action: Relux.Action, Equatable {
            case set(Settings.UI.Model.Page)
        }

        public init() {}

        public func setSettingsPage(_ page: Settings.UI.Model.Page) -> any Relux.Action { Action.set(page) }
    }
}
