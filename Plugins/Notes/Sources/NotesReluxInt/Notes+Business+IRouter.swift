public import NotesModels
public import Relux

extension Notes.Business {
    /// Where Notes sends the user. The composition root says how.
    public protocol IRouter: Sendable {
        func setNotesPage(_ page: Notes.UI.Model.Page) -> any Relux.Action
    }
}

extension Notes.UI.Model {
    public enum Page: Sendable, Equatable, Codable {
        case list
        /// What notes are good for, for those who have none.
        case tip
        case details(id: String)
    }
}
