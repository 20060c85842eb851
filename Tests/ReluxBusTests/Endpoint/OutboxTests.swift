import Relux
import Testing

@testable import ReluxBus

@Suite struct OutboxTests {
    private func settled(
        _ position: UInt64, by recipient: ModuleID = "A", life: UInt64 = 1, _ durability: Relux.Durability = .process
    ) -> Relux.Settled {
        var settled = Relux.Settled(
            id: EffectID(module: "P", position: position), topic: "Work", sequence: position, recipient: recipient, result: .success,
            duration: .zero, life: life)
        settled.durability = durability
        return settled
    }

    /// What the items are, a settlement by its position.
    private func contents(_ items: [BusEndpoint.Item]) -> [[UInt64]] {
        items.map { item in
            if case .settled(let batch, _, _, _) = item { batch.flatMap { $0.effects.map(\.position) } } else { [] }
        }
    }

    @Test func `what one life of a module settles in a row is one item, and keeps its place among the others`() {
        var outbox = Outbox(byteLimit: 1 << 20)
        let wakes = outbox.append(settled(1), byteCount: 1)
        #expect(wakes)
        let wakesAgain = outbox.append(settled(2), byteCount: 1)
        #expect(!wakesAgain)
        _ = outbox.append(.open("A"), byteCount: 0)
        _ = outbox.append(settled(3), byteCount: 1)
        _ = outbox.append(settled(4, by: "B"), byteCount: 1)
        _ = outbox.append(settled(5, by: "B", life: 2), byteCount: 1)
        #expect(outbox.queuedBytes == 5)
        let items = contents(outbox.take().items)
        #expect(items == [[1, 2], [], [3], [4], [5]])
        let rest = outbox.take().items
        #expect(rest.isEmpty)
    }

    @Test func `a settlement that has to be on the disk is not taken by who must not wait`() {
        var outbox = Outbox(byteLimit: 1 << 20)
        _ = outbox.append(settled(1), byteCount: 1)
        _ = outbox.append(settled(2, .machine), byteCount: 1)
        _ = outbox.append(settled(3), byteCount: 1)
        let isTaken = outbox.takeQuickly() != nil
        #expect(!isTaken)
        let items = contents(outbox.take().items)
        #expect(items == [[1, 2, 3]])
        let isTakenAtLast = outbox.takeQuickly() != nil
        #expect(isTakenAtLast)
    }
}
