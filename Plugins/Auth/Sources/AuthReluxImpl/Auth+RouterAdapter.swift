internal import AuthModels
internal import AuthReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux

extension Auth {
    /// Auth's pages as effects of Navigation, so that the way there leads across processes.
    struct RouterAdapter: Auth.Business.IRouter {
        func setAuthPage(_ page: Auth.UI.Model.Page) -> any Relux.Action {
            Navigation.Business.Effect.set(pages: [.init(domain: "auth", name: page.rawValue)])
        }

        func pushMain() -> any Relux.Action {
            Navigation.Business.Effect.push(page: .init(domain: "app", name: "main"))
        }
    }
}
