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
import ReluxTestTraits
import Testing

@MainActor
@Suite(.noRefusals) struct PaymentTests {
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

    @Test func `a capture answers with the receipt and tells it`() async {
        let result = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(result.value(Receipt.self, from: "Payment") == Receipt(id: "r-o1", orderId: "o1", payer: "u1", amount: 5))
        #expect(recorder.told("Payment.Business.Effect.captured") == 1)
    }

    @Test func `an outcome that cannot be kept is told as money that may have been taken`() async {
        service.answer(receipt: String(repeating: "r", count: 1_100_000))
        let result = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(result.failures.map(\.code) == ["unexpectedAnswer"])
        #expect(recorder.told("Payment.Business.Effect.captured") == 0)
        let failed = recorder.entries.compactMap { entry in
            if case .paymentFailed("o1", "u1", let error)? = entry.action as? Effect { error } else { nil }
        }
        #expect(failed.map(\.mayHaveCaptured) == [true])
    }

    @Test func `a service that is down is told, tracked and answered`() async {
        service.fail(down)
        let result = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(result.failures.map(\.code) == ["unreachable"])
        #expect(recorder.told("Payment.Business.Effect.paymentFailed") == 1)
        #expect(recorder.told("ErrorHandling.Business.Effect.track") == 1)
    }

    @Test func `a charge that is declined is nothing to track`() async {
        service.fail(Failure(code: .declined, message: "no"))
        _ = await run(.capture(orderId: "o1", amount: 5, payer: "u1"))
        #expect(recorder.told("ErrorHandling.Business.Effect.track") == 0)
    }

    /// Keeps orders: acknowledges what goes back, if it is as much as wanted.
    struct Orders: Relux.Module {
        let states: [any Relux.AnyState] = []
        let sagas: [any Relux.Saga]

        init(acknowledging wanted: @escaping @Sendable (Int64) -> Bool = { _ in true }) { sagas = [Saga(wanted)] }

        actor Saga: Relux.Saga {
            private let wanted: @Sendable (Int64) -> Bool
            init(_ wanted: @escaping @Sendable (Int64) -> Bool) { self.wanted = wanted }

            func apply(_ effect: any Relux.Effect) async {
                guard case .refunded(let orderId, let userId, let amount)? = effect as? Effect, wanted(amount) else { return }
                await actions { Effect.acknowledge(orderId: orderId, userId: userId) }
            }
        }
    }

    @Test func `a refund stays due until it is acknowledged`() async throws {
        try await node.add(Orders())
        service.fail(down)
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        _ = await run(.refund(orderId: "o2", userId: "u1", reason: "no stock"))
        #expect(due == ["o1", "o2"])
        #expect(recorder.told("Payment.Business.Effect.refundFailed") == 2)
        // A service that is down ends a round.
        _ = await run(.retryRefunds)
        #expect(service.calls.count == 3)
        service.fail(nil)
        #expect(await run(.retryRefunds).isSuccess)
        #expect(due.isEmpty)
        #expect(recorder.told("Payment.Business.Effect.refunded") == 2)
    }

    @Test func `a service that says that it has given back what is too little is asked until it says otherwise`() async throws {
        try await node.add(Orders { $0 == 578 })
        service.answer(refunded: 5)
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        _ = await run(.retryRefunds)
        #expect(due == ["o1"] && recorder.told("Payment.Business.Effect.refunded") == 2)
        service.answer(refunded: 578)
        _ = await run(.retryRefunds)
        #expect(due.isEmpty && recorder.told("Payment.Business.Effect.refunded") == 3)
    }

    @Test func `a debt of one user is not acknowledged by another of the same id`() async {
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        _ = await run(.refund(orderId: "o1", userId: "u2", reason: "nobody knows it"))
        _ = await run(.acknowledge(orderId: "o1", userId: "u2"))
        #expect(node.store.getState(Payment.Business.State.self)?.due.map(\.userId) == ["u1"])
        _ = await run(.acknowledge(orderId: "o1", userId: "u1"))
        #expect(due.isEmpty)
    }

