import NavigationModels
import NavigationReluxInt
import NotesModels
@testable import NotesReluxImpl
import NotesReluxInt
import NotesServiceInt
import NotesTestSupport
import Relux
import ReluxIoC
import ReluxTestKit
import ReluxTestTraits
import Testing

@MainActor
@Suite(.noRefusals) struct NotesFlowTests {
    typealias Effect = Notes.Business.Effect
    typealias Note = Notes.Business.Model.Note
    typealias Report = Notes.Business.Model.SyncReport
    typealias Router = Notes.Business.RouterStub

    let milk = Note(id: "n1", title: "milk", revision: 1)
    let bread = Note(id: "n2", title: "Bread", revision: 1)
    let context = Effect.SyncContext(isAuthenticated: true, userId: "u1")
    let service: Notes.Business.ServiceMock
    let recorder = RecordingLogger()
    let node: Relux

    init() async throws {
        service = Notes.Business.ServiceMock(notes: ["u1": [milk, bread]])
        node = Relux(logger: recorder)
        let ioc = Notes.Module.buildIoC(router: Router(), directory: "/nowhere")
        ioc.register((any Notes.Business.IService).self, withReplacement: true) { [service] in service }
        try await node.add(Notes.Module(ioc: ioc))
    }

    func notes() async -> [Note]? {
        await node.store.getState(Notes.Business.State.self)?.notes
    }

    @Test func `a synchronisation opens the notes of its context and answers with its report`() async {
        service.report(Report(pushed: 1, pulled: 2))
        let result = await node.dispatcher.actions { Effect.sync(context: context) }
        #expect(result.value(Report.self, from: "Notes") == Report(pushed: 1, pulled: 2))
        #expect(await notes() == [bread, milk])
        #expect(recorder.told("Notes.Business.Effect.synced") == 1)
    }

    @Test(arguments: [
        Effect.SyncContext(isAuthenticated: false, userId: "u1"), Effect.SyncContext(isAuthenticated: true, userId: nil),
    ])
    func `a synchronisation without a session closes the notes`(nobody: Effect.SyncContext) async {
        await node.dispatcher.actions { Effect.sync(context: context) }
        let result = await node.dispatcher.actions { Effect.sync(context: nobody) }
        #expect(result.failures.map(\.code) == ["notAuthenticated"])
        #expect(await notes() == [])
    }

    @Test(arguments: [
        Effect.upsert(id: "n", title: "t", body: "b"), .delete(id: "n1"), .list, .search(query: "milk"),
    ])
    func `while no notes are open everything is refused`(effect: Effect) async {
        let result = await node.dispatcher.actions { effect }
        #expect(result.failures.map(\.code) == ["notAuthenticated"])
        #expect(service.calls.isEmpty)
        #expect(recorder.told("Notes.Business.Effect.notesFailed") == 1)
    }

    @Test func `a saved note is shown in its place, told and answered`() async {
        await node.dispatcher.actions { Effect.sync(context: context) }
        let result = await node.dispatcher.actions { Effect.upsert(id: "n3", title: "Cheese", body: "") }
        #expect(result.value(Note.self, from: "Notes")?.revision == 1)
        #expect(await notes()?.map(\.id) == ["n2", "n3", "n1"])
        #expect(recorder.told("Notes.Business.Effect.upserted") == 1)
        #expect(recorder.all(Router.Action.self) == [.set(.details(id: "n3"))])
    }

    @Test func `a deleted note is shown no more`() async {
        await node.dispatcher.actions { Effect.sync(context: context) }
        await node.dispatcher.actions { Effect.delete(id: "n1") }
        #expect(await notes() == [bread])
        #expect(recorder.told("Notes.Business.Effect.deleted") == 1)
    }

    @Test func `list and search answer with notes`() async {
        await node.dispatcher.actions { Effect.sync(context: context) }
        let all = await node.dispatcher.actions { Effect.list }
        #expect(all.value([Note].self, from: "Notes")?.count == 2)
        let found = await node.dispatcher.actions { Effect.search(query: "milk") }
        #expect(found.value([Note].self, from: "Notes") == [milk])
    }

    @Test func `closing hides the notes and leaves what is stored`() async throws {
        await node.dispatcher.actions { Effect.sync(context: context) }
        await node.dispatcher.actions { Effect.close }
        #expect(await notes() == [])
        #expect(try await service.list(userId: "u1").count == 2)
    }

    @Test func `deleting all notes of the open user closes them`() async {
        await node.dispatcher.actions { Effect.sync(context: context) }
        await node.dispatcher.actions { Effect.deleteAll(userId: "u2") }
        #expect(await notes()?.count == 2)
        await node.dispatcher.actions { Effect.deleteAll(userId: "u1") }
        #expect(await notes() == [])
    }

    @Test func `what another user saved meanwhile is not shown`() async {
        let state = Notes.Business.State(svc: service)
        await state.reduce(with: Notes.Business.Action.opened(userId: "u2", notes: []))
        await state.reduce(with: Notes.Business.Action.saved(note: milk, userId: "u1"))
        #expect(await state.notes == [])
    }

    @Test func `the next life goes on with whose notes were open, and with what is stored of them`() async {
        let state = Notes.Business.State(svc: service)
        await state.reduce(with: Notes.Business.Action.opened(userId: "u1", notes: []))
        let next = Notes.Business.State(svc: service)
        await next.restore(await state.stored)
        #expect(await next.userId == "u1")
        #expect(await next.notes == [bread, milk])
        await state.reduce(with: Effect.close)
        let last = Notes.Business.State(svc: service)
        await last.restore(await state.stored)
        #expect(await last.userId == nil)
    }

    @Test func `a failure of the storage is told and tracked`() async {
        service.fail(.init(code: .storage, message: "no disk"))
        await node.dispatcher.actions { Effect.sync(context: context) }
        #expect(recorder.told("Notes.Business.Effect.notesFailed") == 1)
        #expect(recorder.told("ErrorHandling.Business.Effect.track") == 1)
    }
}
