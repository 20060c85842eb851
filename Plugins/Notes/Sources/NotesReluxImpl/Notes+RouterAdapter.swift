internal import NavigationModels
internal import NavigationReluxInt
internal import NotesModels
internal import NotesReluxInt
internal import Relux

extension Notes {
    /// Notes' pages as effects of Navigation, so that the way there leads across processes.
    struct RouterAdapter: Notes.Business.IRouter {
        func setNotesPage(_ page: Notes.UI.Model.Page) -> any Relux.Action {
            switch page {
            case .list: Navigation.Business.Effect.set(pages: [Self.main, Self.list])
            case .tip: Navigation.Business.Effect.push(page: .init(domain: "notes", name: "tip"))
            case .details(let id):
                Navigation.Business.Effect.set(
                    pages: [Self.main, Self.list, .init(domain: "notes", name: "details", parameters: ["id": id])]
                )
            }
        }

        private static let main = Navigation.Business.Model.Page(domain: "app", name: "main")
        private static let list = Navigation.Business.Model.Page(domain: "notes", name: "list")
    }
}
