public import AuthModels
public import AuthReluxInt
public import Relux

extension Auth.Business {
    /// A router whose actions do nothing but appear in a test's log.
    public struct RouterStub: IRouter {
        public enum Action: Relux.Action, Equatable {
            case set(Auth.UI.Model.Page)
            case main
        }

        public init() {}

        public func setAuthPage(_ page: Auth.UI.Model.Page) -> any Relux.Action { Action.set(page) }
        public func pushMain() -> any Relux.Action { Action.main }
    }
}
