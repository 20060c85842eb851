import AuthReluxInt
import CartReluxInt
import CheckoutReluxInt
@testable import CommerceOrchestrationImpl
import PaymentReluxInt
import Relux
import ReluxPlugin
import ReluxTestKit
import ReluxTestTraits
import Testing

@Suite(.noRefusals, .timeLimit(.minutes(1))) struct CommerceOrchestrationTests {
    let recorder = RecordingLogger()
    let clock = ManualClock()
    let node: Relux

    init() async throws {
        node = Relux(logger: recorder)
        try await node.add(CommerceOrchestration.Module(CommerceOrchestration.Refunds(every: .milliseconds(100), clock: clock.nodeClock)))
    }

    /// What the orchestrator answers to an effect, sorted, for a concurrent batch ends in any order.
    func answer(to effect: any Relux.Effect) async -> [String] {
        await node.dispatcher.actions { effect }
        return recorder.entries.filter { $0.module == "CommerceOrchestration" }.map(\.description).sorted()
    }

    @Test func `a login gives the cart to the user and looks after what is owed, which nobody waits for`() async throws {
        let refunds = Gate()
        try await node.add(Refunds(refunds))
        // It would wait for the gate if the login did.
        #expect(await answer(to: Auth.Business.Effect.authSucceeded(userId: "u1")) == ["Cart.Business.Effect.assign(userId: u1)"])
        try await refunds.waitForArrivals(1)
        refunds.open()
        try await recorder.wait(for: "the refunds to end") { entries in
            entries.contains { $0.module == "CommerceOrchestration" && $0.description == "Payment.Business.Effect.retryRefunds" }
        }
    }

    @Test func `the end of a session empties the cart`() async {
        #expect(await answer(to: Auth.Business.Effect.loggedOut) == ["Cart.Business.Effect.release"])
    }

    @Test func `a check-out begins a purchase of the same lines`() async {
        let request = Cart.Business.Model.Request(id: "o1", userId: "u1", lines: [.init(sku: "milk", quantity: 2, unitPrice: 129)])
        let answer = await answer(to: Cart.Business.Effect.checkOutRequested(request: request))
        #expect(answer.count == 1 && answer.first?.hasPrefix("Checkout.Business.Effect.begin(order: ") == true)
        for part in ["o1", "u1", "milk", "129", "258"] { #expect(answer.first?.contains(part) == true, "\(answer)") }
    }

    @Test func `a cart that knows nobody asks for the session`() async {
        #expect(await answer(to: Cart.Business.Effect.cartFailed(error: .notAuthenticated)) == ["Auth.Business.Effect.validateSession"])
        let other = Cart.Business.Model.Failure(code: .empty, message: "empty")
        #expect(await answer(to: Cart.Business.Effect.cartFailed(error: other)).count == 1)
    }

    @Test func `a purchase that has begun is paid, a paid one is placed, a placed one clears the cart`() async {
        #expect(
            await answer(to: Checkout.Business.Effect.begun(orderId: "o1", userId: "u1", total: 258))
                == ["Payment.Business.Effect.capture(orderId: o1, amount: 258, payer: u1)"])
        let receipt = Payment.Business.Model.Receipt(id: "r1", orderId: "o1", payer: "u1", amount: 258)
        #expect(await answer(to: Payment.Business.Effect.captured(receipt: receipt)).contains("Checkout.Business.Effect.place(orderId: o1, userId: u1, receipt: r1)"))
        #expect(await answer(to: Checkout.Business.Effect.orderPlaced(orderId: "o1", userId: "u1")).contains("Cart.Business.Effect.bought(id: o1, userId: u1)"))
    }

    @Test func `a paid purchase that cannot be ordered gives the money back`() async {
        let error = Checkout.Business.Model.Failure(code: .outOfStock, message: "no 'milk'")
        #expect(
            await answer(to: Checkout.Business.Effect.orderFailed(orderId: "o1", userId: "u1", error: error)) == [
                "Cart.Business.Effect.notBought(id: o1, userId: u1, reason: no 'milk')", "Payment.Business.Effect.refund(orderId: o1, userId: u1, reason: no 'milk')",
            ])
    }

    @Test func `a purchase that is refused is not bought, and nothing goes back`() async {
        let error = Checkout.Business.Model.Failure(code: .invalidOrder, message: "another's id")
        #expect(
            await answer(to: Checkout.Business.Effect.refused(orderId: "o1", userId: "u1", error: error))
                == ["Cart.Business.Effect.notBought(id: o1, userId: u1, reason: another's id)"])
    }

    @Test func `a payment that failed closes the purchase with the reason and takes nothing back that was not taken`() async {
        let error = Payment.Business.Model.Failure(code: .unreachable, message: "nobody listens")
        #expect(
            await answer(to: Payment.Business.Effect.paymentFailed(orderId: "o1", userId: "u1", error: error)) == [
                "Cart.Business.Effect.notBought(id: o1, userId: u1, reason: nobody listens)",
                "Checkout.Business.Effect.close(orderId: o1, userId: u1, phase: failed, reason: nobody listens)",
            ])
    }

    @Test func `a payment of which nobody knows is left to Checkout, which knows whether it was placed all the same`() async {
        let error = Payment.Business.Model.Failure(code: .timedOut, message: "no answer", mayHaveCaptured: true)
        #expect(
            await answer(to: Payment.Business.Effect.paymentFailed(orderId: "o1", userId: "u1", error: error))
                == ["Checkout.Business.Effect.cancel(orderId: o1, userId: u1, reason: no answer)"])
    }

    @Test func `how the money fares is noted, also that none had been taken`() async {
        #expect(
            await answer(to: Payment.Business.Effect.refunded(orderId: "o1", userId: "u1", amount: 0))
                == ["Checkout.Business.Effect.settle(orderId: o1, userId: u1, amount: 0)"])
        #expect(
            await answer(to: Payment.Business.Effect.refunded(orderId: "o2", userId: "u1", amount: 258))
                .contains("Checkout.Business.Effect.settle(orderId: o2, userId: u1, amount: 258)"))
        let error = Payment.Business.Model.Failure(code: .unreachable, message: "nobody listens")
        #expect(
            await answer(to: Payment.Business.Effect.refundFailed(orderId: "o1", userId: "u1", error: error))
                .contains("Checkout.Business.Effect.close(orderId: o1, userId: u1, phase: refundPending, reason: nobody listens)"))
    }

    @Test func `whose a debt of an earlier version is Checkout says, and one that it does not know is nobody's`() async throws {
        #expect(
            await answer(to: Payment.Business.Effect.refunded(orderId: "o0", userId: "", amount: 5))
                .contains("Checkout.Business.Effect.settle(orderId: o0, userId: , amount: 5)"))
        try await node.add(Knowing("u1"))
        #expect(
            await answer(to: Payment.Business.Effect.refunded(orderId: "o1", userId: "", amount: 5))
                .contains("Checkout.Business.Effect.settle(orderId: o1, userId: u1, amount: 5)"))
        let error = Payment.Business.Model.Failure(code: .unreachable, message: "nobody listens")
        #expect(
            await answer(to: Payment.Business.Effect.refundFailed(orderId: "o1", userId: "", error: error))
                .contains("Checkout.Business.Effect.close(orderId: o1, userId: u1, phase: refundPending, reason: nobody listens)"))
    }

    @Test func `an order's id and a user's have one length in the whole shop`() {
        #expect(Checkout.Business.Model.Order.idLength == Payment.Business.Model.Charge.orderIdLength)
        #expect(Checkout.Business.Model.Order.idLength.upperBound == Cart.Business.Model.Request.idLength)
        #expect(Checkout.Business.Model.Order.userIdLength == Payment.Business.Model.Charge.payerLength)
        #expect(Checkout.Business.Model.Order.userIdLength == Cart.Business.Model.Request.userIdLength)
    }

    @Test func `what Checkout has settled is acknowledged`() async {
        #expect(
            await answer(to: Checkout.Business.Effect.settled(orderId: "o1", userId: "u1"))
                == ["Payment.Business.Effect.acknowledge(orderId: o1, userId: u1)"])
    }

    @Test func `an unpaid purchase that could not be closed is asked back, so that it is told again until it could`() async throws {
        try await node.add(Refusing(.storage))
        let error = Payment.Business.Model.Failure(code: .declined, message: "no")
        #expect(
            await answer(to: Payment.Business.Effect.paymentFailed(orderId: "o1", userId: "u1", error: error))
                .contains("Payment.Business.Effect.refund(orderId: o1, userId: u1, reason: no)"))
    }

    @Test func `an unpaid purchase that is another's is neither closed nor asked back`() async throws {
        try await node.add(Refusing(.otherUser))
        let error = Payment.Business.Model.Failure(code: .rejected, message: "no")
        #expect(
            await !answer(to: Payment.Business.Effect.paymentFailed(orderId: "o1", userId: "u2", error: error))
                .contains { $0.hasPrefix("Payment.Business.Effect.refund(") })
    }

    @Test(arguments: [(Checkout.Business.Model.Failure.Code.otherUser, true), (.outOfStock, false)])
    func `who has paid for another's purchase is given their own money back`(code: Checkout.Business.Model.Failure.Code, isGivenBack: Bool) async throws {
        try await node.add(Refusing(code))
        let receipt = Payment.Business.Model.Receipt(id: "r1", orderId: "o1", payer: "u2", amount: 258)
        // What cannot be ordered otherwise Checkout tells itself.
        #expect(
            await answer(to: Payment.Business.Effect.captured(receipt: receipt))
                .contains("Payment.Business.Effect.refund(orderId: o1, userId: u2, reason: the test says otherUser)") == isGivenBack)
    }

    @MainActor
    @Test func `while something is due Payment is asked again at each tick, and only then`() async throws {
        let due = Due()
        try await node.add(due)
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "CommerceOrchestration", epoch: 1, milliseconds: 1) }
        var ticks = 0
        for (orders, asked) in [([], 0), (["o1"], 1), (["o1", "o2"], 2), ([], 2), (["o2"], 3)] as [([String], Int)] {
            due.state.set(orders)
            let relay = try #require(node.store.getRelay(for: Payment.Business.Snapshot.self))
            while relay.value.due != orders {
                try Task.checkCancellation()
                await Task.yield()
            }
            try await clock.waitForSleepers(1, dueWithin: .milliseconds(100))
            clock.advance(by: .milliseconds(100))
            ticks += 1
            if asked > due.asked.elements.count { _ = try await due.asked.wait(count: asked) }
            // It sleeps again when it has looked.
            try await clock.waitForSleepers(1, dueWithin: .milliseconds(100))
            #expect(due.asked.elements.count == asked, "at tick \(ticks)")
        }
    }

    @Test(arguments: [("", 30_000), ("10", 10), ("3600000", 3_600_000)])
    func `how often is in the environment`(text: String, milliseconds: Int) throws {
        #expect(try RefundInterval.read { $0 == "RELUX_REFUND_INTERVAL_MS" ? text : nil } == .milliseconds(milliseconds))
        #expect(try RefundInterval.read { _ in nil } == .seconds(30))
    }

    @Test(arguments: ["soon", "9", "3600001", "-1", "1.5"])
    func `an interval that cannot be is refused by name`(text: String) {
        let failure = #expect(throws: Relux.Failure.self) { try RefundInterval.read { _ in text } }
        #expect(failure?.message.contains("RELUX_REFUND_INTERVAL_MS is \"\(text)\"; it takes a whole number of milliseconds from 10 to 3600000") == true)
    }

    @MainActor
    @Test func `it has no state and no flow, and says what it hears, says and looks at`() throws {
        let module = try CommerceOrchestration.Module()
        #expect(module.states.isEmpty && module.relays.isEmpty && module.sagas.allSatisfy { !($0 is any Relux.Flow) })
        #expect(module.moduleID == "CommerceOrchestration")
        let domains = ["Auth", "Cart", "Checkout", "Payment"].map { "\($0).Business.Effect" }
        #expect(module.emits?.map { $0.wireTopic.rawValue } == domains)
        #expect(module.handles?.map { $0.wireTopic.rawValue } == domains + ["Cluster.Business.Effect"])
        #expect(CommerceOrchestration.Module.observes.map { $0.wireTopic.rawValue } == ["Payment.Business.Snapshot"])
    }
}
