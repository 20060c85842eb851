import AuthReluxImpl
import AuthReluxInt
import DataOrchestrationImpl
import ErrorHandlingReluxImpl
import ErrorHandlingReluxInt
import FilesReluxImpl
import FilesReluxInt
import LibraryReluxImpl
import LibraryReluxInt
import LibraryServiceImpl
import NavigationReluxImpl
import NavigationReluxInt
import NotesReluxImpl
import NotesReluxInt
import ProfileReluxImpl
import ProfileReluxInt
import Relux
import ReluxTestKit
import SessionOrchestrationImpl
import SettingsReluxImpl
import SettingsReluxInt
import SyncReluxImpl
import SyncReluxInt
import Testing

/// The plugins together, in one node and with their real services: what the domains do for each other without knowing it.
@MainActor
@Suite(.serialized) struct SessionStoryTests {
    let node: Relux
    let directory = TemporaryDirectory()

    init() async throws {
        let directory = directory.path
        let domains: [any Relux.Module] = [
            try Auth.Module(directory: directory + "/Auth"), try Profile.Module(directory: directory + "/Profile"),
            try Settings.Module(directory: directory + "/Settings"), try Notes.Module(directory: directory + "/Notes"),
            try Library.Module(directory: directory + "/Library"),
            try Files.Module(directory: directory + "/Files"), try Sync.Module(directory: directory + "/Sync"),
        ]
        node = await Relux().register {
            // 1. Infrastructure
            ErrorHandling.Module(directory: directory + "/ErrorHandling")
            Navigation.Module()

            // 2. Domains
            domains

            // 3. Orchestrators (last)
            SessionOrchestration.Module()
            DataOrchestration.Module()
        }
    }

    func snapshot<S: Relux.StateSnapshot>(_ type: S.Type, where isReached: @escaping (S) -> Bool) async throws -> S {
        let relay = try #require(node.store.getRelay(for: type))
        let (stream, continuation) = AsyncStream.makeStream(of: S.self)
        relay.observe { continuation.yield($0) }
        for await snapshot in stream where isReached(snapshot) { return snapshot }
        throw CancellationError()
    }

    func run(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        await node.dispatcher.actions { effect }
    }

    @Test func `a login opens what belongs to the user in three other domains and a logout closes it`() async throws {
        let registered = await run(Auth.Business.Effect.register(name: "alice", password: "correct horse"))
        #expect(registered.isSuccess)
        let userId = try #require(registered.value(String.self, from: "Auth"))

        _ = try await snapshot(Profile.Business.Snapshot.self) { $0.profile?.userId == userId }
        _ = try await snapshot(Settings.Business.Snapshot.self) { $0.userId == userId }
        _ = try await snapshot(Notes.Business.Snapshot.self) { $0.userId == userId }

        _ = await run(Notes.Business.Effect.upsert(id: "n1", title: "Shopping", body: "milk and bread"))
        let found = await run(Notes.Business.Effect.search(query: "bre"))
        #expect(found.value([Notes.Business.Model.Note].self, from: "Notes")?.map(\.id) == ["n1"])
        _ = try await snapshot(Navigation.Business.Snapshot.self) { $0.pages.last?.parameters["id"] == "n1" }

        _ = await run(Files.Business.Effect.save(name: "list.txt", text: "milk"))
        _ = try await snapshot(Sync.Business.Snapshot.self) { $0.userId == userId && $0.waiting == 2 }
        let sent = await run(Sync.Business.Effect.run)
        #expect(sent.value(Sync.Business.Model.Report.self, from: "Sync")?.sent == 2)

        let logout = await run(Auth.Business.Effect.runLogoutFlow)
        #expect(logout.isSuccess)
        _ = try await snapshot(Auth.Business.Snapshot.self) { !$0.isAuthenticated }
        _ = try await snapshot(Profile.Business.Snapshot.self) { $0.profile == nil }
        _ = try await snapshot(Settings.Business.Snapshot.self) { $0 == .defaults }
        _ = try await snapshot(Notes.Business.Snapshot.self) { $0.userId == nil && $0.entries.isEmpty }
        _ = try await snapshot(Files.Business.Snapshot.self) { $0.userId == nil && $0.files.isEmpty }
        _ = try await snapshot(Sync.Business.Snapshot.self) { $0.userId == nil }
        _ = try await snapshot(Navigation.Business.Snapshot.self) { $0.pages.map(\.domain) == ["auth"] }

        let again = await run(Auth.Business.Effect.login(name: "alice", password: "correct horse"))
        #expect(again.value(String.self, from: "Auth") == userId)
        _ = try await snapshot(Notes.Business.Snapshot.self) { $0.entries.map(\.title) == ["Shopping"] }
    }

