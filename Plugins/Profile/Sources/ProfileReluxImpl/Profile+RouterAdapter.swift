internal import NavigationModels
internal import NavigationReluxInt
internal import ProfileModels
internal import ProfileReluxInt
internal import Relux

extension Profile {
    /// Profile's pages as effects of Navigation, so that the way there leads across processes.
    struct RouterAdapter: Profile.Business.IRouter {
        func setProfilePage(_ page: Profile.UI.Model.Page) -> any Relux.Action {
            Navigation.Business.Effect.set(pages: [Self.main, Self.page(page)])
        }

        func pushMain() -> any Relux.Action {
            Navigation.Business.Effect.push(page: Self.main)
        }

        private static let main = Navigation.Business.Model.Page(domain: "app", name: "main")

        private static func page(_ page: Profile.UI.Model.Page) -> Navigation.Business.Model.Page {
            switch page {
            case .details(let userId): .init(domain: "profile", name: "details", parameters: ["user": userId])
            case .edit(let userId): .init(domain: "profile", name: "edit", parameters: ["user": userId])
            }
        }
    }
}
