import ErrorHandlingModels
@testable import ErrorHandlingReluxImpl
import ErrorHandlingReluxInt
import ErrorHandlingServiceInt
import ErrorHandlingTestSupport
import Relux
import ReluxIoC
import ReluxTestKit
import ReluxWire
import Testing

@MainActor
@Suite struct ErrorHandlingModuleTests {
    typealias Effect = ErrorHandling.Business.Effect
    typealias TrackedError = ErrorHandling.Business.Model.TrackedError

    let service = ErrorHandling.Business.ServiceMock()
    let node = Relux()

    func register() async {
        let ioc = ErrorHandling.Module.buildIoC(directory: "/nowhere")
        ioc.register((any ErrorHandling.Business.IService).self, withReplacement: true) { [service] in service }
        let module = ErrorHandling.Module(ioc: ioc)
        await node.register { module }
    }

    func error(_ code: Int) -> TrackedError {
        TrackedError(domain: "Notes", code: code, message: "no disk")
    }

    @Test func `a tracked error is kept and shown`() async throws {
        await register()
        await node.dispatcher.actions { Effect.track(error: error(1)) }
        #expect(try await service.recent(limit: 10).map(\.error) == [error(1)])
        let state = node.store.getState(ErrorHandling.Business.State.self)
        #expect(state?.entries.map(\.error) == [error(1)])
        #expect(state?.current.total == 1)
    }

    @Test func `what comes in an effect is cut to its limits, and its sender is told so`() async throws {
        struct Said: Encodable {
            var domain = String(repeating: "d", count: 5000)
            var code = 1
            var message = "e" + String(repeating: "\u{301}", count: 5000)
        }
        await register()
        let said = try CBOR.decode(TrackedError.self, from: try CBOR.encode(Said()))
        let told = await node.dispatcher.actions { Effect.track(error: said) }
        #expect(told.failures.map(\.code) == ["tooLong"])
        #expect(told.failures.first?.message.hasPrefix("the domain has 5000 characters (Unicode scalars), and the first 100 are kept; the message has 5001") == true)
        let kept = try #require(try await service.recent(limit: 1).first?.error)
        #expect(kept.domain.count == TrackedError.domainLength && kept.message.unicodeScalars.count == TrackedError.messageLength)
    }

    @Test func `an error that cannot be kept is shown with the reason`() async {
        await register()
        service.fail(.init(code: .storage, message: "disk full"))
        await node.dispatcher.actions { Effect.track(error: error(1)) }
        let shown = node.store.getState(ErrorHandling.Business.State.self)?.entries.map(\.error)
        #expect(shown?.first == error(1))
        #expect(shown?.last?.message == "disk full")
    }

    @Test func `only the latest errors are shown and clearing keeps the count`() async {
        let state = ErrorHandling.Business.State()
        for code in 1...150 {
            await state.reduce(with: ErrorHandling.Business.Action.tracked(.init(error: error(code), trackedAt: 0)))
        }
        #expect(state.entries.count == 100)
        #expect(state.entries.last?.error.code == 150)
        await state.reduce(with: Effect.clear)
        #expect(state.current == .init(entries: [], total: 150))
    }

    @Test func `the container is wired without a refusal`() {
        #expect(ErrorHandling.Module.buildIoC(directory: "/nowhere").refusals.isEmpty)
        #expect(ErrorHandling.Module().moduleID == "ErrorHandling")
    }
}
