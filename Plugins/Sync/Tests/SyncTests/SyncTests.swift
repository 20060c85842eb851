import Foundation
import Relux
import ReluxIoC
import ReluxPlugin
import ReluxFiles
import ReluxTestKit
import ReluxTestTraits
import SyncModels
@testable import SyncReluxImpl
import SyncReluxInt
import SyncServiceImpl
import SyncServiceInt
import SyncTestSupport
import Testing

@MainActor
@Suite(.noRefusals) struct SyncTests {
    typealias Effect = Sync.Business.Effect
    typealias Item = Sync.Business.Model.Item
    typealias Report = Sync.Business.Model.Report

    let note = Item(collection: "notes", id: "n1")
    let file = Item(collection: "files", id: "a.txt")
    let recorder = RecordingLogger()
    let service = Sync.Business.ServiceMock()
    let node: Relux

    init() async throws {
        node = Relux(logger: recorder)
        let ioc = Sync.Module.buildIoC(directory: "/nowhere")
        ioc.register((any Sync.Business.IService).self, withReplacement: true) { [service] in service }
        try await node.add(Sync.Module(ioc: ioc))
    }

    @discardableResult
    func run(_ effect: Effect) async -> Relux.ActionResult { await node.dispatcher.actions { effect } }

    var snapshot: Sync.Business.Snapshot? { node.store.getState(Sync.Business.State.self)?.current }

    @Test func `what has changed waits for a round, once, with its latest word`() async {
        await run(.start(userId: "u1"))
        await run(.enqueue(item: note))
        await run(.enqueue(item: file))
        await run(.enqueue(item: Item(collection: "notes", id: "n1", isRemoval: true)))
        #expect(snapshot?.waiting == 2)
        #expect(await run(.run).value(Report.self, from: "Sync") == Report(sent: 2))
        #expect(service.sent == [file, Item(collection: "notes", id: "n1", isRemoval: true)])
        #expect(snapshot?.waiting == 0 && recorder.told("Sync.Business.Effect.completed") == 1)
        #expect(await run(.run).value(Report.self, from: "Sync") == Report(sent: 0))
    }

    @Test func `a remote place that is gone loses nothing`() async {
        await run(.start(userId: "u1"))
        await run(.enqueue(item: note))
        service.fail(.init(code: .remote, message: "gone"))
        #expect(await run(.run).failures.map(\.code) == ["remote"])
        #expect(snapshot?.waiting == 1 && snapshot?.failure?.code == .remote && recorder.told("Sync.Business.Effect.syncFailed") == 1)
        service.fail(nil)
        await run(.stop)
        #expect(snapshot?.waiting == 0)
        await run(.start(userId: "u1"))
        #expect(service.sent == [note])
    }

    @Test func `without a user nothing is followed`() async {
        #expect(await run(.enqueue(item: note)).failures.map(\.code) == ["notAuthenticated"])
        #expect(await run(.run).failures.map(\.code) == ["notAuthenticated"])
        #expect(recorder.told("Sync.Business.Effect.syncFailed") == 2)
    }

    @Test func `what waits of one user is not another's`() async {
        await run(.start(userId: "u1"))
        await run(.enqueue(item: note))
        await run(.start(userId: "u2"))
        #expect(snapshot?.userId == "u2" && snapshot?.waiting == 0)
        await run(.deleteAll(userId: "u1"))
        await run(.start(userId: "u1"))
        #expect(snapshot?.waiting == 0)
    }

    @Test func `users are told apart byte for byte, in what is stored, too`() async throws {
        // Swift takes the two for the same text.
        let (composed, decomposed) = ("zo\u{e9}", "zoe\u{301}")
        await run(.start(userId: composed))
        await run(.enqueue(item: note))
        await run(.start(userId: decomposed))
        #expect(snapshot?.waiting == 0)
        await run(.enqueue(item: Item(collection: "notes", id: "n2")))
        await run(.enqueue(item: Item(collection: "notes", id: "n3")))
        let state = try #require(node.store.getState(Sync.Business.State.self))
        let kept = try JSONDecoder().decode(Sync.Business.State.Stored.self, from: JSONEncoder().encode(state.stored))
        #expect(kept.waiting[composed]?.count == 1 && kept.waiting[decomposed]?.count == 2)
        await run(.deleteAll(userId: composed))
        #expect(snapshot?.waiting == 2)
    }

