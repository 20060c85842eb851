internal import NavigationModels
internal import NavigationReluxInt
internal import Relux
internal import SettingsModels
internal import SettingsReluxInt

extension Settings {
    /// Settings' pages as effects of Navigation, so that the way there leads across processes.
    struct RouterAdapter: Settings.Business.IRouter {
        func setSettingsPage(_ page: Settings.UI.Model.Page) -> any Relux.Action {
            Navigation.Business.Effect.push(page: .init(domain: "settings", name: page.rawValue))
        }
    }
}
