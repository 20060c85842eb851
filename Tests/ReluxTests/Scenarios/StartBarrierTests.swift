@testable import Relux
import Synchronization
import Testing

@Suite struct StartBarrierTests {
    @Test func `whoever observes it is told of the present state and of every change, once each`() {
        let barrier = Relux.StartBarrier("asked")
        let seen = Mutex<[String]>([])
        barrier.observe { state in seen.withLock { $0.append("\(state.isOpen) \(state.isStuck) \(state.text)") } }
        barrier.close("asked")
        barrier.close("failed", isStuck: true)
        barrier.remark("failed, twice")
        barrier.open()
        barrier.open()
        barrier.remark("evaluation 2")
        #expect(
            seen.withLock { $0 } == [
                "false false asked", "false true failed", "false true failed, twice", "true false ", "true false evaluation 2",
            ])
    }

    @Test func `a text of any length is cut at a character`() {
        let barrier = Relux.StartBarrier(String(repeating: "é", count: 5_000))
        #expect(barrier.state.text.utf8.count <= Relux.StartBarrier.textLimit)
        #expect(barrier.state.text.hasSuffix("é…"))
    }
}
