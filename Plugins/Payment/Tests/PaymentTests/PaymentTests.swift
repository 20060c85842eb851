import PaymentModels
@testable import PaymentReluxImpl
import PaymentReluxInt
import PaymentServiceImpl
import PaymentServiceInt
import PaymentTestSupport
import Relux
import ReluxIoC
import ReluxPlugin
import ReluxTestKit
import Testing

@MainActor
@Suite struct PaymentTests {
    typealias Effect = Payment.Business.Effect
    typealias Failure = Payment.Business.Model.Failure
    typealias Receipt = Payment.Business.Model.Receipt

    let down = Failure(code: .unreachable, message: "the test's service is down")
    let recorder = RecordingLogger()
    let service = Payment.Business.ServiceMock()
    let node: Relux

    init() async throws {
        node = Relux(logger: recorder)
        let ioc = Payment.Module.buildIoC()
        ioc.register((any Payment.Business.IService).self, withReplacement: true) { [service] in service }
        try await node.add(Payment.Module(ioc: ioc))
    }

    func run(_ effect: Effect) async -> Relux.ActionResult { await node.dispatcher.actions { effect } }

    var due: [String] { node.store.getState(Payment.Business.State.self)?.current.due ?? [] }

    func told(_ path: String) -> Int { recorder.entries.filter { $0.description.hasPrefix(path) }.count }

    @Test func `a capture answers with the receipt and tells it`() async {
        let result = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(result.value(Receipt.self, from: "Payment") == Receipt(id: "r-o1", orderId: "o1", amount: 5))
        #expect(told("Payment.Business.Effect.captured(") == 1)
    }

    @Test func `an outcome that cannot be kept is told as money that may have been taken`() async {
        service.answer(receipt: String(repeating: "r", count: 1_100_000))
        let result = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(result.failures.map(\.code) == ["unexpectedAnswer"])
        #expect(told("Payment.Business.Effect.captured(") == 0)
        let failed = recorder.entries.compactMap { entry in
            if case .paymentFailed("o1", let error)? = entry.action as? Effect { error } else { nil }
        }
        #expect(failed.map(\.mayHaveCaptured) == [true])
    }

    @Test func `a service that is down is told, tracked and answered`() async {
        service.fail(down)
        let result = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(result.failures.map(\.code) == ["unreachable"])
        #expect(told("Payment.Business.Effect.paymentFailed(") == 1)
        #expect(told("ErrorHandling.Business.Effect.track(") == 1)
    }

    @Test func `a charge that is declined is nothing to track`() async {
        service.fail(Failure(code: .declined, message: "no"))
        _ = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(told("ErrorHandling.Business.Effect.track(") == 0)
    }

    @Test func `a refund stays due until it is done`() async {
        service.fail(down)
        _ = await run(.refund(orderId: "o1", reason: "no stock"))
        _ = await run(.refund(orderId: "o2", reason: "no stock"))
        #expect(due == ["o1", "o2"])
        #expect(told("Payment.Business.Effect.refundFailed(") == 2)
        // A service that is down ends a round.
        _ = await run(.retryRefunds)
        #expect(service.calls.count == 3)
        service.fail(nil)
        #expect(await run(.retryRefunds).isSuccess)
        #expect(due.isEmpty)
        #expect(told("Payment.Business.Effect.refunded(") == 2)
    }

    @Test func `a refund that is refused holds up no other`() async {
        service.fail(down)
        for id in ["o1", "o2", "o3"] { _ = await run(.refund(orderId: id, reason: "no stock")) }
        service.fail(nil)
        service.fail(Failure(code: .rejected, message: "there is no such order"), for: "o1")
        #expect(await run(.retryRefunds).failures.map(\.code) == ["rejected"])
        #expect(due == ["o1"])
        #expect(told("Payment.Business.Effect.refunded(") == 2)
    }

    @Test func `what is due survives in the state`() async throws {
        let state = Payment.Business.State()
        await state.restore(["o1": "no stock"])
        #expect(state.current.due == ["o1"])
        await state.cleanup()
        #expect(state.stored == ["o1": "no stock"])
    }

    @Test func `the mock service takes and gives back within the process`() async throws {
        let service = Payment.Business.ServiceInMemory()
        let charge = Payment.Business.Model.Charge(orderId: "o1", amount: 5, payer: "u1")
        #expect(try await service.capture(charge) == service.capture(charge))
        #expect(try await service.refund(orderId: "o1") == 5)
        await #expect(throws: Failure.self) { try await service.capture(charge) }
        #expect(try await service.refund(orderId: "o2") == 0)
    }

    @Test func `the declaration says what the module does`() throws {
        let module = try Payment.Module()
        let declaration = Payment.declaration
        #expect(declaration.id == module.moduleID)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
        #expect(declaration.provides == module.relays.compactMap { ($0.snapshotType as? any Relux.SharedSnapshot.Type)?.wireTopic })
    }
}
