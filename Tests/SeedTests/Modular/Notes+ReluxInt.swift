// Seed 3, `<Domain>ReluxInt` and `<Domain>ServiceInt` for Notes. The router protocol is as printed.
import Relux

extension Notes.UI {
    public enum Model {
        public enum Page: Sendable, Equatable { case list, details(id: Int) }
    }
}

extension Notes.Business {
    public protocol IRouter: Sendable {
        func setNotesPage(_ page: Notes.UI.Model.Page) -> any Relux.Action
        func pushMain() -> any Relux.Action
    }

    // What the seed's module template needs and does not print.
    public protocol IState: Relux.BusinessState { var count: Int { get async } }
    public protocol ISaga: Relux.Saga {}
    public protocol IService: Sendable { func add() async -> Int }

    public enum Command: Relux.Effect { case create }
    public enum Action: Relux.Action { case created(Int) }
}
