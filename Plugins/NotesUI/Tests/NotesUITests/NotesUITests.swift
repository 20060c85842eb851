import NotesReluxInt
@testable import NotesUI
import NotesUIAPI
import Relux
import ReluxTestKit
import Testing

/// Against a stand-in of Notes that says and hears what their interface has: the views know nothing more.
@MainActor
@Suite struct NotesUITests {
    typealias Effect = Notes.Business.Effect
    typealias Note = Notes.Business.Model.Note
    typealias Snapshot = Notes.Business.Snapshot

    let node = Relux()
    let notes = StandIn()
    let router: NotesUIRouter

    init() async throws {
        try await node.add(StandIn.Module(notes))
        router = NotesUIRouter(dispatcher: node.dispatcher) { "new" }
    }

    func view(_ page: Notes.UI.Model.Page = .list) -> Notes.UI.View { router.view(for: page) }

    @Test func `the list shows titles by number, and marks what was found`() async {
        await notes.show(Snapshot(userId: "u1", entries: [.init(id: "a", title: "Apples"), .init(id: "b", title: "Bread")], found: ["b"]))
        #expect(view().title == "Notes of u1")
        #expect(view().lines == ["  1  Apples", "* 2  Bread"])
    }

    @Test func `who has no notes is told what they are good for`() async {
        await notes.show(Snapshot(userId: "u1"))
        #expect(view(.tip).lines.first?.contains("no notes yet") == true)
        #expect(await router.enter("back", on: .tip) == .list)
    }

    @Test func `what is typed becomes effects of Notes, and their snapshot shows them`() async {
        await notes.show(Snapshot(userId: "u1"))
        #expect(await router.enter("add Milk: two bottles", on: .list) == .list)
        #expect(notes.heard == [#"upsert(id: "new", title: "Milk", body: "two bottles")"#])
        await notes.shown { $0.entries.count == 1 }
        #expect(view().lines == ["  1  Milk"])
        #expect(await router.enter("open 1", on: .list) == .details(id: "new"))
        #expect(view(.details(id: "new")) == .init(title: "Milk", lines: ["two bottles"], help: "back · quit"))
        #expect(await router.enter("back", on: .details(id: "new")) == .list)
        _ = await router.enter("find bottles", on: .list)
        _ = await router.enter("delete 1", on: .list)
        #expect(notes.heard.suffix(2) == [#"search(query: "bottles")"#, #"delete(id: "new")"#])
    }

    @Test func `what is refused is said with Notes' own words`() async {
        notes.refuse("nobody is logged in; log in first")
        _ = await router.enter("add Milk", on: .list)
        #expect(view().lines.last == "nobody is logged in; log in first")
        _ = await router.enter("", on: .list)
        #expect(view().lines.contains { $0.contains("logged in") } == false)
    }

    @Test(arguments: ["dance", "add", "open 7", "open x", "delete", "delete -1", "open -9223372036854775808", "delete 99999999999999999999", "find"])
    func `a line that says nothing is named and does nothing`(line: String) async {
        await notes.show(Snapshot(userId: "u1"))
        #expect(await router.enter(line, on: .list) == .list)
        #expect(notes.heard.isEmpty && view().lines.count == 2)
    }

    @Test func `without Notes the view says so, and nothing traps`() async {
        let router = NotesUIRouter(dispatcher: Relux().dispatcher)
        #expect(router.view(for: .list).title.contains("stale"))
        #expect(router.view(for: .list).lines == ["Notes have not spoken yet."])
        _ = await router.enter("add Milk", on: .list)
        #expect(router.view(for: .list).lines.last?.contains("there are no Notes") == true)
        #expect(router.view(for: .details(id: "x")).title == "This note is gone.")
    }

    @Test func `the module asks, and handles and keeps nothing`() {
        let module = Notes.UI.Module()
        #expect(module.moduleID == "NotesUI" && module.states.isEmpty && module.sagas.isEmpty && module.relays.isEmpty)
        #expect(module.handles?.isEmpty == true && module.emits?.map { $0.wireTopic } == [Effect.wireTopic])
    }
}

/// Notes as their interface tells of them.
@MainActor
final class StandIn: Relux.HybridState, SnapshotProviding {
    private(set) var current = Notes.Business.Snapshot()
    private(set) var heard: [String] = []
    private var bodies: [Notes.Business.Model.Note] = []
    private var refusal: String?
    private var readers: [AsyncStream<Notes.Business.Snapshot>.Continuation] = []
    private weak var relay: Relux.UI.StateRelay<Notes.Business.Snapshot>?

    nonisolated init() {}

    var snapshots: AsyncStream<Notes.Business.Snapshot> {
        let (stream, continuation) = AsyncStream.makeStream(of: Notes.Business.Snapshot.self)
        readers.append(continuation)
        return stream
    }

    func refuse(_ message: String) { refusal = message }

    /// Returns when the relay shows it.
    func show(_ snapshot: Notes.Business.Snapshot) async {
        current = snapshot
        for reader in readers { reader.yield(snapshot) }
        await shown { $0 == snapshot }
    }

    func shown(_ isWanted: @escaping (Notes.Business.Snapshot) -> Bool) async {
        let (stream, continuation) = AsyncStream.makeStream(of: Notes.Business.Snapshot.self)
        relay?.observe { continuation.yield($0) }
        for await snapshot in stream where isWanted(snapshot) { return }
    }

    func reduce(with action: any Relux.Action) async {}

    fileprivate func answer(_ effect: Notes.Business.Effect) async -> Relux.ActionResult {
        if let refusal { return .failure(Relux.Failure(domain: "Notes", code: "notAuthenticated", message: refusal)) }
        if case .list = effect { return .success(bodies) }
        heard.append("\(effect)")
        guard case .upsert(let id, let title, let body) = effect else { return .success }
        bodies.append(.init(id: id, title: title, body: body))
        current = Notes.Business.Snapshot(userId: current.userId, entries: bodies.map { .init(id: $0.id, title: $0.title) })
        for reader in readers { reader.yield(current) }
        return .success
    }

    struct Module: Relux.Module {
        let moduleID: ModuleID = "Notes"
        let states: [any Relux.AnyState]
        let sagas: [any Relux.Saga]
        let relays: [any Relux.StateRelaying]

        @MainActor
        init(_ state: StandIn) {
            let relay = Relux.UI.StateRelay(state)
            state.relay = relay
            (states, sagas, relays) = ([state], [Flow(state)], [relay])
        }
    }

    actor Flow: Relux.Flow {
        private let state: StandIn
        init(_ state: StandIn) { self.state = state }
        func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
            guard let effect = effect as? Notes.Business.Effect else { return .success }
            return await state.answer(effect)
        }
    }
}
