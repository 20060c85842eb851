import ErrorHandlingReluxInt
import FilesModels
@testable import FilesReluxImpl
import FilesReluxInt
import FilesServiceImpl
import FilesServiceInt
import FilesTestSupport
import Foundation
import Relux
import ReluxIoC
import ReluxPlugin
import ReluxTestKit
import ReluxTestTraits
import Testing

@MainActor
@Suite(.noRefusals) struct FilesTests {
    typealias Effect = Files.Business.Effect
    typealias File = Files.Business.Model.File

    let recorder = RecordingLogger()
    let node: Relux

    init() async throws {
        node = Relux(logger: recorder)
        try await node.add(IoC.with(services: .mock) { try Files.Module(directory: "/nowhere") })
    }

    @discardableResult
    func run(_ effect: Effect) async -> Relux.ActionResult { await node.dispatcher.actions { effect } }

    var shown: [String] { node.store.getState(Files.Business.State.self)?.current.files.map(\.name) ?? [] }

    @Test func `what is saved is shown, read and removed`() async {
        await run(.open(userId: "u1"))
        let saved = await run(.save(name: "b.txt", text: "beta"))
        #expect(saved.value(File.self, from: "Files") == File(name: "b.txt", size: 4))
        await run(.save(name: "a.txt", text: "alpha"))
        #expect(shown == ["a.txt", "b.txt"])
        #expect(await run(.read(name: "a.txt")).value(String.self, from: "Files") == "alpha")
        await run(.remove(name: "a.txt"))
        #expect(shown == ["b.txt"])
        #expect(recorder.told("Files.Business.Effect.saved") == 2 && recorder.told("Files.Business.Effect.removed") == 1)
        await run(.close)
        #expect(shown.isEmpty)
        #expect(await run(.open(userId: "u1")).value([File].self, from: "Files")?.count == 1)
        await run(.deleteAll(userId: "u1"))
        #expect(shown.isEmpty)
        #expect(await run(.open(userId: "u1")).value([File].self, from: "Files") == [])
    }

    @Test func `the next life goes on with whose files were open, and with what is stored of them`() async throws {
        let service = Files.Business.ServiceInMemory()
        let file = try await service.save("alpha", as: "a.txt", userId: "u1")
        let state = Files.Business.State(svc: service)
        await state.reduce(with: Files.Business.Action.opened(userId: "u1", files: []))
        let next = Files.Business.State(svc: service)
        await next.restore(state.stored)
        #expect(next.current == Files.Business.Snapshot(userId: "u1", files: [file]))
        await state.reduce(with: Effect.close)
        let last = Files.Business.State(svc: service)
        await last.restore(state.stored)
        #expect(last.userId == nil)
        let broken = Files.Business.State(svc: Files.Business.BrokenServiceMock())
        await broken.restore(.init(userId: "u1"))
        #expect(broken.userId == "u1" && broken.current.failure?.code == .storage)
    }

    @Test func `without a user nothing is saved, and that is told`() async {
        #expect(await run(.save(name: "a.txt", text: "alpha")).failures.map(\.code) == ["notAuthenticated"])
        #expect(recorder.told("Files.Business.Effect.filesFailed") == 1 && !recorder.text.contains("ErrorHandling."))
    }

    @Test func `a disk that takes nothing is told and tracked`() async throws {
        let recorder = RecordingLogger()
        let node = Relux(logger: recorder)
        let ioc = Files.Module.buildIoC(directory: "/nowhere")
        ioc.register((any Files.Business.IService).self, withReplacement: true) { Files.Business.BrokenServiceMock() }
        try await node.add(Files.Module(ioc: ioc))
        let result = await node.dispatcher.actions { Effect.open(userId: "u1") }
        #expect(result.failures.map(\.code) == ["storage"])
        #expect(recorder.entries.contains { $0.description.hasPrefix("ErrorHandling.Business.Effect.track") })
    }

