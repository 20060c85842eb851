import AuthModels
@testable import AuthReluxImpl
import AuthReluxInt
import AuthServiceInt
import AuthTestSupport
import ErrorHandlingModels
import ErrorHandlingReluxInt
import Relux
import ReluxIoC
import ReluxTestKit
import ReluxTestTraits
import Testing

@MainActor
@Suite(.noRefusals) struct AuthFlowTests {
    typealias Effect = Auth.Business.Effect
    typealias Failure = Auth.Business.Model.Failure
    typealias Router = Auth.Business.RouterStub

    let service = Auth.Business.ServiceMock()
    let recorder = RecordingLogger()
    let node: Relux

    init() async throws {
        node = Relux(logger: recorder)
        let ioc = Auth.Module.buildIoC(router: Router(), directory: "/nowhere")
        ioc.register((any Auth.Business.IService).self, withReplacement: true) { [service] in service }
        try await node.add(Auth.Module(ioc: ioc))
    }

    var state: Auth.Business.Snapshot? { node.store.getState(Auth.Business.State.self)?.current }

    /// What was dispatched, as a log shows it.
    var log: [String] { recorder.entries.map(\.description) }

    @Test(arguments: [
        Effect.login(name: "alice", password: "correct horse"), .register(name: "alice", password: "correct horse"),
    ])
    func `opening a session answers with the user id and tells others`(effect: Effect) async {
        let result = await node.dispatcher.actions { effect }
        #expect(result.value(String.self, from: "Auth") == "user-alice")
        #expect(state == .init(isAuthenticated: true, userId: "user-alice", name: "alice", failure: nil))
        #expect(log.contains("Auth.Business.Effect.authSucceeded(userId: user-alice)"))
        #expect(recorder.all(Router.Action.self) == [.main])
    }

    @Test func `a refused login answers with the reason, shows it and leaves the session alone`() async {
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        service.fail(.invalidCredentials)
        let result = await node.dispatcher.actions { Effect.login(name: "alice", password: "wrong") }
        #expect(result.failures.map(\.code) == ["invalidCredentials"])
        #expect(state?.failure == .invalidCredentials)
        #expect(state?.isAuthenticated == true)
        #expect(recorder.all(ErrorHandling.Business.Effect.self).isEmpty)
    }

    @Test func `logging in again ends the session before`() async {
        for _ in 1...2 { await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") } }
        #expect(service.calls.contains(.logout(token: "token-alice")))
    }

    @Test(arguments: [Effect.logout, .runLogoutFlow, .forceReauthentication])
    func `ending a session tells others once and shows the login page`(effect: Effect) async {
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        await node.dispatcher.actions { effect }
        #expect(state?.isAuthenticated == false)
        #expect(service.calls.last == .logout(token: "token-alice"))
        #expect(recorder.told("Auth.Business.Effect.loggedOut") == 1)
        #expect(recorder.all(Router.Action.self).last == .set(.login))
    }

    @Test func `without a session logout does nothing, so that a reaction to it cannot go on for ever`() async {
        let result = await node.dispatcher.actions { Effect.logout }
        #expect(result.isSuccess)
        #expect(service.calls.isEmpty)
        #expect(recorder.told("Auth.Business.Effect.loggedOut") == 0)
    }

    @Test func `a session that is still accepted is told again`() async {
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        let result = await node.dispatcher.actions { Effect.validateSession }
        #expect(result.value(String.self, from: "Auth") == "user-alice")
        #expect(recorder.told("Auth.Business.Effect.authSucceeded") == 2)
    }

    @Test func `a session that is no longer accepted ends`() async {
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        service.fail(.invalidSession)
        let result = await node.dispatcher.actions { Effect.validateSession }
        #expect(result.failures.map(\.code) == ["invalidSession"])
        #expect(state == .init(isAuthenticated: false, userId: nil, name: nil, failure: .invalidSession))
        #expect(recorder.told("Auth.Business.Effect.loggedOut") == 1)
    }

    @Test func `a deleted account is told to others before the logout`() async {
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        let result = await node.dispatcher.actions { Effect.deleteAccount }
        #expect(result.value(String.self, from: "Auth") == "user-alice")
        let told = log.filter { $0.hasSuffix("loggedOut") || $0.contains("accountDeleted") }
        #expect(told == ["Auth.Business.Effect.accountDeleted(userId: user-alice)", "Auth.Business.Effect.loggedOut"])
        let again = await node.dispatcher.actions { Effect.deleteAccount }
        #expect(again.failures.map(\.code) == ["invalidSession"])
    }

    @Test func `a failure of the storage is tracked`() async {
        service.fail(.init(code: .storage, message: "no disk"))
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        #expect(recorder.told("ErrorHandling.Business.Effect.track") == 1)
    }

    @Test func `no log shows a password or a token`() async {
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        await node.dispatcher.actions { Effect.deleteAccount }
        #expect(log.contains("Auth.Business.Effect.login(name: alice, password: •••)"))
        #expect(!recorder.text.contains("horse") && !recorder.text.contains("token-alice"))
    }

    @Test func `on the bus a password is sealed, and without a key it does not go there at all`() throws {
        let effect = Effect.login(name: "alice", password: "correct horse")
        #expect(throws: (any Error).self) { try CBOR.encode(effect) }
        let sealing: [CodingUserInfoKey: any Sendable] = [.reluxSealer: XORSealing()]
        let bytes = try CBOR.encode(effect, userInfo: sealing)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("horse"))
        guard case .login("alice", "correct horse") = try CBOR.decode(Effect.self, from: bytes, userInfo: sealing) else {
            Issue.record("another effect came back")
            return
        }
    }

    @Test func `cleaning up forgets the session`() async {
        await node.dispatcher.actions { Effect.login(name: "alice", password: "correct horse") }
        _ = await node.store.cleanup()
        #expect(state == .init(isAuthenticated: false, userId: nil, name: nil, failure: nil))
    }
}