    @Test func `ids are told apart byte for byte`() async throws {
        // Swift takes the two for the same text; a database and a directory do not.
        let (composed, decomposed) = (Item(collection: "notes", id: "caf\u{e9}"), Item(collection: "notes", id: "cafe\u{301}"))
        await run(.start(userId: "u1"))
        await run(.enqueue(item: composed))
        await run(.enqueue(item: decomposed))
        #expect(await run(.run).value(Report.self, from: "Sync") == Report(sent: 2))
        let directory = TemporaryDirectory()
        let service = Sync.Business.Service(directory: directory.path)
        try await service.send([composed], userId: "u1")
        try await service.send([decomposed], userId: "u1")
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: directory.path).first)
        let items = try JSONDecoder().decode([Item].self, from: Data(contentsOf: URL(fileURLWithPath: directory.path + "/" + name)))
        #expect(items.count == 2 && composed != decomposed)
    }

    @Test(arguments: ["", String(repeating: "u", count: 121)])
    func `nothing is followed for a user of whom nothing can be kept`(userId: String) async {
        #expect(await run(.start(userId: userId)).isFailure)
        #expect(snapshot?.userId == nil)
        #expect(await run(.enqueue(item: note)).failures.map(\.code) == ["notAuthenticated"])
    }

    @Test(arguments: ["a folder", "a pipe", "below a file"])
    func `what other devices have to look at is not taken for nothing when it cannot be read, in words`(kind: String) async throws {
        let folder = TemporaryDirectory(isMade: true)
        let file = folder.file("user-75.json")
        var directory = folder.path
        switch kind {
        case "a folder": try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        case "a pipe": #expect(mkfifo(file, 0o600) == 0)
        default:
            try Data("[]".utf8).write(to: URL(fileURLWithPath: file))
            directory = file
        }
        let service = Sync.Business.Service(directory: directory)
        let failure = await #expect(throws: Sync.Business.Model.Failure.self) { try await service.send([note], userId: "u") }
        #expect(failure?.code == .remote && failure?.message.contains(directory) == true)
        #expect(failure?.message.contains("Error") == false && failure?.message.contains("(null)") == false, "\(failure?.message ?? "")")
        if kind == "below a file" { await #expect(throws: Sync.Business.Model.Failure.self) { try await service.deleteAll(userId: "u") } }
    }

    @Test func `the shared directory has each item once, with its latest word`() async throws {
        let directory = TemporaryDirectory()
        let service = Sync.Business.Service(directory: directory.path)
        let removal = Item(collection: "notes", id: "n1", isRemoval: true)
        try await service.send([note, file], userId: "u1")
        try await service.send([removal], userId: "u1")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        let path = directory.path + "/" + (try #require(names.first))
        let items = try JSONDecoder().decode([Item].self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        #expect(items == [file, removal])
        try await service.deleteAll(userId: "u1")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        let failure = await #expect(throws: Sync.Business.Model.Failure.self) { try await service.send([note], userId: "u1") }
        #expect(failure?.code == .remote && failure?.message.contains(directory.path) == true)
    }

    @Test func `no two user ids share a file, and one that is too long is refused`() async throws {
        let directory = TemporaryDirectory()
        let service = Sync.Business.Service(directory: directory.path)
        // Without leading zeros both are 1210 in hexadecimal.
        for user in ["\u{12}\u{10}", "\u{1}\u{21}\u{0}"] { try await service.send([note], userId: user) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
        let failure = await #expect(throws: Sync.Business.Model.Failure.self) {
            try await service.send([note], userId: String(repeating: "u", count: 121))
        }
        #expect(failure?.message.contains("121 bytes; use at most 120") == true)
    }
}
