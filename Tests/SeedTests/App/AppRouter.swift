// Seed 3, "Router Protocol Pattern": the app's side. The adapter is as printed; the router it leads to is ours.
import Relux

enum AppRouter {
    enum Page: Sendable, Equatable {
        case app(page: AppPage)
        case notes(page: Notes.UI.Model.Page)
    }
    enum AppPage: Sendable { case main }

    enum Action: Relux.Action, Equatable {
        case set([Page])
        case push(Page)
    }

    actor State: Relux.BusinessState {
        private(set) var pages: [Page] = []
        func reduce(with action: any Relux.Action) async {
            switch action as? Action {
            case .set(let pages): self.pages = pages
            case .push(let page): pages.append(page)
            case nil: break
            }
        }
    }
}

struct NotesRouterAdapter: Notes.Business.IRouter {
    func setNotesPage(_ page: Notes.UI.Model.Page) -> any Relux.Action {
        AppRouter.Action.set([.notes(page: page)])
    }
    
    func pushMain() -> any Relux.Action {
        AppRouter.Action.push(.app(page: .main))
    }
}
