import Relux
import Testing
@testable import ReluxBus

extension OutboundStream.Answer: Equatable where Record: Equatable {
    static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.record(let a), .record(let b)): a == b
        case (.gone(let a), .gone(let b)): a == b
        default: false
        }
    }
}

@Suite struct OutboundStreamTests {
    private func stream(_ sequences: ClosedRange<UInt64>, to recipients: [ModuleID] = ["X"]) -> OutboundStream<UInt64> {
        var stream = OutboundStream<UInt64>()
        for sequence in sequences { stream.append(sequence, sequence: sequence, byteCount: 10, outstanding: recipients) }
        return stream
    }

    private func settle(_ sequence: UInt64, by recipient: ModuleID, _ stream: inout OutboundStream<UInt64>) -> Bool {
        stream.settle(EffectRuns(position: 0, sequence: sequence), by: recipient) != nil
    }

    @Test func `a record is kept until each recipient has settled it`() {
        var stream = stream(1...1, to: ["X", "Y"])
        let settlesFirst = settle(1, by: "X", &stream)
        #expect(settlesFirst && stream.isPending(1))
        let settlesAgain = settle(1, by: "X", &stream)
        #expect(!settlesAgain)
        #expect(!stream.isSettled)
        let settlesLast = settle(1, by: "Y", &stream)
        #expect(settlesLast)
        #expect(stream.isSettled)
        #expect(stream.low == 2)
    }

    @Test func `records are served in order, the rest is said to be gone`() {
        var stream = stream(1...6)
        _ = settle(2, by: "X", &stream)
        _ = settle(5, by: "X", &stream)
        #expect(stream.serve([1...3, 5...100], to: "X") == [.record(1), .gone(2...2), .record(3), .gone(5...5), .record(6)])
        #expect(stream.serve([1...6], to: "Y") == [.gone(1...6)])
        #expect(stream.serve([7...9], to: "X").isEmpty)
    }

    @Test func `one answer has a credit, and makes progress whatever the size`() {
        var stream = OutboundStream<UInt64>()
        for sequence in UInt64(1)...600 { stream.append(sequence, sequence: sequence, byteCount: 2 << 20, outstanding: ["X"]) }
        #expect(stream.serve([1...600], to: "X") == [.record(1)])
        #expect(self.stream(1...600).serve([1...600], to: "X").count == OutboundStream<UInt64>.credit.records)
    }

    @Test func `a hostile range costs what is kept, not what it names`() {
        var stream = OutboundStream<UInt64>(head: 1 << 40)
        stream.append(1, sequence: 1 << 41, outstanding: ["X"])
        let ranges = [ClosedRange<UInt64>](repeating: 0...(.max), count: 100_000)
        #expect(stream.serve(ranges, to: "X").count <= 2 * InboundStream<UInt64>.rangeLimit)
        stream.acknowledge(upTo: .max, by: "X")
        #expect(stream.isSettled)
    }

    @Test func `settling behind a stuck record keeps nothing but the record`() {
        var stream = stream(1...100_000)
        for sequence in UInt64(2)...100_000 { _ = settle(sequence, by: "X", &stream) }
        #expect(stream.count == 1)
        #expect(stream.low == 1)
        #expect(stream.starts() == ["X": 0])
        #expect(stream.drop("X").records == [1])
        #expect(stream.isSettled)
    }

    @Test func `many are settled in one step, and it is told which of them waited`() {
        var stream = stream(1...2000)
        _ = settle(7, by: "X", &stream)
        var effects = EffectRuns(position: 0, sequence: 2)
        for sequence in UInt64(3)...1000 { effects.append(position: sequence, sequence: sequence) }
        let settled = stream.settle(effects, by: "X")
        // Positions are 0 here, where the stream does not know them.
        #expect(settled?.effects.map(\.sequence) == Array(2...6) + Array(8...1000) && settled?.byteCount == 998 * 10)
        #expect(stream.pendingRuns.map(\.sequences) == [1...1, 1001...2000])
        #expect(stream.count == 1001 && !stream.isPending(500) && stream.isPending(1001))
    }

    @Test func `a recipient starts before the first record that waits for it`() {
        var stream = stream(1...3, to: ["X"])
        stream.append(4, sequence: 4, outstanding: ["X", "Y"])
        _ = settle(1, by: "X", &stream)
        #expect(stream.starts() == ["X": 1, "Y": 3])
    }
}
