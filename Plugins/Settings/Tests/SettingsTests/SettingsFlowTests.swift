import NavigationModels
import NavigationReluxInt
import Relux
import ReluxIoC
import ReluxTestKit
import ReluxTestTraits
import SettingsModels
@testable import SettingsReluxImpl
import SettingsReluxInt
import SettingsServiceImpl
import SettingsServiceInt
import SettingsTestSupport
import Testing

@MainActor
@Suite(.noRefusals) struct SettingsFlowTests {
    typealias Effect = Settings.Business.Effect
    typealias Key = Settings.Business.Model.Key
    typealias Router = Settings.Business.RouterStub
    typealias Values = Settings.Business.Model.Values

    let service: Settings.Business.ServiceMock
    let recorder = RecordingLogger()
    let node: Relux
    let dark: Values

    init() async throws {
        var dark = Key.defaults
        dark[.theme] = "dark"
        self.dark = dark
        service = Settings.Business.ServiceMock(values: ["u1": dark])
        node = Relux(logger: recorder)
        let ioc = Settings.Module.buildIoC(router: Router(), directory: "/nowhere")
        ioc.register((any Settings.Business.IService).self, withReplacement: true) { [service] in service }
        try await node.add(Settings.Module(ioc: ioc))
    }

    var state: Settings.Business.Snapshot? { node.store.getState(Settings.Business.State.self)?.current }

    @Test func `a user's settings become the active ones`() async {
        #expect(state == .defaults)
        let result = await node.dispatcher.actions { Effect.loadSettings(userId: "u1") }
        #expect(result.value(Values.self, from: "Settings") == dark)
        #expect(state == .init(userId: "u1", values: dark, failure: nil))
        #expect(recorder.told("Settings.Business.Effect.settingsLoaded") == 1)
    }

    @Test func `a setting is changed for the active user and told`() async {
        await node.dispatcher.actions { Effect.loadSettings(userId: "u2") }
        let result = await node.dispatcher.actions { Effect.set(key: .fontSize, value: "20") }
        #expect(result.value(Values.self, from: "Settings")?[.fontSize] == "20")
        #expect(service.calls.last == .set(.fontSize, to: "20", userId: "u2"))
        #expect(state?.values[.fontSize] == "20")
        #expect(recorder.told("Settings.Business.Effect.settingChanged") == 1)
    }

    @Test func `without an active user nothing can be set`() async {
        let result = await node.dispatcher.actions { Effect.set(key: .theme, value: "dark") }
        #expect(result.failures.map(\.code) == ["notAuthenticated"])
        #expect(state?.failure == .notAuthenticated)
        #expect(service.calls.isEmpty)
    }

    @Test func `the next life goes on with whose settings were active, and with what is stored of them`() async {
        let state = Settings.Business.State(svc: service)
        await state.reduce(with: Settings.Business.Action.activated(userId: "u1", values: Key.defaults))
        let next = Settings.Business.State(svc: service)
        await next.restore(state.stored)
        #expect(next.current == .init(userId: "u1", values: dark, failure: nil))
        await state.reduce(with: Effect.resetToDefaults)
        let last = Settings.Business.State(svc: service)
        await last.restore(state.stored)
        #expect(last.current == .defaults)
    }

    @Test func `a reset makes the defaults active and leaves what is stored`() async {
        await node.dispatcher.actions { Effect.loadSettings(userId: "u1") }
        await node.dispatcher.actions { Effect.resetToDefaults }
        #expect(state == .defaults)
        #expect(service.calls == [.values(userId: "u1")])
    }

    @Test func `forgetting a user's settings changes the active ones only if they are theirs`() async {
        await node.dispatcher.actions { Effect.loadSettings(userId: "u1") }
        await node.dispatcher.actions { Effect.forgetSettings(userId: "u2") }
        #expect(state?.values == dark)
        await node.dispatcher.actions { Effect.forgetSettings(userId: "u1") }
        #expect(state == .init(userId: "u1", values: Key.defaults, failure: nil))
    }

    @Test func `the page of the settings is asked of the router`() async {
        await node.dispatcher.actions { Effect.showSettings }
        #expect(recorder.all(Router.Action.self) == [.set(.list)])
        #expect(Settings.RouterAdapter().setSettingsPage(.list) is Navigation.Business.Effect)
    }

    @Test func `a failure is told and one of the storage is tracked`() async {
        service.fail(.init(code: .storage, message: "no disk"))
        let result = await node.dispatcher.actions { Effect.loadSettings(userId: "u1") }
        #expect(result.failures.map(\.message).contains("no disk"))
        #expect(recorder.told("Settings.Business.Effect.settingsFailed") == 1)
        #expect(recorder.told("ErrorHandling.Business.Effect.track") == 1)
    }

    @Test func `settings survive the way to the bus and back`() throws {
        let effect = Effect.settingsLoaded(userId: "u1", values: dark)
        let back = try CBOR.decode(Effect.self, from: CBOR.encode(effect))
        guard case .settingsLoaded("u1", dark) = back else {
            Issue.record("\(back)")
            return
        }
    }

    @Test func `the module with its real service keeps a setting`() async throws {
        let directory = TemporaryDirectory()
        let ioc = Settings.Module.buildIoC(router: Settings.RouterAdapter(), directory: directory.path)
        #expect(ioc.refusals.isEmpty)
        let module = try Settings.Module(ioc: ioc)
        #expect(module.moduleID == "Settings")
        let node = Relux()
        try await node.add(module)
        await node.dispatcher.actions {
            Effect.loadSettings(userId: "u1")
            Effect.set(key: .language, value: "fr")
            Effect.resetToDefaults
        }
        let result = await node.dispatcher.actions { Effect.loadSettings(userId: "u1") }
        #expect(result.value(Values.self, from: "Settings")?[.language] == "fr")
    }
}
