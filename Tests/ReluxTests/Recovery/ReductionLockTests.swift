import ReluxTestKit
import Synchronization
import Testing

@testable import Relux

@Suite(.timeLimit(.minutes(1))) struct ReductionLockTests {
    @Test func `turns come one at a time, in the order of arrival`() async throws {
        let lock = Relux.ReductionLock()
        let gate = Gate()
        let order = Recorder<Int>()
        let first = Task { await lock.withTurn { await gate.pass() } }
        try await gate.waitForArrivals(1)
        // The task of each turn is started when the one before waits, which only the lock's own list shows.
        let rest = Task {
            await withTaskGroup(of: Void.self) { group in
                for n in 1...20 {
                    group.addTask { await lock.withTurn { order.record(n) } }
                    while lock.waiting < n { await Task.yield() }
                }
                gate.open()
            }
        }
        await first.value
        await rest.value
        #expect(order.elements == Array(1...20))
    }

    @Test func `what runs inside a turn shares it, what outlives it does not`() async throws {
        let lock = Relux.ReductionLock()
        let gate = Gate()
        let order = Recorder<String>()
        let loose = await lock.withTurn {
            await lock.withTurn { order.record("nested") }
            return Task {
                await gate.pass()
                await lock.withTurn { order.record("loose") }
            }
        }
        try await gate.waitForArrivals(1)
        await lock.withTurn {
            gate.open()
            while lock.waiting == 0 { await Task.yield() }
            order.record("second")
        }
        await loose.value
        #expect(order.elements == ["nested", "second", "loose"])
    }
}
