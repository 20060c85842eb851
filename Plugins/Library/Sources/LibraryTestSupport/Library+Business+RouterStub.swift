public import LibraryModels
public import LibraryReluxInt
public import Relux

extension Library.Business {
    /// A router whose actions do nothing but appear in a test's log.
    public struct RouterStub: IRouter {
        public enum Action: Relux.Action, Equatable {
            case set(Library.UI.Model.Page)
        }

        public init() {}

        public func setLibraryPage(_ page: Library.UI.Model.Page) -> any Relux.Action { Action.set(page) }
    }
}
