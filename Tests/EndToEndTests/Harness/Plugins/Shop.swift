import Foundation
import Glibc
import PaymentTestSupport
import Relux
import ReluxControl
import ReluxLedger
import ReluxTestKit
import ReluxWire
import Testing

/// The cluster of deploy/commerce.yaml with its payment service beside it, and what a customer does in it.
struct Shop: Sendable {
    let cluster: Cluster
    let service: PaymentServiceProcess

    /// - Parameters:
    ///   - timeout: milliseconds of one attempt to ask the payment service.
    ///   - tick: milliseconds until what is due is asked back again; by default longer than any story.
    static func play(timeout: Int = 5_000, attempts: Int = 3, tick: Int = 3_600_000, _ story: (Shop) async throws -> Void) async throws {
        let directory = try temporaryDirectory("rxe-pay")
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let service = PaymentServiceProcess(ledger: directory + "/ledger")
        try await service.start()
        try await Cluster.play(
            modules: Placement.shop,
            environment: [
                "RELUX_PAYMENT_URL": service.url, "RELUX_PAYMENT_TIMEOUT_MS": "\(timeout)", "RELUX_PAYMENT_ATTEMPTS": "\(attempts)",
                "RELUX_PAYMENT_BACKOFF_MS": "10", "RELUX_REFUND_INTERVAL_MS": "\(tick)",
            ]
        ) { cluster in
            let shop = Shop(cluster: cluster, service: service)
            let registered = try await cluster.cli(
                "effect", "send", "Auth.Business.Effect.register", #"{"name": "clara"}"#, "--secret", "password",
                input: "Peeters-1611\n")
            guard registered.status == 0 else { throw HarnessError("nobody can buy anything\n\(registered)") }
            try await story(shop)
        }
        try await service.kill()
    }

    func send(_ effect: String, _ payload: String) async throws -> Outcome {
        try await cluster.cli("effect", "send", effect, payload, "--json")
    }

    /// Waits until the purchase has come so far.
    func purchase(_ id: String, is phase: String) async throws -> (phase: String, reason: String) {
        let end = ContinuousClock.now + watchdog
        while true {
            let last = try await purchase(id)
            if last.phase == phase { return last }
            guard ContinuousClock.now < end else { throw HarnessError("gave up waiting for purchase \(id) to be \(phase); it is \(last)") }
        }
    }

    /// Waits until the service's books are as wanted.
    func ledger(when what: String, _ isAsWanted: (PaymentServiceProcess.Ledger) -> Bool) async throws {
        let end = ContinuousClock.now + watchdog
        while true {
            let last = try await service.ledger()
            if isAsWanted(last) { return }
            guard ContinuousClock.now < end else { throw HarnessError("gave up waiting for the payment service \(what); it has \(last)") }
            await Task.yield()
        }
    }

    /// How much Payment has said of its own, as its journal has it.
    func toldByPayment() async throws -> Int {
        let shown = try await cluster.cli("journal", "show", "Payment", "--json")
        let streams = (try shown.json()["streams"] ?? .null).elements
        return streams.first { $0["topic"]?.text == "Payment.Business.Effect" }?["last"]?.whole ?? 0
    }

    /// SIGKILL for the hosts of these modules, all at once, and the wait until all of them are back.
    func kill(_ modules: [ModuleID], meanwhile: () async throws -> Void = {}) async throws {
        let pids = try await cluster.client.status().modules.filter { modules.contains($0.id) }.map(\.pid)
        // Stopped first: none of them sees the other's end.
        for signal in [SIGSTOP, SIGKILL] {
            for pid in pids { Glibc.kill(pid, signal) }
            if signal == SIGSTOP { try await meanwhile() }
        }
        _ = try await cluster.client.status(when: "\(modules) to be back") { status in
            let ready = status.modules.filter { modules.contains($0.id) && $0.state.phase == .ready && !pids.contains($0.pid) }
            return ready.count == modules.count
        }
    }

    /// Puts bread for 320 and milk for 129 cents into the cart and checks out; what follows is over when this returns.
    @discardableResult
    func buy(_ id: String) async throws -> Outcome {
        for article in ["bread", "milk"] {
            let added = try await send("Cart.Business.Effect.add", #"{"sku": "\#(article)", "quantity": 1}"#)
            #expect(added.status == 0, "\(added)")
        }
        return try await send("Cart.Business.Effect.checkOut", #"{"id": "\#(id)"}"#)
    }

    /// How far the purchase has come, and why no further.
    func purchase(_ id: String) async throws -> (phase: String, reason: String) {
        let asked = try await send("Checkout.Business.Effect.status", #"{"orderId": "\#(id)"}"#)
        let value = (try asked.json()["outcomes"] ?? .null).elements.first { $0["recipient"]?.text == "Checkout" }?["value"]
        guard let phase = value?["phase"]?.text else { throw HarnessError("there is no purchase \(id)\n\(asked)") }
        return (phase, value?["reason"]?.text ?? "")
    }
}
