import Foundation
import Glibc
import PaymentTestSupport
import Relux
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Commerce {
        static let total: Int64 = 320 + 129

        @Test func `cart, checkout, payment, order; and a paid purchase that cannot be ordered gives the money back`() async throws {
            try await Shop.play { shop in
                #expect(try await shop.buy("o1").status == 0)
                #expect(try await shop.purchase("o1").phase == "placed")
                #expect(try await shop.service.ledger().captures == ["o1": Self.total])
                // The cart is empty: a second check-out has nothing to buy.
                let again = try await shop.send("Cart.Business.Effect.checkOut", #"{"id": "o2"}"#)
                #expect(again.status != 0 && again.stdout.contains("the cart is empty"), "\(again)")

                let stock = try await shop.send("Checkout.Business.Effect.setStock", #"{"sku": "bread", "quantity": 0}"#)
                #expect(stock.status == 0, "\(stock)")
                // The buyer is told so, and keeps what is in the cart.
                let refused = try await shop.buy("o3")
                #expect(refused.status != 0 && refused.stdout.contains("notBought") && refused.stdout.contains("'bread'"), "\(refused)")
                let refunded = try await shop.purchase("o3")
                #expect(refunded.phase == "refunded" && refunded.reason.contains("'bread'"), "\(refunded)")
                let ledger = try await shop.service.ledger()
                #expect(ledger.captures == ["o1": Self.total, "o3": Self.total] && ledger.refunds == ["o3": Self.total])
            }
        }

        @Test func `a payment service that is down, or answers 500, is named, and nothing is charged`() async throws {
            try await Shop.play { shop in
                try await shop.service.kill()
                let unpaid = try await shop.buy("o1")
                #expect(unpaid.status != 0 && unpaid.stdout.contains(shop.service.url), "\(unpaid)")
                let down = try await shop.purchase("o1")
                #expect(down.phase == "failed", "\(down)")
                for word in [shop.service.url, "order o1", "3 attempts"] { #expect(down.reason.contains(word), "\(down)") }

                try await shop.service.start()
                try await shop.service.set(.init(path: "/captures", times: 2, status: 500))
                let paid = try await shop.send("Cart.Business.Effect.checkOut", #"{"id": "o2"}"#)
                #expect(paid.status == 0, "\(paid)")
                #expect(try await shop.purchase("o2").phase == "placed")

                try await shop.service.set(.init(path: "/captures", status: 500))
                try await shop.buy("o3")
                let broken = try await shop.purchase("o3")
                #expect(broken.phase == "failed" && broken.reason.contains("status 500"), "\(broken)")
                let ledger = try await shop.service.ledger()
                // A payment of which nobody can know is made void, so that it never is charged.
                #expect(ledger.captures == ["o2": Self.total] && ledger.refunds == ["o3": 0])
            }
        }

        @Test func `a payment whose answer never comes is given up in time and taken back, sooner or later`() async throws {
            try await Shop.play(timeout: 2_000, attempts: 2, tick: 500) { shop in
                // It takes the money and does not say so; then it does not give it back either.
                try await shop.service.set(.init(path: "/captures", delay: 3_600, done: true))
                try await shop.service.set(.init(path: "/refunds", status: 500))
                try await shop.buy("o1")
                let pending = try await shop.purchase("o1")
                #expect(pending.phase == "refundPending" && pending.reason.contains("no answer in time"), "\(pending)")
                #expect(try await shop.service.ledger().refunds.isEmpty)

                // The module that owes dies, and the service too; the next tick looks after it, whoever is there.
                let payment = try await shop.cluster.client.module("Payment", is: .ready)
                Glibc.kill(payment.pid, SIGKILL)
                try await shop.service.kill()
                try await shop.service.start()
                _ = try await shop.cluster.client.status(when: "Payment to be back") { status in
                    status.modules.contains { $0.id == "Payment" && $0.state.phase == .ready && $0.pid != payment.pid }
                }
                let refunded = try await shop.purchase("o1", is: "refunded")
                #expect(refunded.reason.contains("no answer in time"), "\(refunded)")
                #expect(try await shop.service.ledger().refunds == ["o1": Self.total])
            }
        }

        @Test func `a payment that dies while it asks goes on in its next life, and charges once or gives back`() async throws {
            try await Shop.play(timeout: 6_000) { shop in
                try await shop.service.set(.init(path: "/captures", times: 1, delay: 3_600, done: true))
                let first = Task { try await shop.buy("o1") }
                try await shop.ledger(when: "to take the money") { $0.captures["o1"] != nil }
                try await shop.kill(["Payment"])
                #expect(try await first.value.status == 0)
                #expect(try await shop.purchase("o1").phase == "placed")
                #expect(try await shop.service.ledger().captures == ["o1": Self.total])

                // It has told the receipt, and dies before it hears what became of that: its next life asks nobody again.
                let before = try await shop.toldByPayment()
                try await shop.service.set(.init(path: "/captures", times: 1, delay: 0.3, done: true))
                let told = Task { try await shop.buy("o3") }
                try await shop.ledger(when: "to take the money") { $0.captures["o3"] != nil }
                let checkout = try await shop.cluster.client.module("Checkout", is: .ready).pid
                Glibc.kill(checkout, SIGSTOP)
                let end = ContinuousClock.now + watchdog
                while try await shop.toldByPayment() == before {
                    guard ContinuousClock.now < end else { throw HarnessError("gave up waiting for Payment to tell the receipt") }
                }
                try await shop.kill(["Payment"]) {
                    try await shop.service.kill()
                    try await shop.service.start()
                    Glibc.kill(checkout, SIGCONT)
                }
                _ = try await told.value
                _ = try await shop.purchase("o3", is: "placed")
                let unasked = try await shop.service.ledger()
                #expect(unasked.asked == 0 && unasked.captures == ["o1": Self.total, "o3": Self.total] && unasked.refunds.isEmpty)

                // The service is gone when the next life asks: what an earlier one was not told may have happened.
                try await shop.service.set(.init(path: "/captures", times: 1, delay: 3_600, done: true))
                let second = Task { try await shop.buy("o2") }
                try await shop.ledger(when: "to take the money again") { $0.captures["o2"] != nil }
                try await shop.kill(["Payment"]) { try await shop.service.kill() }
                #expect(try await second.value.status != 0)
                _ = try await shop.purchase("o2", is: "refundPending")
                try await shop.service.start()
                let retried = try await shop.send("Payment.Business.Effect.retryRefunds", "{}")
                #expect(retried.status == 0, "\(retried)")
                _ = try await shop.purchase("o2", is: "refunded")
                #expect(try await shop.service.ledger().refunds == ["o2": Self.total])
            }
        }

        @Test func `whoever leads a purchase may die amid it: the books of the payment service and of the orders agree`() async throws {
            try await Shop.play { shop in
                let stories: [(id: String, victims: [ModuleID], stock: Int)] = [
                    ("o1", ["CommerceOrchestration"], 2), ("o2", ["Checkout"], 1), ("o3", ["Checkout", "CommerceOrchestration"], 0),
                ]
                for (id, victims, stock) in stories {
                    let stocked = try await shop.send("Checkout.Business.Effect.setStock", #"{"sku": "bread", "quantity": \#(stock)}"#)
                    #expect(stocked.status == 0, "\(stocked)")
                    // Asked and not answered yet: all that leads the purchase waits.
                    try await shop.service.set(.init(path: "/captures", times: 1, delay: 0.3, done: true))
                    let buying = Task { try await shop.buy(id) }
                    try await shop.ledger(when: "to be asked for \(id)") { $0.captures[id] != nil }
                    try await shop.kill(victims)
                    let bought = try await buying.value
                    #expect(stock > 0 || bought.status != 0, "\(bought)")
                    _ = try await shop.purchase(id, is: stock > 0 ? "placed" : "refunded")
                }
                let ledger = try await shop.service.ledger()
                #expect(ledger.captures == ["o1": Self.total, "o2": Self.total, "o3": Self.total] && ledger.refunds == ["o3": Self.total])
                // The goods that were bought are out of the cart, and those that were not are in it.
                let again = try await shop.send("Cart.Business.Effect.checkOut", #"{"id": "o3"}"#)
                #expect(again.status != 0 && again.stdout.contains("'bread'"), "\(again)")
            }
        }

        @Test func `a payment that is told nonsense is refused by name, and the shop waits for it`() async throws {
            try await Cluster.play(
                modules: Placement.shop, environment: ["RELUX_PAYMENT_TIMEOUT_MS": "soon"], waitsUntilReady: false
            ) { cluster in
                let up = try await cluster.cli("up", "--timeout", "5s")
                #expect(up.status != 0)
                let payment = try await cluster.client.module("Payment", is: .refused)
                #expect(payment.state.why.contains("RELUX_PAYMENT_TIMEOUT_MS is \"soon\"; it takes a whole number"), "\(payment.state.why)")
                try await cluster.client.isTold("PaymentReluxInt", of: "CommerceOrchestration")
            }
        }

        @Test func `the same shop without any payment service, by configuration`() async throws {
            try await Cluster.play(modules: Placement.shop, entries: ["Payment": ["services: mock"]]) { cluster in
                for (effect, payload) in [
                    ("Cart.Business.Effect.assign", #"{"userId": "u1"}"#), ("Cart.Business.Effect.add", #"{"sku": "milk", "quantity": 2}"#),
                    ("Cart.Business.Effect.checkOut", #"{"id": "o1"}"#), ("Checkout.Business.Effect.status", #"{"orderId": "o1"}"#),
                ] {
                    let sent = try await cluster.cli("effect", "send", effect, payload)
                    #expect(sent.status == 0, "\(sent)")
                    if effect.hasSuffix("status") { #expect(sent.stdout.contains("placed") && sent.stdout.contains("memory-o1"), "\(sent)") }
                }
            }
        }
    }
}
