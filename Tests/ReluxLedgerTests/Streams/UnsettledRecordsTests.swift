import Relux
@testable import ReluxBus
@testable import ReluxLedger
import ReluxTestKit
import Testing

@Suite struct UnsettledRecordsTests {
    /// The same as a plain list.
    private struct Model {
        var entries: [(sequence: UInt64, version: UInt64, byteCount: Int, isMachine: Bool, waiting: [ModuleID])] = []

        mutating func release(_ sequence: UInt64, _ recipient: ModuleID) -> Bool? {
            guard let index = entries.firstIndex(where: { $0.sequence == sequence }), let place = entries[index].waiting.firstIndex(of: recipient)
            else { return nil }
            entries[index].waiting.remove(at: place)
            guard entries[index].waiting.isEmpty else { return false }
            entries.remove(at: index)
            return true
        }
    }

    private static func modules(_ count: Int) throws -> [ModuleID] { try (0..<count).map { try ModuleID("M\($0)") } }

    private func expectEqual(_ records: UnsettledRecords, _ model: Model) {
        #expect(records.count == model.entries.count)
        #expect(records.low == model.entries.first?.sequence)
        #expect(records.sequences == model.entries.map(\.sequence))
        let entries = Array(records.entries)
        #expect(entries.map(\.outstanding) == model.entries.map(\.waiting))
        #expect(entries.map(\.memberVersion) == model.entries.map(\.version))
        #expect(entries.map(\.byteCount) == model.entries.map(\.byteCount))
        #expect(records.holdsMachine == model.entries.contains(where: \.isMachine))
    }

    /// - Parameter audiences: those to whom something is said; the membership changes with each.
    private func run(seed: UInt64, audiences: [[ModuleID]], steps: Int, release: Int) throws {
        var random = SeededRandom(seed: seed)
        var (records, model) = (UnsettledRecords(), Model())
        var (sequence, version): (UInt64, UInt64) = (0, 1)
        var audience = audiences[0]
        for step in 0..<steps {
            if Int.random(in: 0..<50, using: &random) == 0 {
                audience = audiences.randomElement(using: &random) ?? audience
                version += 1
            }
            sequence += UInt64.random(in: 1...3, using: &random)
            let (byteCount, isMachine) = (Int.random(in: 0...2000, using: &random), Int.random(in: 0..<200, using: &random) == 0)
            records.append(
                .init(
                    sequence: sequence, position: sequence, memberVersion: version, byteCount: byteCount, isMachine: isMachine,
                    outstanding: Recipients(audience)))
            model.entries.append((sequence, version, byteCount, isMachine, audience))
            for _ in 0..<Int.random(in: 0...release, using: &random) {
                // Mostly from the front, as most are settled in order; some stay for ever.
                let index = Int.random(in: 0..<max(1, min(model.entries.count, 8)), using: &random)
                guard index < model.entries.count, model.entries[index].sequence % 97 != 0 else { continue }
                let (chosen, recipient) = (model.entries[index].sequence, model.entries[index].waiting.randomElement(using: &random) ?? "None")
                let place = try #require(records.places(from: chosen, upTo: chosen).first)
                #expect(records.waits(place, for: recipient))
                #expect(records.release(place, recipient) == model.release(chosen, recipient))
            }
            _ = records.compact()
            if step % 500 == 0 { expectEqual(records, model) }
        }
        expectEqual(records, model)
        for entry in model.entries {
            for recipient in entry.waiting {
                let place = try #require(records.places(from: entry.sequence, upTo: entry.sequence).first)
                #expect(records.release(place, recipient) == model.release(entry.sequence, recipient))
            }
        }
        _ = records.compact()
        expectEqual(records, model)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `few recipients, several, and more than 64 at a time: as a plain list has them`(seed: UInt64) throws {
        let all = try Self.modules(70)
        try run(seed: seed, audiences: [[all[0]], Array(all[..<3]), Array(all[5..<69]), all, Array(all[1..<66])], steps: 4000, release: 90)
    }

    @Test func `those that are stuck keep their audiences while thousands behind them come and go`() throws {
        let all = try Self.modules(4)
        try run(seed: 9, audiences: [[all[0]], [all[1]], [all[2], all[3]]], steps: 20_000, release: 6)
    }

    @Test func `nothing is expected of whoever had nothing to settle, or has settled it`() {
        var records = UnsettledRecords()
        records.append(.init(sequence: 5, position: 5, outstanding: ["X"]))
        #expect(records.release(0, "Y") == nil)
        #expect(records.release(0, "X") == true)
        #expect(records.release(0, "X") == nil)
        #expect(records.count == 0 && records.low == nil && Array(records.entries).isEmpty)
    }

    @Test func `a million that wait take 32 bytes each`() { #expect(MemoryLayout<UnsettledRecords.Slot>.stride == 32) }

    @Test func `a range beyond all that there is names no places`() {
        var records = UnsettledRecords()
        #expect(records.places().isEmpty && records.places(from: .max).isEmpty)
        records.append(.init(sequence: 5, position: 5, outstanding: ["X"]))
        #expect(records.places(from: 6).isEmpty && records.places(upTo: 4).isEmpty)
        #expect(records.places(from: .max, upTo: .max).isEmpty)
        #expect(records.places(from: 9, upTo: 3).isEmpty)
    }
}
