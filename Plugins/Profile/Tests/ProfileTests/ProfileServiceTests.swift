import ProfileModels
import ProfileServiceImpl
import ReluxTestKit
import Testing

@Suite struct ProfileServiceTests {
    typealias Failure = Profile.Business.Model.Failure
    typealias UserProfile = Profile.Business.Model.UserProfile
    let directory = TemporaryDirectory()

    func service() -> Profile.Business.Service {
        Profile.Business.Service(databasePath: directory.file("profile.sqlite"))
    }

    @Test func `in memory two spellings of one text are two users`() async throws {
        let service = Profile.Business.ServiceInMemory()
        _ = try await service.update(UserProfile(userId: "zo\u{e9}", displayName: "Zo"))
        #expect(try await service.fetch(userId: "zoe\u{301}").displayName.isEmpty)
    }

    @Test func `a user who never saved has an empty profile`() async throws {
        #expect(try await service().fetch(userId: "u1") == UserProfile(userId: "u1"))
    }

    @Test func `a saved profile is there for the next process and counts its revisions`() async throws {
        let first = service()
        _ = try await first.update(UserProfile(userId: "u1", displayName: "Alice"))
        _ = try await first.update(UserProfile(userId: "u1", displayName: "Alice B.", about: "reads"))
        #expect(
            try await service().fetch(userId: "u1")
                == UserProfile(userId: "u1", displayName: "Alice B.", about: "reads", revision: 2)
        )
    }

    @Test func `clearing and deleting concern one user only`() async throws {
        let service = service()
        for user in ["u1", "u2", "u3"] { _ = try await service.update(UserProfile(userId: user, displayName: user)) }
        #expect(try await service.clear(userId: "u1") == UserProfile(userId: "u1", revision: 2))
        try await service.delete(userId: "u2")
        try await service.delete(userId: "u2")
        #expect(try await service.fetch(userId: "u2") == UserProfile(userId: "u2"))
        #expect(try await service.fetch(userId: "u3").displayName == "u3")
    }

    @Test func `without a user every call is an authentication error`() async {
        let service = service()
        let failure = await #expect(throws: Failure.self) { try await service.fetch(userId: "") }
        #expect(failure?.isAuthError == true)
        await #expect(throws: Failure.notAuthenticated) { try await service.update(UserProfile(userId: "")) }
        await #expect(throws: Failure.notAuthenticated) { try await service.clear(userId: "") }
        await #expect(throws: Failure.notAuthenticated) { try await service.delete(userId: "") }
    }

    @Test(arguments: [String(repeating: "x", count: 65), "e" + String(repeating: "\u{301}", count: 64)])
    func `a field that is too long is refused with its limit`(name: String) async {
        let failure = await #expect(throws: Failure.self) {
            try await service().update(UserProfile(userId: "u1", displayName: name))
        }
        #expect(failure?.code == .invalidField)
        #expect(failure?.message.contains("65") == true && failure?.message.contains("64") == true)
        #expect(failure?.isAuthError == false)
    }

    @Test func `a path that cannot be opened is an answer that names it`() async {
        let service = Profile.Business.Service(databasePath: "/dev/null/profile.sqlite")
        let failure = await #expect(throws: Failure.self) { try await service.fetch(userId: "u1") }
        #expect(failure?.code == .storage)
        #expect(failure?.message.contains("/dev/null/profile.sqlite") == true)
    }

    @Test(arguments: ["\u{1}\u{7f}\u{85}", "tab\tline\r\n", "\u{FEFF}mark", "\u{202E}evil", "e\u{301} and \u{e9}", "می\u{200c}خواهم", "\u{1F469}\u{200D}\u{1F680}", "a\u{0}b", "\u{0}",
        "a" + String(repeating: "\u{301}", count: 4_000)])
    func `a text is kept to the byte or refused with a reason`(text: String) async throws {
        let service = service()
        do throws(Failure) {
            let saved = try await service.update(UserProfile(userId: "u1", displayName: text, about: text))
            #expect(Array(saved.displayName.utf8) == Array(text.utf8) && Array(saved.about.utf8) == Array(text.utf8))
        } catch {
            #expect(error.code == .invalidField && (error.message.contains("leave it out") || error.message.contains("use at most")))
        }
    }

    @Test func `a user id with more behind a NUL is nobody else's`() async throws {
        let service = service()
        _ = try await service.update(UserProfile(userId: "u1", displayName: "Alice"))
        await #expect(throws: Failure.self) { try await service.fetch(userId: "u1\u{0}x") }
        await #expect(throws: Failure.self) { try await service.delete(userId: "u1\u{0}x") }
        #expect(try await service.fetch(userId: "u1").displayName == "Alice")
    }
}
