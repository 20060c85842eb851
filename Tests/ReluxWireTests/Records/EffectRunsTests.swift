@testable import ReluxWire
import ReluxTestKit
import Testing

@Suite struct EffectRunsTests {
    private static func runs(_ effects: [(position: UInt64, sequence: UInt64)]) -> EffectRuns {
        var runs = EffectRuns(position: effects[0].position, sequence: effects[0].sequence)
        let taken = effects.dropFirst().allSatisfy { runs.append(position: $0.position, sequence: $0.sequence) }
        #expect(taken)
        return runs
    }

    private static func bytes(_ runs: EffectRuns) -> [UInt8] {
        var writer = RecordWriter()
        runs.write(to: &writer)
        return writer.bytes
    }

    private static func read(_ bytes: [UInt8]) throws -> EffectRuns {
        var reader = RecordReader(bytes, 0..<bytes.count)
        return try EffectRuns(from: &reader)
    }

    @Test func `effects come back as they were said, whatever gaps lie between them`() throws {
        var random = SeededRandom(seed: 19)
        for _ in 0..<200 {
            var effects: [(position: UInt64, sequence: UInt64)] = [(UInt64.random(in: 0...9, using: &random), UInt64.random(in: 0...9, using: &random))]
            for _ in 0..<Int.random(in: 0..<60, using: &random) {
                let gap = UInt64.random(in: 1...10, using: &random) < 8 ? 1 : UInt64.random(in: 1...1 << 40, using: &random)
                let last = effects[effects.count - 1]
                effects.append((last.position + gap, last.sequence + (UInt64.random(in: 0...9, using: &random) == 0 ? 5 : 1)))
            }
            let runs = Self.runs(effects)
            #expect(runs.count == effects.count)
            #expect(runs.map(\.position) == effects.map(\.position) && runs.map(\.sequence) == effects.map(\.sequence))
            #expect(runs.sequences.flatMap(Array.init) == effects.map(\.sequence))
            #expect(try Self.read(Self.bytes(runs)) == runs)
        }
    }

    @Test func `a thousand neighbours take a few bytes`() {
        let runs = Self.runs((1...1000).map { (position: 3 << 40 | $0, sequence: 3 << 40 | $0) })
        #expect(Self.bytes(runs).count == 1 + 6 + 6 + 2)
    }

    @Test func `an effect that does not lie behind the others, or is one too many, is not taken`() {
        var runs = EffectRuns(position: 7, sequence: 3)
        for (position, sequence) in [(7, 4), (8, 3), (6, 2)] as [(UInt64, UInt64)] {
            let isTaken = runs.append(position: position, sequence: sequence)
            #expect(!isTaken)
        }
        let taken = (1..<UInt64(EffectRuns.limit)).allSatisfy { runs.append(position: 7 + $0, sequence: 3 + $0) }
        let isTaken = runs.append(position: 1 << 20, sequence: 1 << 20)
        #expect(taken && !isTaken && runs.count == EffectRuns.limit)
    }

    @Test(arguments: [
        ([0], WireError.Code.malformed),
        ([1, 7, 3, 0x80, 0x08], .limitExceeded),
        ([2, 7, 3, 0xff, 0x07, 1, 1, 0], .limitExceeded),
        ([2, 7, 3, 0, 0, 1, 0], .malformed),
        ([2, 7, 3, 0, 1, 0, 0], .malformed),
        ([0xff, 0xff, 0xff, 0xff, 0x0f, 1, 1, 0], .limitExceeded),
        ([1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 1], .malformed),
        ([2, 7, 3, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 0], .malformed),
        ([2, 7, 3, 0], .truncated),
    ] as [([UInt8], WireError.Code)])
    func `a hostile list is refused`(_ bytes: [UInt8], _ code: WireError.Code) {
        let error = #expect(throws: WireError.self) { try Self.read(bytes) }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test func `a result belongs to one effect`() {
        let both = Self.runs([(1, 1), (2, 2)])
        for record in [
            SettledRecord(sequence: 1, topic: "Work", effects: both, result: [0x80]),
            SettledRecord(sequence: 1, topic: "Work", effects: both, diverged: [4]),
        ] {
            #expect(throws: WireError.self) { try WireRecord.settled(record).encoded() }
        }
    }
}
