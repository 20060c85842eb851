import JournalFaults
import Relux
import ReluxJournal
@testable import ReluxLedger
import SimulationKit
import Synchronization
import Testing

/// A journal that is trimmed in the moment when somebody begins to follow it.
@Suite struct TrimmedFollowerTests {
    private static let count: UInt64 = 20

    private static func said(_ sequences: ClosedRange<UInt64>) -> [Said] {
        sequences.map { sequence in
            let effect = EffectRecord(
                position: sequence, sequence: sequence, caseName: "a", memberVersion: 1, payload: [UInt8](repeating: 7, count: 100)[...])
            return .init(module: "There", topic: CoreBench.work, record: .effect(effect))
        }
    }

    @Test(arguments: 1...8) func `a follower knows what the journal says, whenever it is trimmed meanwhile`(listing: Int) throws {
        let disk = MemoryDisk()
        let bootID = try #require(BootID(parsing: "00000000-0000-4000-8000-000000000001"))
        func environment(_ files: any FileSystem) -> JournalEnvironment {
            JournalEnvironment(files: files, bootID: bootID, processID: 7, wallMilliseconds: { 1000 }, random: { 11 })
        }
        var options = JournalOptions()
        options.firstSegment = 16 << 10
        options.segmentLimit = 16 << 10
        let journals = ModuleJournals(
            environment: environment(disk), options: options, retention: JournalRetention(byteCount: 1, ageMilliseconds: .max))
        let ledger = Mutex(try journals.open("There", at: "/There", epoch: Epoch(1)).ledger)
        @Sendable func write(_ records: [Said]) {
            let now = ledger.withLock { ledger in
                for entry in records { ledger.fold(entry.topic, entry.record) }
                return ledger
            }
            do {
                try journals.append(records, ledgers: journals.wantsLedger(of: "There") ? ["There": now] : [:])
            } catch {
                Issue.record("\(error)")
            }
        }
        let member = MemberRecord(sequence: 0, version: 1, recipients: ["Here"])
        write([.init(module: "There", topic: CoreBench.work, record: .member(member))] + Self.said(1...Self.count))
        // The first ones wait while many others come and go, and several segments with them.
        for turn in 1...30 as ClosedRange<UInt64> {
            let sequences = (turn * Self.count + 1)...((turn + 1) * Self.count)
            write(Self.said(sequences) + FullDiskTrimTests.acknowledged(sequences))
        }
        let slow = SlowDisk(disk)
        slow.before(listing: listing) {
            write(FullDiskTrimTests.acknowledged(1...Self.count))
            journals.trim("There", ledger.withLock { $0 })
        }
        let follower = try LedgerFollower(directory: "/There", module: "There", environment: environment(slow))
        // The moment may come here, too: what is read afresh is read afterwards.
        try follower.follow()
        let fresh = try LedgerFollower(directory: "/There", module: "There", environment: environment(disk))
        let (found, right) = (follower.ledger.books[CoreBench.work]?["Here"], fresh.ledger.books[CoreBench.work]?["Here"])
        #expect(found == right && right != nil)
        #expect(follower.ledger.streams[CoreBench.work]?.isSettled == fresh.ledger.streams[CoreBench.work]?.isSettled)
    }

    @Test func `what is left of a batch that was refused in part still follows from what was written`() throws {
        let acked = AckedRecord(
            recipient: "Here", settlementSequence: 1, topic: CoreBench.work, effects: EffectRuns(position: 1, sequence: 1),
            status: .succeeded, result: [])
        let left = Self.said(2...2) + [.init(module: "There", topic: AckedRecord.topic, record: .acked(acked))]
        let parts = try JournalPart.parts(of: left)
        #expect(parts.count == 1 && parts[0].foundations == ["Here"])
    }
}
