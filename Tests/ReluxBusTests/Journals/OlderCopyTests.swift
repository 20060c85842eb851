import JournalFaults
import Relux
import ReluxJournal
@testable import ReluxLedger
import SimulationKit
import Testing

/// Journals in files, one of which is put back as it was.
@Suite struct OlderCopyTests {
    private static func environment(_ disk: MemoryDisk) throws -> JournalEnvironment {
        JournalEnvironment(
            files: disk, bootID: try #require(BootID(parsing: "00000000-0000-4000-8000-000000000001")), processID: 7,
            wallMilliseconds: { 1000 }, random: { 11 })
    }

    /// One life that says this number of effects, kept in a checkpoint or not.
    private static func live(_ epoch: UInt64, saying count: UInt64, on disk: MemoryDisk, withState: Bool) throws -> ClosedRange<UInt64> {
        let journals = ModuleJournals(environment: try environment(disk))
        defer { disk.killProcess() }
        var ledger = try journals.open("There", at: "/There", epoch: Epoch(epoch)).ledger
        let first = ledger.head(of: CoreBench.work, start: Epoch(epoch).start) + 1
        let records = (0..<count).map { offset in
            let effect = EffectRecord(position: ledger.position + 1 + offset, sequence: first + offset, caseName: "a", payload: [1])
            return Said(module: "There", topic: CoreBench.work, record: .effect(effect))
        }
        for entry in records { ledger.fold(entry.topic, entry.record) }
        try journals.append(records, ledgers: withState ? ["There": ledger] : [:])
        return first...(first + count - 1)
    }

    private static func files(on disk: MemoryDisk) throws -> [String: [UInt8]] {
        let names = try disk.list("/There") ?? []
        return Dictionary(names.compactMap { name in disk.bytes("/There/" + name).map { ("/There/" + name, $0) } }, uniquingKeysWith: { $1 })
    }

    @Test(arguments: [false, true]) func `no number of a stream is given out twice, whichever copy of the journal comes back`(_ withState: Bool) throws {
        let disk = MemoryDisk()
        var given = [try Self.live(1, saying: 3, on: disk, withState: withState)]
        var copies = [try Self.files(on: disk)]
        given.append(try Self.live(2, saying: 5, on: disk, withState: withState))
        copies.append(try Self.files(on: disk))
        given.append(try Self.live(3, saying: 2, on: disk, withState: withState))
        // The last one: somebody has deleted it.
        for (epoch, copy) in zip(UInt64(4)..., copies + [[:]]) {
            for name in try Self.files(on: disk).keys { disk.set(name, nil) }
            for (name, bytes) in copy { disk.set(name, bytes) }
            given.append(try Self.live(epoch, saying: 4, on: disk, withState: withState))
        }
        for (earlier, later) in zip(given, given.dropFirst()) { #expect(earlier.upperBound < later.lowerBound) }
        #expect(given.count == 6)
    }
}
