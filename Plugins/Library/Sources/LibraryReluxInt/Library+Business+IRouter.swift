public import LibraryModels
public import Relux

extension Library.Business {
    /// Where the library sends the user. The composition root says how.
    public protocol IRouter: Sendable {
        func setLibraryPage(_ page: Library.UI.Model.Page) -> any Relux.Action
    }
}

extension Library.UI.Model {
    public enum Page: Sendable, Equatable, Codable {
        case files
        case player(id: String)
    }
}