    @Test(arguments: [
        Payment.Business.Model.Charge(orderId: "", amount: 5, payer: "u1"), .init(orderId: String(repeating: "o", count: 65), amount: 5, payer: "u1"),
        .init(orderId: "o1", amount: 5, payer: ""), .init(orderId: "o1", amount: 5, payer: String(repeating: "u", count: 121)),
        .init(orderId: "o1", amount: 0, payer: "u1"),
    ])
    func `nobody is asked for a charge without an order, a user or money, and it is told`(charge: Payment.Business.Model.Charge) async {
        let result = await run(.capture(orderId: charge.orderId, amount: charge.amount, payer: charge.payer))
        #expect(result.failures.map(\.code) == ["invalidCharge"])
        #expect(service.calls.isEmpty && recorder.told("Payment.Business.Effect.paymentFailed") == 1)
        await #expect(throws: Failure.self) { try await Payment.Business.ServiceInMemory().capture(charge) }
    }

    @Test func `nothing goes back for nobody`() async {
        for (orderId, userId) in [("o1", ""), ("", "u1")] {
            #expect(await run(.refund(orderId: orderId, userId: userId, reason: "x")).failures.map(\.code) == ["invalidCharge"])
        }
        #expect(service.calls.isEmpty && due.isEmpty)
    }

    @Test func `two spellings of one text are two orders and two users`() async throws {
        // Swift takes the two for the same text.
        let (composed, decomposed) = ("o\u{e9}", "oe\u{301}")
        for (orderId, userId) in [(composed, "u"), (decomposed, "u"), ("o1", composed), ("o1", decomposed)] {
            _ = await run(.refund(orderId: orderId, userId: userId, reason: "x"))
        }
        #expect(due.count == 4)
        _ = await run(.acknowledge(orderId: decomposed, userId: "u"))
        _ = await run(.acknowledge(orderId: "o1", userId: composed))
        #expect(due.map { Array($0.utf8) }.contains(Array(composed.utf8)) && due.count == 2)
        let memory = Payment.Business.ServiceInMemory()
        for order in [composed, decomposed] { _ = try await memory.capture(.init(orderId: order, amount: Int64(order.utf8.count), payer: composed)) }
        await #expect(throws: Failure.self) { try await memory.capture(.init(orderId: composed, amount: 3, payer: decomposed)) }
        await #expect(throws: Failure.self) { try await memory.refund(orderId: composed, payer: decomposed) }
        #expect(try await memory.refund(orderId: decomposed, payer: composed) == 4)
    }

