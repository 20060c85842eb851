import ReluxWire
import Testing

@testable import Relux

@Suite struct DeadlineQueueTests {
    @Test func `the earliest comes first, whatever came in between`() {
        var queue = Relux.DeadlineQueue()
        var generator = SystemRandomNumberGenerator()
        var expected: [Int] = []
        for number in 0..<2000 {
            let deadline = Int.random(in: 0..<500, using: &generator)
            queue.push(.far(UInt64(number)), at: .milliseconds(deadline))
            expected.append(deadline)
            guard number % 3 == 0 else { continue }
            expected.sort()
            #expect(queue.first?.deadline == .milliseconds(expected.removeFirst()))
            queue.removeFirst()
        }
        expected.sort()
        for deadline in expected {
            #expect(queue.first?.deadline == .milliseconds(deadline))
            queue.removeFirst()
        }
        queue.removeFirst()
        #expect(queue.count == 0 && queue.first == nil)
    }

    /// Waiting that has ended leaves its entry; it must not pile up behind long deadlines, nor end anything.
    @Test func `what does not wait any more is forgotten`() {
        var state = Relux.ExchangeState()
        for number in 0..<100_000 {
            let effect = EffectID.far(UInt64(number))
            state.pending[effect] = .init(outstanding: ["M"], result: .init(), deadline: .seconds(30), waiter: .nobody, acceptedAt: .zero)
            state.note(deadline: .seconds(30), of: effect)
            if number >= 10 { state.pending[.far(UInt64(number - 10))] = nil }
        }
        #expect(state.deadlines.count < 2000)
        let early = state.expire(now: .seconds(29))
        #expect(early.expired.isEmpty && early.next == .seconds(30))
        let late = state.expire(now: .seconds(30))
        #expect(late.expired.count == 10 && late.next == nil && state.deadlines.count == 0)
        for resumption in late.expired { #expect(resumption.result.outcomes.map(\.status) == [.unanswered]) }
        #expect(state.pending.count == 10, "they are unsettled still")
    }
}
