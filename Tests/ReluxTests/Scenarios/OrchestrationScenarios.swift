import Relux
import ReluxTestKit
import Testing

private enum Auth { enum Effect: Relux.Effect, Equatable { case runLogoutFlow, authSucceeded(userId: String), forceReauthentication, logout } }
private enum Profile {
    enum Effect: Relux.Effect, Equatable { case clearProfile, fetchProfile(userId: String), fetchFailed(isAuthError: Bool) }
}
private enum Settings { enum Effect: Relux.Effect, Equatable { case resetToDefaults } }
private enum Session { enum Effect: Relux.Effect, Equatable { case teardown } }

private actor Orchestrator: Relux.Saga {
    nonisolated let dispatcher: Relux.Dispatcher
    init(dispatcher: Relux.Dispatcher = .current) { self.dispatcher = dispatcher }

    func apply(_ effect: any Relux.Effect) async {
        switch effect as? Auth.Effect {
        case .runLogoutFlow:
            await actions(.concurrently) {
                Profile.Effect.clearProfile
                Settings.Effect.resetToDefaults
            }
        case .authSucceeded(let userId): await actions { Profile.Effect.fetchProfile(userId: userId) }
        default: break
        }
        if case .fetchFailed(isAuthError: true)? = effect as? Profile.Effect {
            await actions { Auth.Effect.forceReauthentication }
        }
        if effect as? Session.Effect == .teardown {
            await actions(.concurrently) {
                Auth.Effect.logout
                Profile.Effect.clearProfile
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct OrchestrationScenarios {
    let test = TestNode()
    private let auth = MockModule("Auth", as: First.self, handles: [Auth.Effect.self])
    private let profile = MockModule("Profile", as: Second.self, handles: [Profile.Effect.self])
    private let settings = MockModule("Settings", as: Third.self, handles: [Settings.Effect.self])

    private func boot() async {
        await test.relux.register([auth, profile, settings, Plain("SessionOrchestration", sagas: [Orchestrator()])])
    }

    @Test func `Given Auth emits runLogoutFlow, when SessionOrchestration is up, then Profile gets clearProfile and Settings gets resetToDefaults`()
        async
    {
        await boot()
        await test.dispatcher.actions { Auth.Effect.runLogoutFlow }
        #expect(profile.effects as? [Profile.Effect] == [.clearProfile])
        #expect(settings.effects as? [Settings.Effect] == [.resetToDefaults])
    }

    @Test func `Given authSucceeded(userId), then Profile gets fetchProfile with the same id, and the log links cause and effect`()
        async throws
    {
        await boot()
        await test.dispatcher.actions { Auth.Effect.authSucceeded(userId: "u7") }
        #expect(profile.effects as? [Profile.Effect] == [.fetchProfile(userId: "u7")])
        let entry = try #require(test.logger.entry(of: Profile.Effect.fetchProfile(userId: "u7")))
        #expect(entry.module == "SessionOrchestration")
        #expect(entry.cause?.description == "Test#1")
    }

    @Test func `Given profileFetchFailed with a non-auth error, then nothing is sent to Auth; with an auth error, forceReauthentication is`()
        async
    {
        await boot()
        await test.dispatcher.actions { Profile.Effect.fetchFailed(isAuthError: false) }
        #expect(auth.effects.isEmpty)
        await test.dispatcher.actions { Profile.Effect.fetchFailed(isAuthError: true) }
        #expect(auth.effects as? [Auth.Effect] == [.forceReauthentication])
    }

    @Test func `Given the orchestrator's own effect from outside any module, then its downstream effects are sent`() async {
        await boot()
        await test.dispatcher.actions { Session.Effect.teardown }
        #expect(auth.effects as? [Auth.Effect] == [.logout])
        #expect(profile.effects as? [Profile.Effect] == [.clearProfile])
    }

    @Test func `a saga is tested with an injected dispatcher that has no subscribers`() async {
        let saga = Orchestrator(dispatcher: test.dispatcher)
        await saga.apply(Auth.Effect.authSucceeded(userId: "u"))
        #expect(test.logger.mismatch(dispatched: [Profile.Effect.fetchProfile(userId: "u")]) == nil)
        let mismatch = test.logger.mismatch(dispatched: [Profile.Effect.clearProfile])
        #expect(mismatch?.diff == ["- Profile.Effect.clearProfile", "+ Profile.Effect.fetchProfile(userId: u)"])
    }

    @Test func `Given two orchestrators answering each other, when triggered, then the hop limit stops it and the cycle path is reported`()
        async throws
    {
        await test.relux.register([
            MockModule("A", as: First.self) { effect in
                guard case .ping(let n)? = effect as? Reply else { return .success }
                return await actions { Reply.pong(n + 1) }
            },
            MockModule("B", as: Second.self) { effect in
                guard case .pong(let n)? = effect as? Reply else { return .success }
                return await actions { Reply.ping(n + 1) }
            },
        ])
        let result = await test.dispatcher.actions { Reply.ping(0) }
        let failure = try #require(result.failures.first)
        #expect(failure.code == "hops")
        #expect(failure.message.contains("probably answer each other") && !failure.message.contains("two modules"), "\(failure.message)")
        #expect(failure.details["limit"] == "32")
        #expect(failure.details["path"]?.hasPrefix("Test#1 → A#1 → B#1 → A#2") == true)
        // People read how it begins and ends, programs all of it.
        #expect(failure.details["path"]?.split(separator: " → ").count == 33)
        #expect(failure.message.contains("Test#1 → A#1 → B#1 → … 27 more … → ") && failure.message.count < 250, "\(failure.message)")
        #expect(test.logger.all(Reply.self).count == 33)
        #expect(test.logger.refused.map(\.description) == ["refused Reply.pong(33) (hops)"])
    }

    @Test func `Given two orchestrators consuming one effect, when it is sent, then both react and neither's failure affects the other`()
        async
    {
        await test.relux.register([
            auth, profile,
            MockModule("Failing", handles: [Session.Effect.self]) { _ in
                await actions { Auth.Effect.logout }
                return .failure(Refusal())
            },
            Plain("SessionOrchestration", sagas: [Orchestrator()]),
        ])
        let result = await test.dispatcher.actions { Session.Effect.teardown }
        #expect(auth.effects.count == 2)
        #expect(profile.effects as? [Profile.Effect] == [.clearProfile])
        #expect(result.outcomes.filter { $0.status == .succeeded }.map(\.recipient.module) == ["SessionOrchestration"])
        #expect(result.failures.count == 1)
    }
}
