// Seed 3, "UI Package (Optional)", for Notes.
#if canImport(SwiftUI)
import SwiftUI

public protocol NotesUIProviding: Sendable {
    @MainActor
    func view(for page: Notes.UI.Model.Page) -> AnyView
}

public struct NotesUIRouter: NotesUIProviding {
    @MainActor
    public func view(for page: Notes.UI.Model.Page) -> AnyView {
        switch page {
            case .list: AnyView(Text("notes"))
            case .details(let id): AnyView(Text("note \(id)"))
        }
    }
}
#endif
