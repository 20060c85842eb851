import AuthReluxInt
import ProfileReluxInt
import Relux
import ReluxTestKit
import SessionOrchestrationImpl
import SettingsReluxInt
import Testing

@Suite struct SessionOrchestrationTests {
    let recorder = RecordingLogger()
    let node: Relux

    init() async {
        node = await Relux(logger: recorder).register { SessionOrchestration.Module() }
    }

    /// What the orchestrator answers to an effect, sorted, for a concurrent batch ends in any order.
    func answer(to effect: any Relux.Effect) async -> [String] {
        await node.dispatcher.actions { effect }
        return recorder.entries.filter { $0.module == "SessionOrchestration" }.map(\.description).sorted()
    }

    @Test func `when Auth runs the logout flow then Profile is cleared and Settings are reset`() async {
        #expect(
            await answer(to: Auth.Business.Effect.runLogoutFlow) == [
                "Profile.Business.Effect.clearProfile", "Settings.Business.Effect.resetToDefaults",
            ])
    }

    @Test func `when somebody has logged in then their profile and settings are loaded`() async {
        #expect(
            await answer(to: Auth.Business.Effect.authSucceeded(userId: "u1")) == [
                "Profile.Business.Effect.fetchProfile(userId: u1)", "Settings.Business.Effect.loadSettings(userId: u1)",
            ])
    }

    @Test func `when an account is deleted then what others keep about the user goes too`() async {
        #expect(
            await answer(to: Auth.Business.Effect.accountDeleted(userId: "u1")) == [
                "Profile.Business.Effect.deleteProfile(userId: u1)",
                "Settings.Business.Effect.forgetSettings(userId: u1)", "Settings.Business.Effect.resetToDefaults",
            ])
    }

    @Test func `when a profile is refused for want of a session then Auth asks for a new login`() async {
        #expect(
            await answer(to: Profile.Business.Effect.profileFetchFailed(error: .notAuthenticated))
                == ["Auth.Business.Effect.forceReauthentication"])
    }

    @Test func `when a profile cannot be read for another reason then Auth is left alone`() async {
        let error = Profile.Business.Model.Failure(code: .storage, message: "no disk")
        #expect(await answer(to: Profile.Business.Effect.profileFetchFailed(error: error)).isEmpty)
    }

    @Test func `when a profile is deleted then the session ends`() async {
        #expect(await answer(to: Profile.Business.Effect.profileDeleted(userId: "u1")) == ["Auth.Business.Effect.logout"])
    }

    @Test func `when Settings know of no session then Auth is asked`() async {
        #expect(
            await answer(to: Settings.Business.Effect.settingsFailed(error: .notAuthenticated))
                == ["Auth.Business.Effect.validateSession"])
    }

    @Test func `its own effects end and refresh the session`() async {
        #expect(
            await answer(to: SessionOrchestration.Effect.teardownSession) == [
                "Auth.Business.Effect.logout", "Profile.Business.Effect.clearProfile",
                "Settings.Business.Effect.resetToDefaults",
            ])
    }

    @Test func `a refresh asks Auth`() async {
        #expect(await answer(to: SessionOrchestration.Effect.refreshSession) == ["Auth.Business.Effect.validateSession"])
    }

    @Test func `it has no state and no flow`() {
        let module = SessionOrchestration.Module()
        #expect(module.moduleID == "SessionOrchestration")
        #expect(module.states.isEmpty && module.relays.isEmpty)
        #expect(module.sagas.allSatisfy { !($0 is any Relux.Flow) })
    }

    @Test func `it answers nothing of its own`() async {
        let result = await node.dispatcher.actions { SessionOrchestration.Effect.refreshSession }
        #expect(result.isSuccess)
        #expect(result.outcomes.allSatisfy { $0.value == nil })
    }
}
