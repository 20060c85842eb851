import AuthReluxInt
import LibraryReluxInt
import ProfileReluxInt
import Relux
import ReluxTestKit
import ReluxTestTraits
import SessionOrchestrationImpl
import SettingsReluxInt
import Testing

@Suite(.noRefusals) struct SessionOrchestrationTests {
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

    @Test func `when somebody has logged in then their profile and settings are loaded and the library opens`() async {
        #expect(
            await answer(to: Auth.Business.Effect.authSucceeded(userId: "u1")) == [
                "Library.Business.Effect.open(userId: u1)", "Profile.Business.Effect.fetchProfile(userId: u1)",
                "Settings.Business.Effect.loadSettings(userId: u1)",
            ])
    }

    @Test func `when an account is deleted then what others keep about the user goes too`() async {
        #expect(
            await answer(to: Auth.Business.Effect.accountDeleted(userId: "u1")) == [
                "Library.Business.Effect.forgetReader(userId: u1)", "Profile.Business.Effect.deleteProfile(userId: u1)",
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

    @Test func `when the library's form was sent then Auth is asked, and the form hears of a refusal`() async {
        #expect(
            await answer(to: Library.Business.Effect.loginRequested(name: "ada", password: "lovelace"))
                == ["Auth.Business.Effect.login(name: ada, password: •••)"])
        #expect(
            await answer(to: Auth.Business.Effect.authFailed(error: .invalidCredentials)).last
                == "Library.Business.Effect.refuseLogin(reason: name or password is wrong)")
    }

    @Test func `when the library has refused its reader then Auth asks for a new login`() async {
        #expect(
            await answer(to: Library.Business.Effect.authenticationRequired(userId: "u1"))
                == ["Auth.Business.Effect.forceReauthentication"])
    }

    @Test func `when the library knows of no session then Auth is asked`() async {
        #expect(
            await answer(to: Library.Business.Effect.libraryFailed(error: .notAuthenticated))
                == ["Auth.Business.Effect.validateSession"])
    }

    @Test func `when the session has ended then the library closes`() async {
        #expect(await answer(to: Auth.Business.Effect.loggedOut) == ["Library.Business.Effect.close"])
    }

    @Test func `its own effects end and refresh the session`() async {
        #expect(
            await answer(to: SessionOrchestration.Effect.teardownSession) == [
                "Auth.Business.Effect.logout", "Library.Business.Effect.close", "Profile.Business.Effect.clearProfile",
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
