import AuthModels
@testable import AuthReluxImpl
import AuthReluxInt
import AuthServiceImpl
import AuthServiceInt
import NavigationModels
import NavigationReluxInt
import Relux
import ReluxIoC
import ReluxTestKit
import Testing

@MainActor
@Suite struct AuthModuleTests {
    let directory = TemporaryDirectory()

    @Test func `a module with its real service plays a session`() async throws {
        let ioc = Auth.Module.buildIoC(router: Auth.RouterAdapter(), directory: directory.path)
        #expect(ioc.refusals.isEmpty)
        let node = Relux()
        let module = try Auth.Module(ioc: ioc)
        try await node.add(module)
        let registered = await node.dispatcher.actions { Auth.Business.Effect.register(name: "alice", password: "correct horse") }
        let userId = try #require(registered.value(String.self, from: "Auth"))
        await node.dispatcher.actions { Auth.Business.Effect.logout }
        let login = await node.dispatcher.actions { Auth.Business.Effect.login(name: "alice", password: "correct horse") }
        #expect(login.value(String.self, from: "Auth") == userId)
    }

    @Test func `the module is called Auth and its effects Auth Business Effect`() throws {
        let module = try Auth.Module()
        #expect(module.moduleID == "Auth")
        #expect(module.handles?.map { $0.wireTopic } == ["Auth.Business.Effect", "Orchestration.Business.Request"])
        #expect(Auth.Business.Snapshot.wireTopic == "Auth.Business.Snapshot")
    }

    @Test func `the router's actions are effects of Navigation, so that they may leave the process`() {
        let router = Auth.RouterAdapter()
        #expect(router.setAuthPage(.register) is Navigation.Business.Effect)
        #expect(router.pushMain() is Navigation.Business.Effect)
    }
}
