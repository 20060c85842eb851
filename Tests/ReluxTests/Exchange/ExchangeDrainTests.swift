import Glibc
import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

@Suite(.timeLimit(.minutes(1))) struct ExchangeDrainTests {
    private let busy = EffectID(module: "Far", position: 1)

    private func exchange(_ gate: Gate, clock: Relux.NodeClock = .continuous) -> Relux.Exchange {
        let exchange = Relux.Exchange(clock: clock)
        _ = exchange.add(
            Relux.Party(
                id: "P", handler: Waiting(gate: gate), handles: nil, emits: nil, isSerial: false, admission: .open))
        exchange.deliver(
            Relux.Delivery(
                id: busy, topic: "Work", content: .effect(Work.a), ancestry: [], awaitDepth: 0, deadline: nil), to: "P")
        return exchange
    }

    @Test func `a drain whose limit has passed at once returns and says that something is left`() async {
        let gate = Gate()
        let exchange = exchange(gate)
        for _ in 0..<50 { #expect(await exchange.drain("P", within: .zero) == false) }
        gate.open()
        #expect(await exchange.drain("P", within: .seconds(60)))
    }

    @Test func `a drain ends behind the settlement of what has just ended`() async throws {
        let uplink = SlowUplink()
        let exchange = Relux.Exchange(uplink: uplink)
        let gate = Gate()
        _ = exchange.add(
            Relux.Party(
                id: "P", handler: Waiting(gate: gate), handles: nil, emits: nil, isSerial: false, admission: .open))
        exchange.deliver(
            Relux.Delivery(
                id: busy, topic: "Work", content: .effect(Work.a), ancestry: [], awaitDepth: 0, deadline: nil), to: "P")
        gate.open()
        // The handler is over, and its settlement on its way.
        try await uplink.begun.wait(count: 1)
        #expect(await exchange.drain("P", within: .seconds(60), yields: true))
        uplink.drained.store(true, ordering: .releasing)
        let hasEnded = uplink.ended.load(ordering: .acquiring)
        #expect(hasEnded)
    }

    @Test func `who waits for a drain is released when the party is removed`() async throws {
        let gate = Gate()
        let clock = ManualClock()
        let exchange = exchange(gate, clock: clock.nodeClock)
        async let drained = exchange.drain("P", within: .seconds(5))
        try await clock.waitForSleepers(1)
        exchange.remove("P")
        #expect(await drained)
        gate.open()
    }
}

private struct Waiting: Relux.EffectHandling {
    let gate: Gate
    nonisolated(nonsending) func handle(_ delivery: Relux.Delivery, in handler: Relux.Scope.Handler) async -> Relux.ActionResult {
        await gate.pass()
        return .success
    }
}

/// Takes its time with a settlement, unless somebody has not waited for it.
private final class SlowUplink: Relux.Uplink {
    let begun = Recorder<EffectID>()
    let drained = Atomic(false)
    let ended = Atomic(false)
    func append(_ appended: Relux.Emission) {}
    func settled(_ settled: Relux.Settled) {
        begun.record(settled.id)
        for _ in 0..<200 where !drained.load(ordering: .acquiring) { usleep(500) }
        ended.store(!drained.load(ordering: .acquiring), ordering: .releasing)
    }
    func admit(_ topic: Topic, until deadline: Duration) async -> Relux.ActionResult? { nil }
    var sealer: (any Relux.SecretSealing)? { nil }
}