    @Test func `deleting an account removes what every domain keeps of it`() async throws {
        let registered = await run(Auth.Business.Effect.register(name: "bob", password: "correct horse"))
        let userId = try #require(registered.value(String.self, from: "Auth"))
        _ = await run(Profile.Business.Effect.updateProfile(userId: userId, displayName: "Bob", about: ""))
        _ = await run(Settings.Business.Effect.set(key: .theme, value: "dark"))
        _ = await run(Notes.Business.Effect.upsert(id: "n1", title: "secret plan", body: ""))

        let deleted = await run(Auth.Business.Effect.deleteAccount)
        #expect(deleted.value(String.self, from: "Auth") == userId)

        let profile = await run(Profile.Business.Effect.fetchProfile(userId: userId))
        #expect(profile.value(Profile.Business.Model.UserProfile.self, from: "Profile")?.displayName == "")
        let settings = await run(Settings.Business.Effect.loadSettings(userId: userId))
        #expect(settings.value(Settings.Business.Model.Values.self, from: "Settings")?[.theme] == "system")
        let context = Notes.Business.Effect.SyncContext(isAuthenticated: true, userId: userId)
        _ = await run(Notes.Business.Effect.sync(context: context))
        let notes = await run(Notes.Business.Effect.list)
        #expect(notes.value([Notes.Business.Model.Note].self, from: "Notes") == [])
        let login = await run(Auth.Business.Effect.login(name: "bob", password: "correct horse"))
        #expect(login.failures.map(\.code) == ["invalidCredentials"])
    }

    @Test func `a reader logs in through the library, and a session that the library ends is over everywhere`() async throws {
        _ = await run(Auth.Business.Effect.register(name: "dora", password: "correct horse"))
        _ = await run(Auth.Business.Effect.runLogoutFlow)
        _ = try await snapshot(Library.Business.Snapshot.self) { $0.userId == nil }

        _ = await run(Library.Business.Effect.signIn(name: "dora", password: "wrong battery"))
        _ = try await snapshot(Library.Business.Snapshot.self) { $0.failure?.code == .loginRefused }
        _ = await run(Library.Business.Effect.signIn(name: "dora", password: "correct horse"))
        let open = try await snapshot(Library.Business.Snapshot.self) { $0.userId != nil }
        let auth = try await snapshot(Auth.Business.Snapshot.self) { $0.isAuthenticated }
        #expect(auth.userId == open.userId)
        #expect(await run(Library.Business.Effect.add(id: "f1", title: "song", contents: "la la la")).isSuccess)

        // The library forgets its reader's session behind its back.
        let userId = try #require(open.userId)
        try await Library.Business.Service(databasePath: directory.path + "/Library/library.sqlite").closeSession(userId: userId)
        #expect(await run(Library.Business.Effect.list).failures.map(\.code) == ["sessionExpired"])
        _ = try await snapshot(Auth.Business.Snapshot.self) { !$0.isAuthenticated }
        _ = try await snapshot(Navigation.Business.Snapshot.self) { $0.pages.map(\.domain) == ["auth"] }
    }

    @Test func `a library that was started anew finds its reader when it is asked for something`() async throws {
        _ = await run(Auth.Business.Effect.register(name: "emil", password: "correct horse"))
        await node.unregister("Library")
        try await node.add(try Library.Module(directory: directory.path + "/Library"))
        #expect(await run(Library.Business.Effect.list).failures.map(\.code) == ["notAuthenticated"])
        _ = try await snapshot(Library.Business.Snapshot.self) { $0.userId != nil }
        #expect(await run(Library.Business.Effect.list).isSuccess)
    }

    @Test func `a domain that was started anew finds its user when it is asked for something`() async throws {
        _ = await run(Auth.Business.Effect.register(name: "carol", password: "correct horse"))
        await node.unregister("Notes")
        try await node.add(Notes.Module(directory: directory.path + "/Notes"))
        let refused = await run(Notes.Business.Effect.list)
        #expect(refused.isFailure)
        let listed = await run(Notes.Business.Effect.list)
        #expect(listed.isSuccess)
    }
}
