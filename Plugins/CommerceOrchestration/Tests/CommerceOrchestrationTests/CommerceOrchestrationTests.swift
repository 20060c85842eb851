import AuthReluxInt
import CartReluxInt
import CheckoutReluxInt
@testable import CommerceOrchestrationImpl
import PaymentReluxInt
import Relux
import ReluxPlugin
import ReluxTestKit
import Testing

@Suite struct CommerceOrchestrationTests {
    let recorder = RecordingLogger()
    let node: Relux

    init() async {
        node = await Relux(logger: recorder).register { CommerceOrchestration.Module() }
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
        let receipt = Payment.Business.Model.Receipt(id: "r1", orderId: "o1", amount: 258)
        #expect(await answer(to: Payment.Business.Effect.captured(receipt: receipt)).contains("Checkout.Business.Effect.place(orderId: o1, receipt: r1)"))
        #expect(await answer(to: Checkout.Business.Effect.orderPlaced(orderId: "o1")).contains("Cart.Business.Effect.bought(id: o1)"))
    }

    @Test func `a paid purchase that cannot be ordered gives the money back`() async {
        let error = Checkout.Business.Model.Failure(code: .outOfStock, message: "no 'milk'")
        #expect(
            await answer(to: Checkout.Business.Effect.orderFailed(orderId: "o1", error: error)) == [
                "Cart.Business.Effect.notBought(id: o1, reason: no 'milk')", "Payment.Business.Effect.refund(orderId: o1, reason: no 'milk')",
            ])
    }

    @Test func `a purchase that is refused is not bought, and nothing goes back`() async {
        let error = Checkout.Business.Model.Failure(code: .invalidOrder, message: "another's id")
        #expect(
            await answer(to: Checkout.Business.Effect.refused(orderId: "o1", error: error))
                == ["Cart.Business.Effect.notBought(id: o1, reason: another's id)"])
    }

    @Test func `a payment that failed closes the purchase with the reason and takes nothing back that was not taken`() async {
        let error = Payment.Business.Model.Failure(code: .unreachable, message: "nobody listens")
        #expect(
            await answer(to: Payment.Business.Effect.paymentFailed(orderId: "o1", error: error)) == [
                "Cart.Business.Effect.notBought(id: o1, reason: nobody listens)",
                "Checkout.Business.Effect.close(orderId: o1, phase: failed, reason: nobody listens)",
            ])
    }

    @Test func `a payment of which nobody knows is left to Checkout, which knows whether it was placed all the same`() async {
        let error = Payment.Business.Model.Failure(code: .timedOut, message: "no answer", mayHaveCaptured: true)
        #expect(
            await answer(to: Payment.Business.Effect.paymentFailed(orderId: "o1", error: error))
                == ["Checkout.Business.Effect.cancel(orderId: o1, reason: no answer)"])
    }

    @Test func `how the money fares is noted, also that none had been taken`() async {
        #expect(
            await answer(to: Payment.Business.Effect.refunded(orderId: "o1", amount: 0))
                == ["Checkout.Business.Effect.settle(orderId: o1, amount: 0)"])
        #expect(
            await answer(to: Payment.Business.Effect.refunded(orderId: "o2", amount: 258))
                .contains("Checkout.Business.Effect.settle(orderId: o2, amount: 258)"))
        let error = Payment.Business.Model.Failure(code: .unreachable, message: "nobody listens")
        #expect(
            await answer(to: Payment.Business.Effect.refundFailed(orderId: "o1", error: error))
                .contains("Checkout.Business.Effect.close(orderId: o1, phase: refundPending, reason: nobody listens)"))
    }

    @Test func `it has no state and no flow, and its declaration says what it does`() {
        let module = CommerceOrchestration.Module()
        let declaration = CommerceOrchestration.declaration
        #expect(module.states.isEmpty && module.relays.isEmpty && module.sagas.allSatisfy { !($0 is any Relux.Flow) })
        #expect(declaration.id == module.moduleID && declaration.kind == .orchestrator)
        #expect(declaration.handles == module.handles?.map { $0.wireTopic })
        #expect(declaration.emits == module.emits?.map { $0.wireTopic })
    }
}

/// Gives money back when the test lets it.
private struct Refunds: Relux.Module {
    let moduleID: ModuleID = "Refunds"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    init(_ gate: Gate) { sagas = [Saga(gate)] }

    actor Saga: Relux.Saga {
        private let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        func apply(_ effect: any Relux.Effect) async {
            if case .retryRefunds? = effect as? Payment.Business.Effect { await gate.pass() }
        }
    }
}
