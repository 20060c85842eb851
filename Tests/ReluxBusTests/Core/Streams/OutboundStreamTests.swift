import Relux
import ReluxJournal
@testable import ReluxLedger
import Testing

@Suite struct OutboundStreamTests {
    private static func said(_ sequence: UInt64) -> WireRecord { CoreBench.effect(sequence) }

    private static func add(_ sequence: UInt64, to recipients: [ModuleID], byteCount: Int = 10, _ stream: inout OutboundStream) {
        stream.append(.init(sequence: sequence, position: sequence, byteCount: byteCount, outstanding: Recipients(recipients)))
    }

    /// - Parameter runLength: records in each of its runs.
    private func stream(
        _ sequences: ClosedRange<UInt64>, to recipients: [ModuleID] = ["X"], byteCount: Int = 10, runLength: UInt64 = 7
    ) throws -> OutboundStream {
        var stream = OutboundStream()
        var builder = JournalRunBuilder(topic: CoreBench.work)
        for sequence in sequences {
            Self.add(sequence, to: recipients, byteCount: byteCount, &stream)
            _ = try builder.append(Self.said(sequence), sequence: sequence, position: sequence)
            if sequence % runLength == 0 || sequence == sequences.upperBound { builder.finish().map { stream.keep($0) } }
        }
        return stream
    }

    private func settle(_ sequence: UInt64, by recipient: ModuleID, _ stream: inout OutboundStream) -> Bool {
        stream.settle(EffectRuns(position: sequence, sequence: sequence), by: recipient) != nil
    }

    @Test func `a record is kept until each recipient has settled it`() throws {
        var stream = try stream(1...1, to: ["X", "Y"])
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

    @Test func `records are served in order, the rest is said to be gone`() throws {
        var stream = try stream(1...6, runLength: 2)
        _ = settle(2, by: "X", &stream)
        _ = settle(5, by: "X", &stream)
        let asked = stream.serve([1...3, 5...100], to: "X")
        #expect(asked == [.record(Self.said(1)), .gone(2...2), .record(Self.said(3)), .gone(5...5), .record(Self.said(6))])
        #expect(stream.serve([1...6], to: "Y") == [.gone(1...6)])
        #expect(stream.serve([7...9], to: "X").isEmpty)
        #expect(stream.serve([5...6, 1...1, 3...4], to: "X").filter { if case .record = $0 { true } else { false } }.count == 4, "in any order")
    }

    @Test func `a record without its bytes is neither served nor said to be gone`() throws {
        var stream = try stream(1...6)
        Self.add(7, to: ["X"], &stream)
        #expect(stream.isBehindItsRuns)
        #expect(stream.serve([5...7], to: "X") == [.record(Self.said(5)), .record(Self.said(6))])
        #expect(stream.pending.count == 7 && stream.pendingRecords.map(\.entry.sequence) == Array(1...6))
    }

    @Test func `one answer has a credit, and makes progress whatever the size`() throws {
        let large = try stream(1...600, byteCount: 2 << 20)
        #expect(large.serve([1...600], to: "X") == [.record(Self.said(1))])
        #expect(try stream(1...600).serve([1...600], to: "X").count == OutboundStream.credit.records)
    }

    @Test func `a hostile range costs what is kept, not what it names`() {
        var stream = OutboundStream(head: 1 << 40)
        Self.add(1 << 41, to: ["X"], &stream)
        let ranges = [ClosedRange<UInt64>](repeating: 0...(.max), count: 100_000)
        #expect(stream.serve(ranges, to: "X").count <= 2 * OutboundStream.rangeLimit)
        stream.acknowledge(upTo: .max, by: "X")
        #expect(stream.isSettled)
    }

    @Test func `settling behind a stuck record keeps nothing but the record`() throws {
        var stream = try stream(1...100_000, runLength: 100)
        for sequence in UInt64(2)...100_000 { _ = settle(sequence, by: "X", &stream) }
        #expect(stream.count == 1)
        #expect(stream.low == 1)
        #expect(stream.starts() == ["X": 0])
        #expect(stream.keptByteCount <= 2048 * 40, "\(stream.keptByteCount)")
        #expect(stream.serve([1...1], to: "X") == [.record(Self.said(1))])
        stream.acknowledge(upTo: .max, by: "X")
        #expect(stream.isSettled && stream.keptByteCount == 0)
    }

    @Test func `the bytes of what has settled are let go, also behind a record that is stuck`() throws {
        var stream = try stream(1...1000, runLength: 1)
        let each = stream.keptByteCount / 1000
        for sequence in UInt64(2)...999 { _ = settle(sequence, by: "X", &stream) }
        #expect(stream.keptByteCount <= 2 * each + 2, "\(stream.keptByteCount)")
        #expect(stream.serve([1...1000], to: "X") == [.record(Self.said(1)), .gone(2...999), .record(Self.said(1000))])
    }

    @Test func `records that are stuck here and there keep their own bytes, not those of their neighbours`() throws {
        var stream = try stream(1...20_000, runLength: 100)
        let whole = stream.keptByteCount
        for sequence in UInt64(1)...20_000 where sequence % 50 != 0 { _ = settle(sequence, by: "X", &stream) }
        #expect(stream.count == 400)
        #expect(stream.keptByteCount * 5 < whole, "\(stream.keptByteCount) of \(whole)")
        let stuck = (1...400 as ClosedRange<UInt64>).map { $0 * 50 }
        #expect(stream.pendingRecords.map(\.record) == stuck.map(Self.said))
        Self.add(20_001, to: ["X"], &stream)
        #expect(stream.isBehindItsRuns)
    }

    @Test func `many are settled in one step, and it is told which of them waited`() throws {
        var stream = try stream(1...2000)
        _ = settle(7, by: "X", &stream)
        var effects = EffectRuns(position: 2, sequence: 2)
        for sequence in UInt64(3)...1000 { effects.append(position: sequence, sequence: sequence) }
        let settled = stream.settle(effects, by: "X")
        #expect(settled?.effects.map(\.sequence) == Array(2...6) + Array(8...1000) && settled?.byteCount == 998 * 10)
        #expect(stream.pendingRuns.map(\.sequences) == [1...1, 1001...2000])
        #expect(stream.count == 1001 && !stream.isPending(500) && stream.isPending(1001))
    }

    @Test func `a recipient starts before the first record that waits for it`() throws {
        var stream = try stream(1...3, to: ["X"])
        Self.add(4, to: ["X", "Y"], &stream)
        _ = settle(1, by: "X", &stream)
        #expect(stream.starts() == ["X": 1, "Y": 3])
    }
}
