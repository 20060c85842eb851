import NavigationModels
import NavigationReluxInt
import ProfileModels
@testable import ProfileReluxImpl
import ProfileReluxInt
import ProfileServiceImpl
import ProfileServiceInt
import ProfileTestSupport
import Relux
import ReluxIoC
import ReluxTestKit
import ReluxTestTraits
import Testing

@MainActor
@Suite(.noRefusals) struct ProfileFlowTests {
    typealias Effect = Profile.Business.Effect
    typealias Failure = Profile.Business.Model.Failure
    typealias Router = Profile.Business.RouterStub
    typealias UserProfile = Profile.Business.Model.UserProfile

    let alice = UserProfile(userId: "u1", displayName: "Alice", revision: 1)
    let service: Profile.Business.ServiceMock
    let recorder = RecordingLogger()
    let node: Relux

    init() async throws {
        service = Profile.Business.ServiceMock(profiles: [alice])
        node = Relux(logger: recorder)
        let ioc = Profile.Module.buildIoC(router: Router(), directory: "/nowhere")
        ioc.register((any Profile.Business.IService).self, withReplacement: true) { [service] in service }
        try await node.add(Profile.Module(ioc: ioc))
    }

    var state: Profile.Business.Snapshot? { node.store.getState(Profile.Business.State.self)?.current }

    @Test func `a fetched profile is shown, told and answered`() async {
        let result = await node.dispatcher.actions { Effect.fetchProfile(userId: "u1") }
        #expect(result.value(UserProfile.self, from: "Profile") == alice)
        #expect(state == .init(profile: alice, failure: nil))
        #expect(recorder.told("Profile.Business.Effect.profileFetched") == 1)
    }

    @Test func `a fetch without a user fails with an authentication error that is told`() async {
        service.fail(.notAuthenticated)
        let result = await node.dispatcher.actions { Effect.fetchProfile(userId: "") }
        #expect(result.failures.map(\.code) == ["notAuthenticated"])
        #expect(state?.failure?.isAuthError == true)
        #expect(recorder.told("Profile.Business.Effect.profileFetchFailed") == 1)
    }

    @Test func `an update is saved, shown and leads to the details`() async {
        let result = await node.dispatcher.actions {
            Effect.updateProfile(userId: "u1", displayName: "Alice B.", about: "reads")
        }
        #expect(result.value(UserProfile.self, from: "Profile")?.revision == 2)
        #expect(state?.profile?.displayName == "Alice B.")
        #expect(recorder.told("Profile.Business.Effect.profileUpdated") == 1)
        #expect(recorder.all(Router.Action.self) == [.set(.details(userId: "u1"))])
    }

    @Test func `a reset empties the fields`() async {
        let result = await node.dispatcher.actions { Effect.resetProfile(userId: "u1") }
        #expect(result.value(UserProfile.self, from: "Profile") == UserProfile(userId: "u1"))
    }

    @Test func `clearing hides the profile and leaves what is stored`() async {
        await node.dispatcher.actions { Effect.fetchProfile(userId: "u1") }
        await node.dispatcher.actions { Effect.clearProfile }
        #expect(state == .init(profile: nil, failure: nil))
        #expect(service.calls == [.fetch(userId: "u1")])
    }

    @Test func `a deletion is told with the user`() async {
        await node.dispatcher.actions { Effect.fetchProfile(userId: "u1") }
        let result = await node.dispatcher.actions { Effect.deleteProfile(userId: "u1") }
        #expect(result.isSuccess)
        #expect(state?.profile == nil)
        #expect(recorder.told("Profile.Business.Effect.profileDeleted") == 1)
    }

    @Test func `a deletion that failed is not told and a storage failure is tracked`() async {
        service.fail(.init(code: .storage, message: "no disk"))
        let result = await node.dispatcher.actions { Effect.deleteProfile(userId: "u1") }
        #expect(result.isFailure)
        #expect(recorder.told("Profile.Business.Effect.profileDeleted") == 0)
        #expect(recorder.told("ErrorHandling.Business.Effect.track") == 1)
    }

    @Test func `the module with its real service keeps a profile`() async throws {
        let directory = TemporaryDirectory()
        let ioc = Profile.Module.buildIoC(router: Profile.RouterAdapter(), directory: directory.path)
        #expect(ioc.refusals.isEmpty)
        let module = try Profile.Module(ioc: ioc)
        #expect(module.moduleID == "Profile")
        let node = Relux()
        try await node.add(module)
        await node.dispatcher.actions { Effect.updateProfile(userId: "u1", displayName: "A", about: "") }
        let result = await node.dispatcher.actions { Effect.fetchProfile(userId: "u1") }
        #expect(result.value(UserProfile.self, from: "Profile")?.displayName == "A")
    }

    @Test func `the router's actions are effects of Navigation`() {
        let router = Profile.RouterAdapter()
        #expect(router.setProfilePage(.edit(userId: "u1")) is Navigation.Business.Effect)
        #expect(router.pushMain() is Navigation.Business.Effect)
    }
}
