import Relux
import ReluxTestKit
import Testing

private enum AuthPhantom {}
private enum ProfilePhantom {}
private enum SettingsPhantom {}

@Suite(.timeLimit(.minutes(1))) struct OrchestrationTests {
    private let test = TestNode()
    private let auth = MockModule("Auth", as: AuthPhantom.self, handles: [Auth.Business.Effect.self])
    private let profile = MockModule("Profile", as: ProfilePhantom.self, handles: [Profile.Business.Effect.self])
    private let settings = MockModule("Settings", as: SettingsPhantom.self, handles: [Settings.Business.Effect.self])

    private func boot() async {
        await test.relux.register { [auth, profile, settings] in
            auth
            profile
            settings
            SessionOrchestration.Module()
        }
    }

    @Test func `the sample's rules lead from Auth to Profile and Settings`() async {
        await boot()
        await test.dispatcher.actions {
            Auth.Business.Effect.authSucceeded(userId: "u1")
            Auth.Business.Effect.runLogoutFlow
        }
        #expect(profile.effects as? [Profile.Business.Effect] == [.fetchProfile(userId: "u1"), .clearProfile])
        #expect(settings.effects as? [Settings.Business.Effect] == [.resetToDefaults])
    }

    @Test func `the sample's rules lead from Profile to Auth, for an auth error only`() async {
        await boot()
        await test.dispatcher.actions {
            Profile.Business.Effect.profileFetchFailed(.init(isAuthError: false))
            Profile.Business.Effect.profileFetchFailed(.init(isAuthError: true))
            Profile.Business.Effect.profileDeleted
        }
        #expect(auth.effects as? [Auth.Business.Effect] == [.forceReauthentication, .logout])
    }

    @Test func `the sample's own effect tears the session down`() async {
        await boot()
        await test.dispatcher.actions { SessionOrchestration.Effect.teardownSession }
        #expect(auth.effects as? [Auth.Business.Effect] == [.logout])
        #expect(profile.effects as? [Profile.Business.Effect] == [.clearProfile])
    }

    @Test func `the sample's container bundles the context into the effect`() async throws {
        await NotesContainer(relux: test.relux, authState: (true, "u1")).syncNotes()
        let effect = try #require(test.logger.findEffect(Notes.Business.Effect.self))
        guard case .sync(let context) = effect else { return }
        #expect(context.isAuthenticated)
        #expect(context.userId == "u1")
    }
}
