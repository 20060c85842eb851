import Relux
@testable import ReluxBus
import ReluxLedger
import Testing

@Suite struct InboundStreamTests {
    private func take(_ stream: inout InboundStream<UInt64>, _ sequences: [UInt64]) -> [UInt64] {
        var due: [UInt64] = []
        for sequence in sequences { _ = stream.offer(sequence, sequence: sequence, byteCount: 1, due: &due) }
        return due
    }

    @Test func `records are handed over in sequence, each once`() {
        var stream = InboundStream<UInt64>(startsAfter: 0, head: 0)
        #expect(take(&stream, [2, 1, 1, 4, 3, 2, 5]) == [1, 2, 3, 4, 5])
        #expect(stream.isComplete)
        #expect(stream.lowWater == 5)
    }

    @Test func `only the very next record passes, and none before what an earlier life has done`() {
        var done = SequenceSet(upTo: 3)
        done.insert(6)
        var stream = InboundStream<UInt64>(done: done, head: 0)
        // The fourth is not the end of it: what lies behind is passed over with it.
        #expect(passing([3, 5, 4], &stream).isEmpty)
        #expect(take(&stream, [4, 5]) == [4, 5])
        #expect(stream.lowWater == 6)
        #expect(passing([7, 7], &stream) == [7])
        #expect(take(&stream, [9]).isEmpty)
        #expect(passing([8], &stream).isEmpty)
        #expect(take(&stream, [8]) == [8, 9])
        #expect(passing([10, 12], &stream) == [10])
        #expect(stream.isComplete)
        #expect(stream.lowWater == 10)
    }

    private func passing(_ sequences: [UInt64], _ stream: inout InboundStream<UInt64>) -> [UInt64] {
        var passed: [UInt64] = []
        for sequence in sequences where stream.passes(sequence) { passed.append(sequence) }
        return passed
    }

    @Test func `only what is missing is asked for, once until the patience is over`() {
        var stream = InboundStream<UInt64>(startsAfter: 0, head: 0)
        _ = take(&stream, [1, 4, 5, 8])
        stream.learn(head: 10)
        #expect(stream.request(now: .zero) == [2...3, 6...7, 9...10])
        #expect(stream.request(now: .milliseconds(99)).isEmpty)
        stream.replayed(now: .milliseconds(99))
        #expect(stream.request(now: .milliseconds(101)).isEmpty)
        #expect(!stream.request(now: .milliseconds(200)).isEmpty)
    }

    @Test func `an answer that brought something lets the next request go at once`() {
        var stream = InboundStream<UInt64>(startsAfter: 0, head: 10)
        _ = stream.request(now: .zero)
        stream.answered()
        #expect(stream.request(now: .milliseconds(1)).isEmpty)
        _ = take(&stream, [1, 2])
        stream.answered()
        #expect(stream.request(now: .milliseconds(1)) == [3...10])
    }

    @Test func `a range that is gone is passed over, what is held behind it comes out`() {
        var stream = InboundStream<UInt64>(startsAfter: 0, head: 0)
        _ = take(&stream, [3, 6])
        var due: [UInt64] = []
        #expect(stream.passOver(1...5, due: &due) == [1...2, 4...5])
        #expect(due == [3, 6])
        #expect(stream.isComplete)
    }

    @Test func `a life is left behind only when its publisher has heard how far we had come`() {
        let (old, new) = (Epoch(1).start, Epoch(2).start)
        var stream = InboundStream<UInt64>(startsAfter: old, head: new)
        var due: [UInt64] = []
        _ = take(&stream, [old + 1, old + 2])
        // The answer to what was asked before the second one came.
        #expect(stream.passOver(old + 2...new, due: &due).isEmpty && !stream.isComplete)
        #expect(stream.request(now: .zero) == [old + 3...new])
        // A record that came out of order since is no part of it either.
        _ = take(&stream, [old + 5])
        #expect(stream.passOver(old + 3...new, due: &due).isEmpty)
        #expect(stream.request(now: .zero) == [old + 3...old + 4, old + 6...new])
        #expect(stream.passOver(old + 3...old + 4, due: &due) == [old + 3...old + 4])
        #expect(stream.passOver(old + 6...new, isFinal: false, due: &due) == [old + 6...new] && stream.isComplete)
        #expect(take(&stream, [new + 1]) == [new + 1])
        // Another one has said so: the publisher is asked as soon as it speaks for itself, and nothing comes twice.
        stream.recall()
        #expect(stream.request(now: .zero) == [old + 6...new])
        #expect(take(&stream, [new + 1]).isEmpty)
        #expect(stream.passOver(old + 6...new, due: &due) == [old + 6...new] && stream.isComplete)
        #expect(take(&stream, [new + 2]) == [new + 2])
        stream.recall()
        #expect(stream.isComplete)
    }

    @Test func `two lives that were left behind on another's word are both asked for again`() {
        let (one, two, three) = (Epoch(1).start, Epoch(2).start, Epoch(3).start)
        var stream = InboundStream<UInt64>(startsAfter: one, head: three)
        var due: [UInt64] = []
        #expect(stream.passOver(one + 1...two, isFinal: false, due: &due) == [one + 1...two])
        #expect(stream.passOver(two + 1...three, isFinal: false, due: &due) == [two + 1...three])
        stream.recall()
        #expect(stream.request(now: .zero) == [one + 1...three])
    }

    @Test func `numbers from outside never overflow`() {
        var stream = InboundStream<UInt64>(startsAfter: .max, head: .max)
        var due: [UInt64] = []
        #expect(stream.offer(0, sequence: .max, byteCount: 1, due: &due) == .dropped)
        #expect(stream.passOver(0...(.max), due: &due).isEmpty)
        var other = InboundStream<UInt64>(startsAfter: 0, head: 0)
        _ = other.passOver(0...(.max), due: &due)
        #expect(other.isComplete)
        #expect(other.offer(0, sequence: .max, byteCount: 1, due: &due) == .dropped)
    }

    @Test func `what is held is bounded in number and bytes`() {
        var stream = InboundStream<UInt64>(startsAfter: 0, head: 0)
        var due: [UInt64] = []
        let half = InboundStream<UInt64>.heldByteLimit / 2
        #expect(stream.offer(2, sequence: 2, byteCount: half, due: &due) == .held(isNew: true))
        #expect(stream.offer(3, sequence: 3, byteCount: half, due: &due) == .held(isNew: false))
        #expect(stream.offer(4, sequence: 4, byteCount: 1, due: &due) == .dropped)
        #expect(stream.head == 4)
        #expect(take(&stream, [1]) == [1, 2, 3])
        #expect(stream.request(now: .zero) == [4...4])
    }
}