    @Test(arguments: ["disk", "memory"])
    func `files belong to one user, whatever names they choose`(kind: String) async throws {
        let directory = TemporaryDirectory()
        let service: any Files.Business.IService =
            kind == "disk" ? Files.Business.Service(directory: directory.path) : Files.Business.ServiceInMemory()
        for user in ["u1", "../u1", "/"] { _ = try await service.save(user, as: "a.txt", userId: user) }
        for user in ["u1", "../u1", "/"] { #expect(try await service.read("a.txt", userId: user) == user) }
        try await service.deleteAll(userId: "u1")
        #expect(try await service.list(userId: "u1") == [])
        #expect(try await service.list(userId: "../u1") == [File(name: "a.txt", size: 5)])
        for name in ["", "..", "../a", "a/b", ".a", String(repeating: "a", count: 101), "ä"] {
            let failure = await #expect(throws: Files.Business.Model.Failure.self) { try await service.save("", as: name, userId: "u1") }
            #expect(failure?.code == .invalidName)
        }
        let large = await #expect(throws: Files.Business.Model.Failure.self) {
            try await service.save(String(repeating: "x", count: File.sizeLimit + 1), as: "x", userId: "u1")
        }
        #expect(large?.code == .tooLarge)
        let missing = await #expect(throws: Files.Business.Model.Failure.self) { try await service.read("none", userId: "u1") }
        #expect(missing?.code == .notFound && missing?.message.contains("'none'") == true)
    }

    @Test(arguments: ["\u{1}\u{7f}\u{85}", "tab\tline\r\n", "\u{FEFF}mark", "\u{202E}evil", "e\u{301} and \u{e9}", "می\u{200c}خواهم", "\u{1F469}\u{200D}\u{1F680}", "a\u{0}b", "\u{0}",
        "a" + String(repeating: "\u{301}", count: 4_000)])
    func `a text is kept to the byte, its size is told, and is that of the list`(text: String) async throws {
        let directory = TemporaryDirectory()
        for service in [Files.Business.Service(directory: directory.path), Files.Business.ServiceInMemory()] as [any Files.Business.IService] {
            #expect(try await service.save(text, as: "a.txt", userId: "u1").size == text.utf8.count)
            #expect(Array(try await service.read("a.txt", userId: "u1").utf8) == Array(text.utf8))
            #expect(try await service.list(userId: "u1") == [File(name: "a.txt", size: text.utf8.count)])
        }
    }

    @Test func `two spellings of one text are two users, wherever files are kept`() async throws {
        let directory = TemporaryDirectory()
        for service in [Files.Business.Service(directory: directory.path), Files.Business.ServiceInMemory()] as [any Files.Business.IService] {
            _ = try await service.save("text", as: "a.txt", userId: "zo\u{e9}")
            #expect(try await service.list(userId: "zoe\u{301}").isEmpty)
        }
    }

    @Test func `files that cannot be seen are not none, and one that cannot be read is there`() async throws {
        let directory = TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: directory.file("user-75"), withIntermediateDirectories: true)
        #expect(mkfifo(directory.file("user-75/pipe"), 0o600) == 0)
        let pipe = await #expect(throws: Files.Business.Model.Failure.self) { try await Files.Business.Service(directory: directory.path).read("pipe", userId: "u") }
        #expect(pipe?.code == .storage && pipe?.message.contains("it is no regular file") == true, "\(pipe?.message ?? "")")
        // Nobody sees anything below a pipe.
        let service = Files.Business.Service(directory: directory.file("user-75/pipe"))
        let attempts: [() async throws -> Void] = [
            { _ = try await service.list(userId: "u") }, { _ = try await service.read("a", userId: "u") }, { try await service.deleteAll(userId: "u") },
        ]
        for attempt in attempts {
            let failure = await #expect(throws: Files.Business.Model.Failure.self) { try await attempt() }
            #expect(failure?.code == .storage && failure?.message.contains("Not a directory") == true, "\(failure?.message ?? "")")
        }
    }

    @Test func `no two user ids share a folder, and one that is too long is refused`() async throws {
        let directory = TemporaryDirectory()
        let service = Files.Business.Service(directory: directory.path)
        // Without leading zeros both are 1210 in hexadecimal.
        let users = ["\u{12}\u{10}", "\u{1}\u{21}\u{0}"]
        for user in users { _ = try await service.save(user, as: "a.txt", userId: user) }
        for user in users { #expect(try await service.read("a.txt", userId: user) == user) }
        let failure = await #expect(throws: Files.Business.Model.Failure.self) {
            try await service.save("", as: "a.txt", userId: String(repeating: "u", count: 121))
        }
        #expect(failure?.message.contains("121 bytes; use at most 120") == true)
    }
}
