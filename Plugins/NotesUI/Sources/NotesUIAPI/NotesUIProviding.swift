public import NotesReluxInt

extension Notes.UI {
    /// What a page shows, in the terminal's terms: lines of text.
    public struct View: Sendable, Equatable {
        public var title: String
        public var lines: [String]
        /// What may be typed here.
        public var help: String

        public init(title: String, lines: [String], help: String) {
            self.title = title
            self.lines = lines
            self.help = help
        }
    }
}

/// Gives views for the pages of Notes, and takes what is typed on them.
///
/// Everything that a view reads is observable: the program that shows it asks again after a change.
public protocol NotesUIProviding: Sendable {
    @MainActor
    func view(for page: Notes.UI.Model.Page) -> Notes.UI.View

    /// Does what the line says, and answers with the page to show next. An empty line clears the notice.
    @MainActor
    func enter(_ line: String, on page: Notes.UI.Model.Page) async -> Notes.UI.Model.Page
}
