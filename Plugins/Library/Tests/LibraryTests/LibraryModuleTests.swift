import LibraryModels
@testable import LibraryReluxImpl
import LibraryReluxInt
import NavigationModels
import NavigationReluxInt
import Relux
import ReluxIoC
import ReluxOrchestration
import ReluxTestKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct LibraryModuleTests {
    typealias Effect = Library.Business.Effect
    typealias File = Library.Business.Model.File

    let directory = TemporaryDirectory()

    func module() throws -> Library.Module {
        let ioc = Library.Module.buildIoC(router: Library.RouterAdapter(), directory: directory.path)
        #expect(ioc.refusals.isEmpty)
        return try Library.Module(ioc: ioc)
    }

    @Test func `a module with its real service keeps files from one life to the next`() async throws {
        let first = Relux()
        let module = try module()
        #expect(module.moduleID == "Library")
        try await first.add(module)
        let result = await first.dispatcher.actions {
            Effect.open(userId: "u1")
            Effect.add(id: "f1", title: "song", contents: "la la la")
        }
        #expect(result.isSuccess)
        let second = Relux()
        try await second.add(try self.module())
        let listed = await second.dispatcher.actions {
            Effect.open(userId: "u1")
            Effect.list
        }
        #expect(listed.value([File].self, from: "Library") == [File(fileId: "f1", title: "song", byteCount: 8)])
    }

    @Test func `two files whose ids are two spellings of the same characters are two, whatever is done with one of them`() async throws {
        let node = Relux()
        try await node.add(try module())
        let ids = ["e\u{301}", "\u{e9}"]
        await node.dispatcher.actions {
            Effect.open(userId: "u1")
            Effect.add(id: ids[0], title: "first", contents: "aa")
            Effect.add(id: ids[1], title: "second", contents: "b")
        }
        for (id, title) in zip(ids, ["first", "second"]) {
            #expect(await node.dispatcher.actions { Effect.play(id: id) }.value(File.self, from: "Library")?.title == title)
        }
        #expect(await node.dispatcher.actions { Effect.delete(id: ids[0]) }.isSuccess)
        let left = await node.dispatcher.actions { Effect.list }.value([File].self, from: "Library")
        #expect(left?.map(\.title) == ["second"])
    }

    @Test func `its database is migrated when the start says so, and only as long as it is not`() async throws {
        let node = Relux()
        let answers = Recorder<Orchestration.Business.Answer>()
        await node.register { Start(answers) }
        try await node.add(try module())
        let library: ModuleID = "Library"
        let offers = await node.dispatcher.ask(Orchestration.Business.Request.collect(orchestrator: "StartupOrchestration"), upTo: .seconds(30))
            .value(ActionOffers.self, from: library)
        #expect(offers?.actions.map(\.id) == ["library.migrate"] && offers?.actions.first?.priority == .critical)
        let isDue = Orchestration.Business.Request.gate(
            owner: library, orchestrator: "StartupOrchestration", action: "library.migrate", limitMilliseconds: 30_000)
        #expect(await node.dispatcher.action { isDue }.value(Bool.self, from: library) == true)
        #expect(!directory.exists)
        await node.dispatcher.action {
            Orchestration.Business.Request.execute(
                owner: library, orchestrator: "StartupOrchestration", action: "library.migrate", call: "test-1", values: [:])
        }
        guard case .ended(_, let result, _, _, _)? = try await answers.wait(count: 2).last else { return #expect(answers.elements.count == 2) }
        #expect(result == .completed)
        #expect(directory.exists)
        #expect(await node.dispatcher.action { isDue }.value(Bool.self, from: library) == false)
    }

    @Test func `the relay shows files and what plays`() async throws {
        let node = Relux()
        try await node.add(try module())
        let relay = try #require(node.store.getRelay(for: Library.Business.Snapshot.self))
        let (stream, continuation) = AsyncStream.makeStream(of: Library.Business.Snapshot.self)
        relay.observe { continuation.yield($0) }
        await node.dispatcher.actions {
            Effect.open(userId: "u1")
            Effect.add(id: "f1", title: "song", contents: "la la la")
            Effect.play(id: "f1")
        }
        let file = File(fileId: "f1", title: "song", byteCount: 8)
        for await snapshot in stream where snapshot == .init(userId: "u1", files: [file], position: 8) { break }
        #expect(relay.value.files == [file])
    }

    @Test func `a router without an adapter is named, and nothing traps`() {
        let error = #expect(throws: IoCError.self) { try Library.Module(router: nil, directory: directory.path) }
        #expect(error?.code == .notRegistered && error?.message.contains("Library.Business.IRouter") == true)
    }

    @Test func `the service in memory serves a whole session`() async throws {
        let node = Relux()
        try await node.add(try await IoC.with(services: .mock) { try Library.Module(directory: directory.path) })
        let result = await node.dispatcher.actions {
            Effect.open(userId: "u1")
            Effect.add(id: "f1", title: "song", contents: "la la la")
            Effect.list
        }
        #expect(result.value([File].self, from: "Library") == [File(fileId: "f1", title: "song", byteCount: 8)])
        #expect(await node.dispatcher.actions { Effect.delete(id: "f2") }.failures.map(\.code) == ["notFound"])
        #expect(!directory.exists)
    }

    @Test func `the router's actions are effects of Navigation`() {
        #expect(Library.RouterAdapter().setLibraryPage(.files) is Navigation.Business.Effect)
    }
}

/// Hears what the migration answers, as the orchestrator of the start does.
private struct Start: Relux.Module {
    let moduleID: ModuleID = "StartupOrchestration"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [Orchestration.Business.Answer.self]

    init(_ answers: Recorder<Orchestration.Business.Answer>) { sagas = [Saga(answers: answers)] }

    actor Saga: Relux.Saga {
        let answers: Recorder<Orchestration.Business.Answer>
        init(answers: Recorder<Orchestration.Business.Answer>) { self.answers = answers }

        func apply(_ effect: any Relux.Effect) async {
            if let answer = effect as? Orchestration.Business.Answer { answers.record(answer) }
        }
    }
}
