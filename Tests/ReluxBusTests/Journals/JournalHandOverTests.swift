import Glibc
import Relux
import ReluxJournal
@testable import ReluxLedger
import ReluxTestKit
import SimulationKit
import Testing

/// A journal that is handed over is short to open, with and without somebody who has followed it.
@Suite struct JournalHandOverTests {
    private static func records(_ sequences: ClosedRange<UInt64>) -> [Said] {
        let member = MemberRecord(sequence: sequences.lowerBound - 1, version: 1, recipients: ["Here"])
        return [.init(module: "There", topic: CoreBench.work, record: .member(member))]
            + sequences.map { sequence in
                let effect = EffectRecord(
                    position: Epoch(1).start + sequence, sequence: sequence, caseName: "a", memberVersion: 1, payload: [UInt8](repeating: 7, count: 200)[...])
                return .init(module: "There", topic: CoreBench.work, record: .effect(effect))
            }
    }

    private func inFolder(_ body: (_ directory: String, JournalEnvironment) throws -> Void) throws {
        let folder = TemporaryDirectory(isMade: true)
        try body(folder.file("There"), .live())
    }

    @Test(arguments: [false, true]) func `the successor finds all, sealed, and reads no more than the rest`(_ isFollowed: Bool) throws {
        try inFolder { directory, environment in
            let old = ModuleJournals(environment: environment)
            var ledger = try old.open("There", at: directory, epoch: Epoch(1)).ledger
            func say(_ sequences: ClosedRange<UInt64>) throws {
                let records = Self.records(sequences)
                for entry in records { ledger.fold(entry.topic, entry.record) }
                try old.append(records)
            }
            try say(1...100)
            // Whoever stands by is known: the checkpoint comes before the pause.
            old.prepareHandOver("There", ledger)
            let follower = isFollowed ? try LedgerFollower(directory: directory, module: "There", environment: environment) : nil
            try say(101...200)
            let new = ModuleJournals(environment: environment)
            #expect(throws: JournalError.self) { try new.open("There", at: directory, epoch: Epoch(2), following: follower) }
            old.handOver("There", ledger)
            let opened = try new.open("There", at: directory, epoch: Epoch(2), following: follower)
            ledger.begin(Epoch(2))
            #expect(opened.ledger.summary == ledger.summary)
            #expect(opened.recovery.wasSealed && opened.recovery.lastEpoch == Epoch(1))
            #expect(!opened.recovery.state.isEmpty)
            new.closeAll()
            #expect(throws: JournalError.self) { try old.open("There", at: directory, epoch: Epoch(2)) }
            ledger.begin(Epoch(3))
            #expect(try old.open("There", at: directory, epoch: Epoch(3)).ledger.summary == ledger.summary)
            old.closeAll()
        }
    }

    @Test func `a follower of a journal that was deleted and began anew is not believed`() throws {
        try inFolder { directory, environment in
            let old = ModuleJournals(environment: environment)
            _ = try old.open("There", at: directory, epoch: Epoch(1))
            let records = Self.records(1...3)
            try old.append(records)
            let follower = try LedgerFollower(directory: directory, module: "There", environment: environment)
            old.closeAll()
            var later = environment
            later.wallMilliseconds = { environment.wallMilliseconds() + 1 }
            #expect(try RetiredJournal.remove(directory: directory, module: "There", unwrittenFor: 0, environment: later))
            let new = ModuleJournals(environment: environment)
            let opened = try new.open("There", at: directory, epoch: Epoch(2), following: follower)
            #expect(opened.ledger.streams.isEmpty && opened.recovery.isNew)
            new.closeAll()
        }
    }
}
