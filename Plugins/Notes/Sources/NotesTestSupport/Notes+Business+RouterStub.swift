public import NotesModels
public import NotesReluxInt
public import Relux

extension Notes.Business {
    /// A router whose actions do nothing but appear in a test's log.
    public struct RouterStub: IRouter {
        public enum Action: Relux.Action, Equatable {
            case set(Notes.UI.Model.Page)
        }

        public init() {}

        public func setNotesPage(_ page: Notes.UI.Model.Page) -> any Relux.Action { Action.set(page) }
    }
}
