import NavigationModels
import NavigationReluxInt
import NotesModels
@testable import NotesReluxImpl
import NotesReluxInt
import NotesServiceImpl
import NotesServiceInt
import Relux
import ReluxIoC
import ReluxTestKit
import Testing

@MainActor
@Suite struct NotesModuleTests {
    typealias Effect = Notes.Business.Effect
    typealias Note = Notes.Business.Model.Note

    let directory = TemporaryDirectory()

    func module() throws -> Notes.Module {
        let ioc = Notes.Module.buildIoC(router: Notes.RouterAdapter(), directory: directory.path)
        #expect(ioc.refusals.isEmpty)
        return try Notes.Module(ioc: ioc)
    }

    @Test func `a module with its real service finds a note by its words`() async throws {
        let module = try module()
        #expect(module.moduleID == "Notes")
        let node = Relux()
        try await node.add(module)
        let result = await node.dispatcher.actions {
            Effect.sync(context: .init(isAuthenticated: true, userId: "u1"))
            Effect.upsert(id: "n1", title: "Shopping", body: "milk and bread")
            Effect.search(query: "bre")
        }
        #expect(result.isSuccess)
        #expect(result.value([Note].self, from: "Notes")?.map(\.id) == ["n1"])
    }

    @Test func `the relay shows titles and no bodies`() async throws {
        let module = try module()
        let node = Relux()
        try await node.add(module)
        let relay = try #require(node.store.getRelay(for: Notes.Business.Snapshot.self))
        let (stream, continuation) = AsyncStream.makeStream(of: Notes.Business.Snapshot.self)
        relay.observe { continuation.yield($0) }
        await node.dispatcher.actions {
            Effect.sync(context: .init(isAuthenticated: true, userId: "u1"))
            Effect.upsert(id: "n1", title: "Shopping", body: "milk and bread")
        }
        let expected = Notes.Business.Snapshot(userId: "u1", entries: [.init(id: "n1", title: "Shopping")])
        var seen: Notes.Business.Snapshot?
        for await snapshot in stream {
            seen = snapshot
            if snapshot == expected { break }
        }
        #expect(seen == expected)
    }

    @Test func `a router without an adapter is named, and nothing traps`() {
        let error = #expect(throws: IoCError.self) { try Notes.Module(router: nil, directory: directory.path) }
        #expect(error?.code == .notRegistered)
        #expect(error?.message.contains("Notes.Business.IRouter") == true && error?.message.contains("register one") == true)
    }

    @Test func `the composition chooses the service, and the one in memory leaves no file`() async throws {
        let context = Effect.SyncContext(isAuthenticated: true, userId: "u1")
        for services in IoC.Services.allCases {
            let directory = TemporaryDirectory()
            let module = try await IoC.with(services: services) { try Notes.Module(directory: directory.path) }
            let node = Relux()
            try await node.add(module)
            let result = await node.dispatcher.actions {
                Effect.sync(context: context)
                Effect.upsert(id: "n1", title: "Shopping", body: "milk and bread")
                Effect.search(query: "bre")
            }
            #expect(result.value([Note].self, from: "Notes")?.map(\.id) == ["n1"])
            #expect(directory.exists == (services == .real))
        }
    }

    @Test func `the router's actions are effects of Navigation`() {
        #expect(Notes.RouterAdapter().setNotesPage(.list) is Navigation.Business.Effect)
    }
}
