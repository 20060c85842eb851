@testable import ReluxLedger
import Testing

@Suite struct SequenceSetTests {
    private func set(_ ranges: ClosedRange<UInt64>...) -> SequenceSet {
        var set = SequenceSet()
        for range in ranges { set.insert(range) }
        return set
    }

    @Test func `what one set has and the other has not`() {
        #expect(set(1...10).subtracting(set(3...4, 8...8)).ranges == [1...2, 5...7, 9...10])
        #expect(set(3...4, 8...8).subtracting(set(1...10)).isEmpty)
        #expect(set(1...3, 7...9).subtracting(set(3...7)).ranges == [1...2, 8...9])
        #expect(set(5...6).subtracting(SequenceSet()).ranges == [5...6])
        #expect(SequenceSet().subtracting(set(5...6)).isEmpty)
        #expect(set(0 ... .max).subtracting(set(1 ... (.max - 1))).ranges == [0...0, .max ... .max])
    }

    @Test func `it is the difference of the numbers, whatever the ranges are`() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let pick = { (0..<UInt64(40)).filter { _ in Bool.random(using: &random) } }
            let (left, right) = (Set(pick()), Set(pick()))
            var (first, second) = (SequenceSet(), SequenceSet())
            for number in left { first.insert(number) }
            for number in right { second.insert(number) }
            let rest = first.subtracting(second)
            #expect(Set(rest.ranges.flatMap(Array.init)) == left.subtracting(right), "\(left.sorted()) \(right.sorted())")
            #expect(rest.count == UInt64(left.subtracting(right).count))
        }
    }

    @Test func `the count stays at the largest number`() {
        #expect(set(0 ... .max).count == .max)
        #expect(set(2...5, 9...9).count == 5)
    }
}