    @Test func `an acknowledgement that ends nothing says so`() async {
        let word = await run(.acknowledge(orderId: "nosuch", userId: "u1"))
        #expect(word.isSuccess && word.value(String.self, from: "Payment")?.contains("'nosuch'") == true)
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "x"))
        #expect(await run(.acknowledge(orderId: "o1", userId: "u1")).value(String.self, from: "Payment") == nil)
        #expect(due.isEmpty)
    }

    @Test func `a debt of an earlier version is ended by the word of whose order it is`() async throws {
        let state = try #require(node.store.getState(Payment.Business.State.self))
        await state.restore(Payment.Business.State.debts(of: ["o1": "no stock", "o2": "no stock"]))
        _ = await run(.acknowledge(orderId: "o1", userId: "u1"))
        #expect(due == ["o2"])
    }

    @Test func `a refund that is refused holds up no other`() async throws {
        try await node.add(Orders())
        service.fail(down)
        for id in ["o1", "o2", "o3"] { _ = await run(.refund(orderId: id, userId: "u1", reason: "no stock")) }
        service.fail(nil)
        service.fail(Failure(code: .rejected, message: "there is no such order"), for: "o1")
        #expect(await run(.retryRefunds).failures.map(\.code) == ["rejected"])
        #expect(due == ["o1"])
        #expect(recorder.told("Payment.Business.Effect.refunded") == 2)
    }

    @Test func `a refund that is refused is asked for in ever fewer rounds, at least in each 64th, and at once by hand`() async throws {
        service.fail(Failure(code: .rejected, message: "there is no such order"), for: "o1")
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        var rounds: [Int] = []
        for round in 1...250 {
            let calls = service.calls.count
            _ = await run(.retryRefunds)
            if service.calls.count > calls { rounds.append(round) }
        }
        #expect(rounds == [1, 2, 4, 8, 16, 32, 64, 128, 192])
        let calls = service.calls.count
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        _ = await run(.retryRefunds)
        #expect(service.calls.count == calls + 2)
        // A service that is out of order says nothing of the debt.
        service.fail(Failure(code: .unavailable, message: "status 500"), for: "o1")
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        for _ in 1...5 { _ = await run(.retryRefunds) }
        #expect(service.calls.count == calls + 8)
    }

    @Test func `what has gone back and is not acknowledged is asked for in each round`() async {
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        let calls = service.calls.count
        for _ in 1...9 { _ = await run(.retryRefunds) }
        #expect(service.calls.count == calls + 9)
    }

    @Test func `refunds that are answered by an outage for ever hold up no other for longer than a round each`() async throws {
        try await node.add(Orders())
        service.fail(down)
        let ids = (1...5).map { "o\($0)" }
        for id in ids { _ = await run(.refund(orderId: id, userId: "u1", reason: "no stock")) }
        service.fail(nil)
        for id in ["o1", "o3"] { service.fail(Failure(code: .unavailable, message: "status 500"), for: id) }
        for left in [ids, ids, ["o1", "o3", "o4", "o5"]] {
            #expect(due == left)
            _ = await run(.retryRefunds)
        }
        #expect(due == ["o1", "o3"])
    }

    @Test func `what is acknowledged during a round is not asked for in it, and not due again`() async throws {
        let asked = Gate()
        for id in ["o1", "o2"] { _ = await run(.refund(orderId: id, userId: "u1", reason: "no stock")) }
        service.hold { await asked.pass() }
        async let round = run(.retryRefunds)
        try await asked.waitForArrivals(1)
        _ = await run(.acknowledge(orderId: "o2", userId: "u1"))
        asked.open()
        #expect(await round.isSuccess)
        #expect(due == ["o1"])
        #expect(service.calls == ["o1", "o2", "o1"].map { .refund($0, payer: "u1") })
    }

    @Test func `a round beside another does nothing`() async throws {
        let asked = Gate()
        _ = await run(.refund(orderId: "o1", userId: "u1", reason: "no stock"))
        service.hold { await asked.pass() }
        async let first = run(.retryRefunds)
        try await asked.waitForArrivals(1)
        let calls = service.calls.count
        #expect(await run(.retryRefunds).isSuccess)
        #expect(service.calls.count == calls)
        asked.open()
        #expect(await first.isSuccess)
        // And the next one does.
        _ = await run(.retryRefunds)
        #expect(service.calls.count == calls + 1)
    }

    @Test func `what is due survives in the state, from an earlier version too`() async throws {
        typealias State = Payment.Business.State
        typealias Debt = Payment.Business.Model.Debt
        let debts = [Debt(orderId: "o1", userId: "u1", reason: "no stock", attempts: 2), Debt(orderId: "o1", userId: "u2", reason: "unknown")]
        let state = State()
        await state.restore(debts)
        #expect(state.current.due == ["o1", "o1"])
        await state.cleanup()
        #expect(state.stored == debts)
        let older = try #require(try State.older(debts, version: 1) as? [String: String])
        #expect(older == ["o1": "no stock"])
        #expect(State.storedVersion == 2 && State.olderVersions == [1])
        #expect(State.debts(of: older) == [Debt(orderId: "o1", userId: "", reason: "no stock")])
    }

    @Test func `the mock service takes and gives back within the process`() async throws {
        let service = Payment.Business.ServiceInMemory()
        let charge = Payment.Business.Model.Charge(orderId: "o1", amount: 5, payer: "u1")
        #expect(try await service.capture(charge) == service.capture(charge))
        let others = Payment.Business.Model.Charge(orderId: "o1", amount: 5, payer: "u2")
        await #expect(throws: Failure.self) { try await service.capture(others) }
        await #expect(throws: Failure.self) { try await service.refund(orderId: "o1", payer: "u2") }
        #expect(try await service.refund(orderId: "o1", payer: "u1") == 5)
        await #expect(throws: Failure.self) { try await service.capture(charge) }
        #expect(try await service.refund(orderId: "o2", payer: "u1") == 0)
    }
}
