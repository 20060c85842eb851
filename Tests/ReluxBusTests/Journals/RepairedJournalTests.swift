import JournalFaults
import Relux
import ReluxJournal
@testable import ReluxLedger
import SimulationKit
import Testing

/// A journal that was mended with a loss: whoever goes on gives out no number that the journal does not take.
@Suite struct RepairedJournalTests {
    private static let directory = "/There"
    private let disk = MemoryDisk()

    private var environment: JournalEnvironment {
        JournalEnvironment(
            files: disk, bootID: BootID(bytes: Array(1...16))!, processID: 1, wallMilliseconds: { 1_790_000_000_000 },
            random: { UInt64.random(in: .min ... .max) })
    }

    /// One life, killed at its end.
    private func live(_ epoch: UInt64, _ say: (ModuleJournals, Ledger) throws -> Void) throws {
        let journals = ModuleJournals(environment: environment)
        let opened = try journals.open("There", at: Self.directory, epoch: Epoch(epoch))
        try say(journals, opened.ledger)
        disk.killProcess()
    }

    private func append(_ journals: ModuleJournals, _ ledger: Ledger, count: UInt64) throws {
        let head = ledger.streams[CoreBench.work]?.head ?? ledger.position
        for number in 1...count {
            let effect = EffectRecord(
                position: ledger.position + number, sequence: head + number, caseName: "a", memberVersion: 1, payload: [7])
            let records = [Said(module: "There", topic: CoreBench.work, record: .effect(effect))]
            try journals.append(records)
        }
    }

    @Test func `a module begins again behind a batch that is lost and that nothing but the next segment tells of`() throws {
        try live(1) { try append($0, $1, count: 20) }
        // Begins a segment, and says nothing.
        try live(2) { _, _ in }
        let segment = "\(Self.directory)/0000000000000001.seg"
        var bytes = try #require(disk.bytes(segment))
        let last = try #require(bytes.lastIndex { $0 != 0 })
        bytes[last - 40] ^= 0x10
        disk.set(segment, bytes)
        #expect(throws: JournalError.self) { try JournalReader(directory: Self.directory, module: "There", environment: environment).readAll() }
        let repair = try JournalRepair(directory: Self.directory, module: "There", environment: environment)
        #expect(!repair.steps.isEmpty)
        _ = try repair.run()
        disk.killProcess()
        try live(3) { try append($0, $1, count: 1) }
    }
}

extension JournalReader {
    fileprivate func readAll() throws { while !(try next()).isEmpty {} }
}
