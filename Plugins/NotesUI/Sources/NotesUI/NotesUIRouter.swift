public import NotesReluxInt
public import NotesUIAPI
public import Relux

/// The views of Notes, made from relayed snapshots; what is typed becomes effects of Notes' interface.
public struct NotesUIRouter: NotesUIProviding {
    let dispatcher: Relux.Dispatcher
    let state: Notes.UI.ViewState
    /// Makes the ids of new notes.
    let makeID: @Sendable () -> String

    /// - Parameter dispatcher: of the module `NotesUI`, or of any node that relays the snapshot of Notes.
    @MainActor
    public init(dispatcher: Relux.Dispatcher) {
        self.init(dispatcher: dispatcher) { "ui-" + String(UInt64.random(in: .min ... .max), radix: 16) }
    }

    @MainActor
    init(dispatcher: Relux.Dispatcher, makeID: @escaping @Sendable () -> String) {
        self.dispatcher = dispatcher
        self.makeID = makeID
        state = Notes.UI.ViewState(dispatcher)
    }

    @MainActor
    public func view(for page: Notes.UI.Model.Page) -> Notes.UI.View {
        switch page {
        case .list: list
        case .tip: tip
        case .details(let id): details(of: id)
        }
    }
}

extension NotesUIRouter {
    @MainActor
    private var list: Notes.UI.View {
        let lines: [String]
        if let snapshot = state.snapshot {
            let found = Set(snapshot.found)
            lines = snapshot.entries.enumerated().map { index, entry in
                "\(found.contains(entry.id) ? "*" : " ") \(index + 1)  \(entry.title)"
            }
        } else {
            lines = ["Notes have not spoken yet."]
        }
        return Notes.UI.View(
            title: heading, lines: lines + notice, help: "add TITLE[: BODY] · open N · find WORDS · delete N · quit")
    }

    @MainActor
    private var tip: Notes.UI.View {
        Notes.UI.View(
            title: heading, lines: ["There are no notes yet. What is written here is found by its words, on every device."] + notice,
            help: "add TITLE[: BODY] · back · quit")
    }

    @MainActor
    private func details(of id: String) -> Notes.UI.View {
        let entry = state.snapshot?.entries.first { $0.id.utf8.elementsEqual(id.utf8) }
        let body = state.opened[id]?.body.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
        return Notes.UI.View(title: entry?.title ?? "This note is gone.", lines: body + notice, help: "back · quit")
    }

    @MainActor
    private var heading: String {
        let owner = state.snapshot.map { $0.userId.map { "Notes of \($0)" } ?? "Notes: nobody is logged in" } ?? "Notes"
        return state.isStale ? owner + " (stale: Notes are not there)" : owner
    }

    @MainActor
    private var notice: [String] { state.notice.isEmpty ? [] : ["", state.notice] }
}
