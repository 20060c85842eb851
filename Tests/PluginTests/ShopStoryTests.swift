import AuthReluxInt
import CartReluxImpl
import CartReluxInt
@testable import CheckoutReluxImpl
import CheckoutReluxInt
import CheckoutServiceImpl
import CheckoutServiceInt
import CheckoutTestSupport
@testable import CommerceOrchestrationImpl
@testable import PaymentReluxImpl
import PaymentReluxInt
import PaymentServiceImpl
import PaymentServiceInt
import PaymentTestSupport
import Relux
import ReluxIoC
import ReluxTestKit
import Testing

/// The shop in one node: what its domains do for each other, also when users, services and disks come in between.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct ShopStoryTests {
    let node = Relux()
    let clock = ManualClock()
    let payment = Payment.Business.ServiceMock()
    let disk = Checkout.Business.FailingServiceMock(Checkout.Business.ServiceInMemory(), disk: .works)
    /// Bread costs so much.
    nonisolated static let price: Int64 = 100

    init() async throws {
        let payments = Payment.Module.buildIoC()
        payments.register((any Payment.Business.IService).self, withReplacement: true) { [payment] in payment }
        let orders = Checkout.Module.buildIoC(router: Checkout.RouterAdapter(), directory: "/nowhere")
        orders.register((any Checkout.Business.IService).self, withReplacement: true) { [disk] in disk }
        try await node.add(IoC.with(services: .mock) { try Cart.Module(directory: "/nowhere") })
        try await node.add(Checkout.Module(ioc: orders))
        try await node.add(Payment.Module(ioc: payments))
        // Refunds that are due are asked for when a test says so, whatever the environment and the clock.
        try await node.add(CommerceOrchestration.Module(CommerceOrchestration.Refunds(every: .seconds(1), clock: clock.nodeClock)))
    }

    func logIn(_ user: String) async { await node.dispatcher.actions { Auth.Business.Effect.authSucceeded(userId: user) } }

    func buy(_ id: String, _ sku: String = "bread") async -> Relux.ActionResult {
        await node.dispatcher.actions { Cart.Business.Effect.add(sku: sku, quantity: 1) }
        return await node.dispatcher.actions { Cart.Business.Effect.checkOut(id: id) }
    }

    func purchase(_ id: String) async -> Checkout.Business.Model.Purchase? {
        await node.dispatcher.actions { Checkout.Business.Effect.status(orderId: id) }.value(Checkout.Business.Model.Purchase.self, from: "Checkout")
    }

    func retry() async { await node.dispatcher.actions { Payment.Business.Effect.retryRefunds } }

    var inCart: [String] { node.store.getRelay(for: Cart.Business.Snapshot.self)?.value.lines.map(\.sku) ?? [] }
    var due: [String] { node.store.getRelay(for: Payment.Business.Snapshot.self)?.value.due ?? [] }

    /// Snapshots are on their way by themselves.
    func comes(_ isThere: () -> Bool) async throws {
        while !isThere() {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `of two users who choose one id at once the first has it, and neither cart hears of the other's purchase`() async throws {
        let asked = Gate()
        payment.hold { await asked.pass() }
        await logIn("u1")
        async let first = buy("o1")
        try await asked.waitForArrivals(1)

        // The first one's payment is under way when somebody else takes over.
        await logIn("u2")
        let second = await buy("o1", "milk")
        #expect(second.failures.map(\.code) == ["notBought"], "\(second)")
        #expect(second.failures.first?.message.contains("choose a new one") == true)
        asked.open()
        _ = await first
        #expect(await purchase("o1")?.phase == .placed)
        #expect(await purchase("o1")?.order.userId == "u1")
        try await comes { inCart == ["milk"] }
        // It was not bought: asked for again, it is still not.
        #expect(await node.dispatcher.actions { Cart.Business.Effect.checkOut(id: "o1") }.failures.map(\.code) == ["notBought"])
        #expect(await buy("o2", "milk").isSuccess)
        try await comes { inCart.isEmpty }
        #expect(payment.calls == [.capture(charge("o1", "u1", 1)), .capture(charge("o2", "u2", 2))])
    }

    private func charge(_ id: String, _ user: String, _ pieces: Int64) -> Payment.Business.Model.Charge {
        .init(orderId: id, amount: pieces * Self.price, payer: user)
    }

    @Test func `what goes back wrongly, or cannot be written down, is asked back until it is right and written`() async throws {
        await node.dispatcher.actions { Checkout.Business.Effect.setStock(sku: "bread", quantity: 0) }
        payment.answer(refunded: 1)
        await logIn("u1")
        #expect(await buy("o1").failures.map(\.code) == ["notBought"])
        #expect(await purchase("o1")?.phase == .refundPending)
        try await comes { due == ["o1"] }
        payment.answer(refunded: Self.price)
        disk.set(.full)
        await retry()
        disk.set(.works)
        #expect(await purchase("o1")?.phase == .refundPending)
        #expect(due == ["o1"])
        await retry()
        #expect(await purchase("o1")?.phase == .refunded)
        try await comes { due.isEmpty }
    }

    @Test func `a purchase that was declined while the disk was full is closed when there is room again`() async throws {
        await logIn("u1")
        payment.fail(.init(code: .declined, message: "no money"))
        payment.answer(refunded: 0)
        payment.hold { [disk] in disk.set(.full) }
        #expect(await buy("o1").failures.map(\.code) == ["notBought"])
        disk.set(.works)
        payment.fail(nil)
        payment.hold {}
        #expect(await purchase("o1")?.phase == .begun)
        try await comes { due == ["o1"] }
        await retry()
        #expect(await purchase("o1")?.phase == .failed)
        try await comes { due.isEmpty }
    }

    @Test func `an order whose money is asked back by hand goes back into the stock`() async throws {
        await node.dispatcher.actions { Checkout.Business.Effect.setStock(sku: "bread", quantity: 1) }
        payment.answer(refunded: Self.price)
        await logIn("u1")
        #expect(await buy("o1").isSuccess)
        #expect(await buy("o2").failures.map(\.code) == ["notBought"])
        await node.dispatcher.actions { Payment.Business.Effect.refund(orderId: "o1", userId: "u1", reason: "sent back") }
        #expect(await purchase("o1")?.phase == .refunded)
        #expect(await node.dispatcher.actions { Cart.Business.Effect.checkOut(id: "o3") }.isSuccess)
    }

    @Test(arguments: [price, 1])
    func `what is said of a paid order under another user's name gives nobody's money back`(amount: Int64) async throws {
        payment.pass(to: Payment.Business.ServiceInMemory())
        await logIn("u1")
        #expect(await buy("o1").isSuccess)
        let capture = await node.dispatcher.actions { Payment.Business.Effect.capture(orderId: "o1", amount: amount, payer: "u2") }
        #expect(capture.failures.map(\.code) == ["rejected"])
        for effect in [
            Checkout.Business.Effect.cancel(orderId: "o1", userId: "u2", reason: "no answer"), .place(orderId: "o1", userId: "u2", receipt: "r"),
            .settle(orderId: "o1", userId: "u2", amount: amount),
        ] {
            #expect(await node.dispatcher.actions { effect }.failures.map(\.code) == ["otherUser"])
        }
        #expect(payment.calls.allSatisfy { if case .capture = $0 { true } else { false } }, "\(payment.calls)")
        #expect(due.isEmpty)
        // Asked outright, the service refuses it, and it is not settled.
        await node.dispatcher.actions { Payment.Business.Effect.refund(orderId: "o1", userId: "u2", reason: "mine") }
        try await comes { due == ["o1"] }
        #expect(await purchase("o1")?.phase == .placed)
        // It is all there for whose it is.
        await node.dispatcher.actions { Payment.Business.Effect.refund(orderId: "o1", userId: "u1", reason: "sent back") }
        #expect(await purchase("o1")?.phase == .refunded)
    }

    @Test func `who has paid for another's order has their own money back, and the order waits for its own`() async throws {
        let service = Payment.Business.ServiceInMemory()
        payment.hold { [node, payment] in
            payment.hold {}
            // Before the one whose order it is.
            await node.dispatcher.actions { Payment.Business.Effect.capture(orderId: "o1", amount: Self.price, payer: "u2") }
        }
        payment.pass(to: service)
        await logIn("u1")
        #expect(await buy("o1").failures.map(\.code) == ["notBought"])
        #expect(payment.calls.filter { $0 == .refund("o1", payer: "u2") }.count == 1, "\(payment.calls)")
        #expect(await purchase("o1")?.phase == .failed)
    }

    @Test func `a check-out whose user has gone when it is declined does not look as if it was bought`() async throws {
        await logIn("u1")
        payment.fail(.init(code: .declined, message: "no money"))
        payment.hold { [node] in await node.dispatcher.actions { Auth.Business.Effect.authSucceeded(userId: "u2") } }
        #expect(await buy("o1").failures.map(\.code) == ["undecided"])
    }
}
