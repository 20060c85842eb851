import ReluxTestKit
import SettingsModels
import SettingsServiceImpl
import Testing

@Suite struct SettingsServiceTests {
    typealias Failure = Settings.Business.Model.Failure
    typealias Key = Settings.Business.Model.Key
    let directory = TemporaryDirectory()

    func service() -> Settings.Business.Service {
        Settings.Business.Service(databasePath: directory.file("settings.sqlite"))
    }

    @Test func `in memory two spellings of one text are two users`() async throws {
        let service = Settings.Business.ServiceInMemory()
        _ = try await service.set(.theme, to: "dark", userId: "zo\u{e9}")
        #expect(try await service.values(userId: "zoe\u{301}")[.theme] != "dark")
    }

    @Test func `a user who has set nothing has the defaults`() async throws {
        #expect(try await service().values(userId: "u1") == Key.defaults)
    }

    @Test(arguments: Key.allCases)
    func `every key accepts its own default`(key: Key) {
        #expect(key.accepts(key.defaultValue))
    }

    @Test func `a setting is one user's and is there for the next process`() async throws {
        let values = try await service().set(.theme, to: "dark", userId: "u1")
        #expect(values[.theme] == "dark" && values[.language] == "en")
        #expect(try await service().values(userId: "u1") == values)
        #expect(try await service().values(userId: "u2") == Key.defaults)
    }

    @Test func `a reset forgets what one user has set`() async throws {
        let service = service()
        _ = try await service.set(.fontSize, to: "20", userId: "u1")
        _ = try await service.set(.fontSize, to: "21", userId: "u2")
        #expect(try await service.resetToDefaults(userId: "u1") == Key.defaults)
        #expect(try await service.values(userId: "u1") == Key.defaults)
        #expect(try await service.values(userId: "u2")[.fontSize] == "21")
    }

    @Test(arguments: [(Key.theme, "pink"), (.language, "EN"), (.language, "eng"), (.notifications, ""), (.fontSize, "7"), (.fontSize, "x")])
    func `a wrong value is refused with what the key takes`(key: Key, value: String) async {
        let service = service()
        let failure = await #expect(throws: Failure.self) { try await service.set(key, to: value, userId: "u1") }
        #expect(failure?.code == .invalidValue)
        #expect(failure?.message.contains(key.allowed) == true)
    }

    @Test func `without a user every call is refused`() async {
        let service = service()
        await #expect(throws: Failure.notAuthenticated) { try await service.values(userId: "") }
        await #expect(throws: Failure.notAuthenticated) { try await service.set(.theme, to: "dark", userId: "") }
        await #expect(throws: Failure.notAuthenticated) { try await service.resetToDefaults(userId: "") }
    }

    @Test func `a user id with more behind a NUL is nobody else's`() async throws {
        let service = service()
        _ = try await service.set(.theme, to: "dark", userId: "u1")
        await #expect(throws: Failure(code: .invalidValue, message: "the user id has a NUL (U+0000) at byte 2; leave it out")) {
            try await service.values(userId: "u1\u{0}x")
        }
        await #expect(throws: Failure.self) { try await service.resetToDefaults(userId: "u1\u{0}x") }
        await #expect(throws: Failure.self) { try await service.set(.language, to: "de\u{0}x", userId: "u1") }
        #expect(try await service.values(userId: "u1")[.theme] == "dark")
    }
}
