public import NotesReluxInt
internal import NotesUIAPI
internal import Relux

extension NotesUIRouter {
    typealias Effect = Notes.Business.Effect
    typealias Page = Notes.UI.Model.Page

    @MainActor
    public func enter(_ line: String, on page: Notes.UI.Model.Page) async -> Notes.UI.Model.Page {
        state.notice = ""
        let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
        guard let verb = words.first else { return page }
        let rest = words.count > 1 ? String(words[1]) : ""
        switch verb {
        case "add" where !rest.isEmpty: await add(rest)
        case "find" where !rest.isEmpty: await send(.search(query: rest))
        case "delete":
            if let entry = entry(rest) { await send(.delete(id: entry.id)) }
        case "open":
            if let entry = entry(rest), await open(entry.id) { return .details(id: entry.id) }
        case "back": return .list
        default: state.notice = "'\(line.prefix(40))' says nothing here; type one of: \(view(for: page).help)"
        }
        return page
    }

    /// `TITLE` or `TITLE: BODY`.
    @MainActor
    private func add(_ text: String) async {
        var (title, body) = (text, "")
        if let colon = text.firstIndex(of: ":") {
            title = String(text[..<colon])
            body = String(text[text.index(after: colon)...].drop { $0 == " " })
        }
        await send(.upsert(id: makeID(), title: title, body: body))
    }

    @MainActor
    private func open(_ id: String) async -> Bool {
        let result = await send(.list)
        guard let note = result.value([Notes.Business.Model.Note].self, from: "Notes")?.first(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return false }
        state.opened[id] = note
        return true
    }

    @MainActor
    private func entry(_ text: String) -> Notes.Business.Snapshot.Entry? {
        let entry = Int(text).flatMap { state.entry($0) }
        if entry == nil { state.notice = "there is no note number '\(text.prefix(20))'; the list has \(state.snapshot?.entries.count ?? 0)" }
        return entry
    }

    /// A refusal is shown as a notice; a success shows in the view.
    @MainActor @discardableResult
    private func send(_ effect: Effect) async -> Relux.ActionResult {
        let result = await dispatcher.actions { effect }
        if let failure = result.failures.first {
            state.notice = failure.message
        } else if !result.outcomes.contains(where: { $0.recipient.module == "Notes" }) {
            // Others may hear the effect too; only Notes can do it.
            state.notice = "nobody took it: there are no Notes in this cluster"
        }
        return result
    }
}
