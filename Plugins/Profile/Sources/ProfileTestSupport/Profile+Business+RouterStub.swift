public import ProfileModels
public import ProfileReluxInt
public import Relux

extension Profile.Business {
    /// A router whose actions do nothing but appear in a test's log.
    public struct RouterStub: IRouter {
        public enum Action: Relux.Action, Equatable {
            case set(Profile.UI.Model.Page)
            case main
        }

        public init() {}

        public func setProfilePage(_ page: Profile.UI.Model.Page) -> any Relux.Action { Action.set(page) }
        public func pushMain() -> any Relux.Action { Action.main }
    }
}
