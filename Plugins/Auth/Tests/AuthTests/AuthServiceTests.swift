import AuthModels
@testable import AuthServiceImpl
import Foundation
import GRDB
import ReluxTestKit
import Synchronization
import Testing

@Suite struct AuthServiceTests {
    typealias Failure = Auth.Business.Model.Failure
    let directory = TemporaryDirectory()

    func service() -> Auth.Business.Service {
        Auth.Business.Service(databasePath: directory.file("auth.sqlite"))
    }

    @Test func `a registered account can log in from another process and validate its session`() async throws {
        let registered = try await service().register(name: "Alice", password: "correct horse")
        let other = service()
        let session = try await other.login(name: "aLICE", password: "correct horse")
        #expect(session.userId == registered.userId)
        #expect(session.token != registered.token)
        #expect(try await other.validate(token: session.token) == .init(userId: registered.userId, name: "alice"))
    }

    @Test func `an unknown user and a wrong password give the same error`() async throws {
        let service = service()
        _ = try await service.register(name: "alice", password: "correct horse")
        let wrong = await #expect(throws: Failure.self) { try await service.login(name: "alice", password: "wrong horse") }
        let unknown = await #expect(throws: Failure.self) { try await service.login(name: "mallory", password: "wrong horse") }
        #expect(wrong == unknown)
        #expect(wrong?.code == .invalidCredentials)
    }

    @Test func `a name belongs to one account whatever its case`() async throws {
        let service = service()
        _ = try await service.register(name: "alice", password: "correct horse")
        let failure = await #expect(throws: Failure.self) { try await service.register(name: "ALICE", password: "another one") }
        #expect(failure?.code == .nameTaken)
    }

    @Test func `of many who register one name at once exactly one gets it`() async {
        let service = service()
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<4 {
                group.addTask { (try? await service.register(name: "alice", password: "password \(index)")) != nil }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 }.count == 1)
    }

    @Test func `a session ends with logout, and logging out twice is no error`() async throws {
        let service = service()
        let session = try await service.register(name: "alice", password: "correct horse")
        try await service.logout(token: session.token)
        try await service.logout(token: session.token)
        await #expect(throws: Failure.invalidSession) { try await service.validate(token: session.token) }
    }

    @Test func `a session ends with its time`() async throws {
        let now = Mutex<Int64>(1_000)
        let clock: @Sendable () -> Int64 = { now.withLock { $0 } }
        try await withClock(clock) { service in
            let session = try await service.register(name: "alice", password: "correct horse")
            now.withLock { $0 = session.expiresAt - 1 }
            _ = try await service.validate(token: session.token)
            now.withLock { $0 = session.expiresAt }
            await #expect(throws: Failure.invalidSession) { try await service.validate(token: session.token) }
        }
    }

    @Test func `deleting an account ends all of its sessions and frees its name`() async throws {
        let service = service()
        let first = try await service.register(name: "alice", password: "correct horse")
        let second = try await service.login(name: "alice", password: "correct horse")
        #expect(try await service.deleteAccount(token: first.token).userId == first.userId)
        await #expect(throws: Failure.invalidSession) { try await service.validate(token: second.token) }
        await #expect(throws: Failure.invalidCredentials) { try await service.login(name: "alice", password: "correct horse") }
        _ = try await service.register(name: "alice", password: "correct horse")
    }

    @Test func `neither the password nor a token is in the database files`() async throws {
        let service = service()
        let session = try await service.register(name: "alice", password: "correct horse")
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.file(file)))
            #expect(bytes.range(of: Data("correct horse".utf8)) == nil)
            #expect(bytes.range(of: Data(session.token.utf8)) == nil)
        }
        let database = try DatabaseQueue(path: directory.file("auth.sqlite"))
        let hash = try await database.read { try String.fetchOne($0, sql: "SELECT passwordHash FROM account") }
        #expect(hash?.hasPrefix("$argon2id$") == true)
    }

    @Test func `a session does not print its token`() async throws {
        let session = Auth.Business.Model.Session(userId: "u", name: "alice", token: "t0ken", expiresAt: 1)
        var dumped = ""
        dump(session, to: &dumped)
        for text in ["\(session)", String(reflecting: session), dumped] { #expect(!text.contains("t0ken")) }
    }

    @Test func `a path that cannot be opened is an answer that names it`() async {
        let service = Auth.Business.Service(databasePath: "/dev/null/auth.sqlite")
        let failure = await #expect(throws: Failure.self) { try await service.validate(token: "any") }
        #expect(failure?.code == .storage)
        #expect(failure?.message.contains("/dev/null/auth.sqlite") == true)
    }

    private func withClock(
        _ clock: @escaping @Sendable () -> Int64, _ body: (Auth.Business.Service) async throws -> Void
    ) async throws {
        try await body(Auth.Business.Service(databasePath: directory.file("auth.sqlite"), secondsSince1970: clock))
    }

    @Test func `a name with more behind a NUL is no account's, and a NUL in a password counts`() async throws {
        let service = service()
        _ = try await service.register(name: "alice", password: "correct\u{0}horse")
        let other = await #expect(throws: Failure.self) { try await service.login(name: "alice\u{0}x", password: "correct\u{0}horse") }
        #expect(other?.code == .invalidCredentials)
        let cut = await #expect(throws: Failure.self) { try await service.login(name: "alice", password: "correct\u{0}battery") }
        #expect(cut?.code == .invalidCredentials)
        _ = try await service.login(name: "alice", password: "correct\u{0}horse")
    }
}
