import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

/// Effects that came in through the ingress in an earlier life and were not settled then.
@Suite(.timeLimit(.minutes(1))) struct IngressRecoveryTests {
    private let effect = EffectID(module: "M", position: 5)

    private func life() -> Life {
        let life = Life(on: FakeJournal())
        var recovery = Relux.Recovery()
        recovery.position = 5
        recovery.pending = [effect: ["Peer"]]
        life.node.joinAsIngress(recovery: recovery)
        return life
    }

    @Test func `who waits for it gets the answer`() async {
        let life = life()
        async let answer = life.node.awaitRecovered(effect, deadline: nil)
        while !life.exchange.isAwaited(effect) { await Task.yield() }
        life.exchange.settle(effect, by: "Peer", with: .success("late"))
        #expect(await answer?.value(String.self) == "late")
    }

    @Test func `who waits for an absent recipient is told at once, also when it becomes so meanwhile`() async {
        let life = life()
        life.setAbsent("gone")
        #expect(await life.node.awaitRecovered(effect, deadline: nil)?.parked == ["Peer": "gone"])
        life.exchange.setMembership(version: 3, recipients: ["Reply": ["Peer"]])
        async let answer = life.node.awaitRecovered(effect, deadline: nil)
        while !life.exchange.isAwaited(effect) { await Task.yield() }
        life.setAbsent("quarantined")
        #expect(await answer?.parked == ["Peer": "quarantined"])
        // A waiter that had asked for everyone before still does.
        async let late = life.node.awaitRecovered(effect, deadline: nil, awaiting: .everyone)
        while !life.exchange.isAwaited(effect) { await Task.yield() }
        life.exchange.settle(effect, by: "Peer", with: .success("late"))
        #expect(await late?.value(String.self) == "late")
    }

    @Test func `what no journal could hold gets no id`() async {
        let life = life()
        let site = Relux.Site(file: "ingress", line: 0, function: "")
        let payload = [UInt8](repeating: 0, count: WireRecord.payloadByteLimit + 1)
        let large = await life.node.dispatchEncoded(payload, on: "Work", deadline: nil, label: "", site: site)
        let name = String(repeating: "x", count: Relux.requestByteLimit + 1)
        let long = await life.node.dispatchEncoded([], on: "Work", deadline: nil, label: "", site: site, request: name)
        for answer in [large, long] { #expect(answer.id == nil && answer.result.failures.first?.code == "coding") }
        #expect(life.journal.effects.isEmpty)
    }

    @Test func `who comes when it has settled is told so, not that nobody heard it`() async {
        let life = life()
        life.exchange.settle(effect, by: "Peer", with: .success("early"))
        #expect(await life.node.awaitRecovered(effect, deadline: nil) == nil)
        #expect(await life.node.awaitRecovered(EffectID(module: "M", position: 6), deadline: nil) == nil)
    }
}

extension Relux.Exchange {
    fileprivate func isAwaited(_ effect: EffectID) -> Bool { state.withLock { $0.pending[effect]?.waiter != nil } }
}
