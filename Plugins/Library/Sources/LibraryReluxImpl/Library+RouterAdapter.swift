internal import LibraryModels
internal import LibraryReluxInt
internal import NavigationModels
internal import NavigationReluxInt
internal import Relux

extension Library {
    /// The library's pages as effects of Navigation, so that the way there leads across processes.
    struct RouterAdapter: Library.Business.IRouter {
        func setLibraryPage(_ page: Library.UI.Model.Page) -> any Relux.Action {
            switch page {
            case .files: Navigation.Business.Effect.set(pages: [Self.main, Self.files])
            case .player(let id):
                Navigation.Business.Effect.set(
                    pages: [Self.main, Self.files, .init(domain: "library", name: "player", parameters: ["id": id])])
            }
        }

        private static let main = Navigation.Business.Model.Page(domain: "app", name: "main")
        private static let files = Navigation.Business.Model.Page(domain: "library", name: "files")
    }
}
