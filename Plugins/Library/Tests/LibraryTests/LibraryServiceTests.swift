import LibraryModels
import LibraryServiceImpl
import ReluxTestKit
import Synchronization
import Testing

@Suite struct LibraryServiceTests {
    typealias Failure = Library.Business.Model.Failure
    typealias File = Library.Business.Model.File
    let directory = TemporaryDirectory()
    private let clock = Clock()

    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(1000)
        var now: Int64 { seconds.withLock { $0 } }
        func advance(by count: Int64) { seconds.withLock { $0 += count } }
    }

    func service(of users: String...) async throws -> Library.Business.Service {
        let service = Library.Business.Service(
            databasePath: directory.file("library.sqlite"), sessionSeconds: 60, now: { [clock] in clock.now })
        for user in users { _ = try await service.openSession(userId: user) }
        return service
    }

    @Test func `in memory two spellings of one text are two users`() async throws {
        let service = Library.Business.ServiceInMemory()
        _ = try await service.openSession(userId: "zo\u{e9}")
        await #expect(throws: Failure.self) { try await service.list(userId: "zoe\u{301}") }
    }

    @Test func `files are listed by title, belong to one reader and survive the service`() async throws {
        let service = try await service(of: "u1", "u2")
        for (id, title) in [("f1", "pears"), ("f2", "Apples"), ("f3", "oranges")] {
            _ = try await service.add(File(fileId: id, title: title), contents: Array(title.utf8), userId: "u1")
        }
        _ = try await service.add(File(fileId: "f1", title: "other"), contents: [], userId: "u2")
        let again = try await self.service()
        #expect(try await again.list(userId: "u1").map(\.title) == ["Apples", "oranges", "pears"])
        #expect(try await again.list(userId: "u1").map(\.byteCount) == [6, 7, 5])
        #expect(try await again.list(userId: "u2").map(\.title) == ["other"])
    }

    @Test func `a file is read piece by piece to its end`() async throws {
        let service = try await service(of: "u1")
        _ = try await service.add(File(fileId: "f1", title: "song"), contents: Array("abcde".utf8), userId: "u1")
        var pieces: [[UInt8]] = []
        repeat {
            pieces.append(try await service.read(id: "f1", from: pieces.joined().count, count: 2, userId: "u1"))
        } while pieces.last?.isEmpty == false
        #expect(pieces.map { String(decoding: $0, as: UTF8.self) } == ["ab", "cd", "e", ""])
    }

    @Test func `what is deleted is gone, and what was never there is not found by its name`() async throws {
        let service = try await service(of: "u1")
        _ = try await service.add(File(fileId: "f1", title: "song"), contents: [1], userId: "u1")
        try await service.delete(id: "f1", userId: "u1")
        #expect(try await service.list(userId: "u1") == [])
        let failure = await #expect(throws: Failure.self) { try await service.delete(id: "f1", userId: "u1") }
        #expect(failure?.code == .notFound && failure?.message.contains("f1") == true)
        await #expect(throws: Failure.notFound("f2")) { try await service.read(id: "f2", from: 0, count: 1, userId: "u1") }
    }

    @Test func `a session serves until it expires, and opening it again prolongs it`() async throws {
        let service = try await service(of: "u1")
        clock.advance(by: 59)
        #expect(try await service.list(userId: "u1") == [])
        #expect(try await service.openSession(userId: "u1").expiresAt == clock.now + 60)
        clock.advance(by: 60)
        await #expect(throws: Failure.sessionExpired("u1")) { try await service.list(userId: "u1") }
        await #expect(throws: Failure.sessionExpired("u1")) {
            try await service.add(File(fileId: "f", title: ""), contents: [], userId: "u1")
        }
        await #expect(throws: Failure.sessionExpired("u1")) { try await service.delete(id: "f", userId: "u1") }
        await #expect(throws: Failure.sessionExpired("u1")) { try await service.read(id: "f", from: 0, count: 1, userId: "u1") }
    }

    @Test func `a session that was closed serves no more, and nobody has one without a name`() async throws {
        let service = try await service(of: "u1")
        try await service.closeSession(userId: "u1")
        try await service.closeSession(userId: "u1")
        await #expect(throws: Failure.sessionExpired("u1")) { try await service.list(userId: "u1") }
        await #expect(throws: Failure.notAuthenticated) { try await service.openSession(userId: "") }
    }

    @Test func `forgetting a reader takes their files and their session`() async throws {
        let service = try await service(of: "u1", "u2")
        for user in ["u1", "u2"] { _ = try await service.add(File(fileId: "f", title: user), contents: [], userId: user) }
        try await service.forget(userId: "u1")
        await #expect(throws: Failure.sessionExpired("u1")) { try await service.list(userId: "u1") }
        _ = try await service.openSession(userId: "u1")
        #expect(try await service.list(userId: "u1") == [])
        #expect(try await service.list(userId: "u2").count == 1)
    }

    @Test(arguments: [
        (File(fileId: "", title: "x"), 0), (File(fileId: String(repeating: "i", count: 65), title: "x"), 0),
        (File(fileId: "f", title: "e" + String(repeating: "\u{301}", count: 200)), 0),
        (File(fileId: "f", title: String(repeating: "t", count: 201)), 0), (File(fileId: "f", title: "x"), 512 * 1024 + 1),
    ])
    func `a file beyond a limit is refused`(file: File, byteCount: Int) async throws {
        let service = try await service(of: "u1")
        let failure = await #expect(throws: Failure.self) {
            try await service.add(file, contents: Array(repeating: 0, count: byteCount), userId: "u1")
        }
        #expect(failure?.code == .invalidFile)
    }

    @Test func `what is stored is brought to this version once, by whoever is first, and not before`() async throws {
        let service = try await service()
        #expect(await !service.isPrepared)
        #expect(!directory.exists)
        try await service.prepare()
        #expect(await service.isPrepared)
        #expect(directory.exists)
        #expect(try await self.service(of: "u1").isPrepared, "another call does it too")

        let broken = Library.Business.Service(databasePath: "/dev/null/library.sqlite")
        let failure = await #expect(throws: Failure.self) { try await broken.prepare() }
        #expect(failure?.code == .storage && failure?.message.contains("could not be migrated") == true)
        #expect(await !broken.isPrepared)
    }

    @Test func `a path that cannot be opened is an answer`() async {
        let service = Library.Business.Service(databasePath: "/dev/null/library.sqlite")
        let failure = await #expect(throws: Failure.self) { try await service.openSession(userId: "u1") }
        #expect(failure?.code == .storage && failure?.message.contains("/dev/null/library.sqlite") == true)
    }

    @Test(arguments: ["\u{1}\u{7f}\u{85}", "tab\tline\r\n", "\u{FEFF}mark", "\u{202E}evil", "e\u{301} and \u{e9}", "می\u{200c}خواهم", "\u{1F469}\u{200D}\u{1F680}", "a\u{0}b", "\u{0}",
        "a" + String(repeating: "\u{301}", count: 4_000)])
    func `a title is kept to the byte or refused with a reason`(text: String) async throws {
        let service = try await service(of: "u1")
        do throws(Failure) {
            _ = try await service.add(File(fileId: "f1", title: text), contents: Array(text.utf8), userId: "u1")
            let stored = try await service.list(userId: "u1").first
            #expect(stored.map { Array($0.title.utf8) } == Array(text.utf8) && stored?.byteCount == text.utf8.count)
        } catch {
            #expect(error.code == .invalidFile && (error.message.contains("leave it out") || error.message.contains("use at most")))
        }
    }

    @Test func `an id with more behind a NUL is nobody else's`() async throws {
        let service = try await service(of: "u1")
        _ = try await service.add(File(fileId: "f1", title: "kept"), contents: [1], userId: "u1")
        await #expect(throws: Failure.self) { try await service.delete(id: "f1\u{0}x", userId: "u1") }
        await #expect(throws: Failure.self) { try await service.read(id: "f1\u{0}x", from: 0, count: 1, userId: "u1") }
        await #expect(throws: Failure.self) { try await service.list(userId: "u1\u{0}x") }
        await #expect(throws: Failure.self) { try await service.forget(userId: "u1\u{0}x") }
        #expect(try await service.list(userId: "u1").map(\.title) == ["kept"])
    }
}
