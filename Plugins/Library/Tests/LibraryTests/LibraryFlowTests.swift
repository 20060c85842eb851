import LibraryModels
@testable import LibraryReluxImpl
import LibraryReluxInt
import LibraryServiceInt
import LibraryTestSupport
import Relux
import ReluxIoC
import ReluxTestKit
import ReluxTestTraits
import Testing

/// The module with a mock service: what is asked of it, answered and told.
@MainActor
@Suite(.noRefusals, .timeLimit(.minutes(1))) struct LibraryFlowTests {
    typealias Effect = Library.Business.Effect
    typealias Model = Library.Business.Model
    typealias Router = Library.Business.RouterStub

    let song = Model.File(fileId: "f1", title: "song", byteCount: 3)
    let service: Library.Business.ServiceMock
    let recorder = RecordingLogger()
    let gate = Gate()
    let node: Relux

    init() async throws {
        service = Library.Business.ServiceMock(files: [song], beforeRead: { [gate] in await gate.pass() })
        node = Relux(logger: recorder)
        let ioc = Library.Module.buildIoC(router: Router(), directory: "/nowhere")
        ioc.register((any Library.Business.IService).self, lifecycle: .container, withReplacement: true) { [service] in service }
        try await node.add(Library.Module(ioc: ioc))
    }

    private var state: Library.Business.State? { node.store.getState(Library.Business.State.self) }

    @discardableResult
    private func run(_ effect: Effect) async -> Relux.ActionResult { await node.dispatcher.actions { effect } }

    /// Waits until the effect was told; its site is that of the features' state.
    private func told(_ text: String) async throws {
        try await recorder.wait(for: text) { entries in entries.contains { $0.description.hasPrefix("Library.Business.Effect.\(text)") } }
    }

    @Test func `whom Auth has let in finds their files`() async throws {
        #expect(await run(.open(userId: "u1")).value(String.self, from: "Library") == "u1")
        try await told("opened(userId: u1)")
        #expect(await run(.list).value([Model.File].self, from: "Library") == [song])
        #expect(recorder.all(Router.Action.self) == [.set(.files)])
        #expect(state?.current == .init(userId: "u1", files: [song]))
    }

    @Test func `a sign-in asks whoever knows the accounts, with the password sealed`() async throws {
        #expect(await run(.signIn(name: "ada", password: "lovelace")).isSuccess)
        try await told("loginRequested(name: ada, password: •••)")
        #expect(state?.root.login.isBusy == true)
        await run(.refuseLogin(reason: "wrong"))
        try await told("libraryFailed")
        #expect(state?.current.failure?.message == "wrong")
    }

    @Test(arguments: [Effect.list, .add(id: "f", title: "t", contents: ""), .play(id: "f1"), .stop, .delete(id: "f1")])
    func `while the library is closed everything is refused and told`(effect: Effect) async throws {
        #expect(await run(effect).failures.map(\.code) == ["notAuthenticated"])
        try await told("libraryFailed")
        #expect(service.calls.isEmpty)
    }

    @Test func `a file is added, played to its end and deleted`() async throws {
        await run(.open(userId: "u1"))
        let added = await run(.add(id: "f2", title: "A talk", contents: "hello"))
        #expect(added.value(Model.File.self, from: "Library") == Model.File(fileId: "f2", title: "A talk", byteCount: 5))
        #expect(state?.current.files.map(\.id) == ["f2", "f1"])
        #expect(await run(.play(id: "f2")).value(Model.File.self, from: "Library")?.id == "f2")
        #expect(state?.current.playing == "f2")
        gate.open()
        try await told("played(file: ")
        #expect(state?.current.playing == nil)
        #expect(state?.current.position == 5)
        #expect(await run(.delete(id: "f2")).isSuccess)
        try await told("deleted(file: ")
        #expect(state?.current.files == [song])
        #expect(recorder.all(Router.Action.self) == [.set(.player(id: "f2"))])
    }

    @Test func `what is not there is not found by its name`() async {
        await run(.open(userId: "u1"))
        for effect in [Effect.play(id: "f9"), .delete(id: "f9")] {
            let result = await run(effect)
            #expect(result.failures.map(\.code) == ["notFound"])
            #expect(result.failures.first?.message.contains("f9") == true)
        }
    }

    @Test func `a stop ends the playing, and a failure before it is not its own`() async {
        await run(.open(userId: "u1"))
        service.fail(Model.Failure(code: .storage, message: "no disk"))
        #expect(await run(.list).isFailure)
        service.fail(nil)
        await run(.play(id: "f1"))
        #expect(await run(.stop).isSuccess)
        #expect(state?.current.playing == nil)
        gate.open()
    }

    @Test func `an expired session is the answer, closes the library and escalates`() async throws {
        await run(.open(userId: "u1"))
        service.fail(.sessionExpired("u1"))
        #expect(await run(.list).failures.map(\.code) == ["sessionExpired"])
        try await told("authenticationRequired(userId: u1)")
        #expect(state?.current == .init(failure: .sessionExpired("u1")))
    }

    @Test func `a failure of the storage is tracked`() async throws {
        await run(.open(userId: "u1"))
        service.fail(Model.Failure(code: .storage, message: "no disk"))
        #expect(await run(.delete(id: "f1")).failures.map(\.code) == ["storage"])
        try await recorder.wait(for: "track") { $0.contains { $0.description.hasPrefix("ErrorHandling.Business.Effect.track") } }
        #expect(state?.current.files == [song])
    }

    @Test func `a reader who is forgotten has left`() async throws {
        await run(.open(userId: "u1"))
        #expect(await run(.forgetReader(userId: "u1")).isSuccess)
        #expect(state?.current == .init())
        #expect(service.calls.last == .forget(userId: "u1"))
    }

    @Test func `nothing of the features leaves the module but what the root delegates`() async throws {
        await run(.open(userId: "u1"))
        await run(.delete(id: "f1"))
        try await told("deleted(file: ")
        let effects = recorder.entries.filter(\.isEffect).map(\.description)
        let names = effects.map { String($0.prefix(while: { $0 != "(" })).replacing("Library.Business.Effect.", with: "") }
        #expect(names.sorted() == ["delete", "deleted", "open", "opened"])
    }

    @Test func `a clean-up closes the library`() async {
        await run(.open(userId: "u1"))
        await node.store.cleanup()
        #expect(state?.current == .init())
    }
}
