import JournalFaults
import Relux
import ReluxJournal
@testable import ReluxLedger
import SimulationKit
import Testing

/// On a full disk no checkpoint can be written; then nothing goes of which the last one knows that it is waited for.
@Suite struct FullDiskTrimTests {
    private static func said(_ sequences: ClosedRange<UInt64>) -> [Said] {
        let member = MemberRecord(sequence: sequences.lowerBound - 1, version: 1, recipients: ["Here"])
        return [.init(module: "There", topic: CoreBench.work, record: .member(member))]
            + sequences.map { sequence in
                let effect = EffectRecord(
                    position: sequence, sequence: sequence, caseName: "a", ancestry: [EffectID(module: "Before", position: 1)], memberVersion: 1,
                    payload: [UInt8](repeating: 7, count: 200)[...])
                return .init(module: "There", topic: CoreBench.work, record: .effect(effect))
            }
    }

    static func acknowledged(_ sequences: ClosedRange<UInt64>) -> [Said] {
        sequences.map { sequence in
            let acked = AckedRecord(
                recipient: "Here", settlementSequence: sequence, topic: CoreBench.work,
                effects: EffectRuns(position: sequence, sequence: sequence), status: .succeeded, result: [])
            return .init(module: "There", topic: AckedRecord.topic, record: .acked(acked))
        }
    }

    @Test(arguments: [false, true]) func `what was acknowledged while the disk was full is still counted, and known to who is run again`(
        _ isAsked: Bool
    ) throws {
        let disk = MemoryDisk()
        let environment = JournalEnvironment(
            files: disk, bootID: try #require(BootID(parsing: "00000000-0000-4000-8000-000000000001")), processID: 7,
            wallMilliseconds: { 1000 }, random: { 11 })
        var options = JournalOptions()
        options.firstSegment = 32 << 10
        options.segmentLimit = 32 << 10
        let retention = JournalRetention(byteCount: 0)
        let journals = ModuleJournals(environment: environment, options: options, retention: retention)
        var ledger = try journals.open("There", at: "/There", epoch: Epoch(1)).ledger
        func write(_ records: [Said], withState: Bool) throws {
            for entry in records { ledger.fold(entry.topic, entry.record) }
            try journals.append(records, ledgers: withState ? ["There": ledger] : [:])
        }
        // The checkpoint behind these waits for all of them.
        try write(Self.said(1...40), withState: true)
        try write(Self.said(41...60), withState: false)
        disk.setRoom(0)
        try write(Self.acknowledged(1...60), withState: !isAsked)
        if isAsked { journals.trim("There", ledger) }
        disk.setRoom(nil)
        disk.killProcess()

        let next = try ModuleJournals(environment: environment, options: options, retention: retention)
            .open("There", at: "/There", epoch: Epoch(2)).ledger
        #expect(next.books[CoreBench.work]?["Here"] == ledger.books[CoreBench.work]?["Here"])
        #expect(next.books[CoreBench.work]?["Here"]?.open == 0)
        let answers = next.causes[EffectID(module: "Before", position: 1)]?.emissions.map(\.answers.count)
        #expect(answers == Array(repeating: 1, count: 60))
    }
}
