import Glibc
import Relux
import ReluxBus
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import ReluxTestKit
@testable import SimulationKit
import Testing

/// Journals in files, read while somebody writes them.
@Suite struct LedgerFollowerTests {
    private static func records(_ sequences: ClosedRange<UInt64>, to recipients: [ModuleID] = ["Here"]) -> [Said] {
        let first = sequences.lowerBound
        let member = MemberRecord(sequence: first - 1, version: 1, recipients: recipients)
        var all = [Said(module: "There", topic: CoreBench.work, record: .member(member))]
        for sequence in sequences {
            let effect = EffectRecord(
                position: sequence, sequence: sequence, caseName: "a", memberVersion: 1,
                payload: [UInt8](repeating: 7, count: 200)[...])
            all.append(.init(module: "There", topic: CoreBench.work, record: .effect(effect)))
        }
        return all
    }

    @Test func `a follower knows what the writer knows, through checkpoints, segments and lives`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let directory = folder.file("There")
        let environment = try JournalEnvironment.live()
        var options = JournalOptions()
        options.firstSegment = 16 << 10
        options.segmentLimit = 16 << 10
        var follower: LedgerFollower?
        var expected = Ledger("There")
        for life in UInt64(1)...3 {
            let journals = ModuleJournals(environment: environment, options: options)
            let opened = try journals.open("There", at: directory, epoch: Epoch(life))
            var ledger = opened.ledger
            for turn in UInt64(0)..<20 {
                let first = Epoch(life).start + turn * 40 + 1
                var records = Self.records(first...(first + 39))
                for settled in first..<(first + 30) {
                    let acked = AckedRecord(
                        recipient: "Here", settlementSequence: settled, topic: CoreBench.work,
                        effects: EffectRuns(position: settled, sequence: settled), status: .succeeded, result: [])
                    records.append(.init(module: "There", topic: AckedRecord.topic, record: .acked(acked)))
                }
                for entry in records { ledger.fold(entry.topic, entry.record) }
                let ledgers: [ModuleID: Ledger] = journals.wantsLedger(of: "There") ? ["There": ledger] : [:]
                try journals.append(records, ledgers: ledgers)
                if turn % 7 == 3 {
                    let following = try follower ?? LedgerFollower(directory: directory, module: "There", environment: environment)
                    try following.follow()
                    #expect(following.ledger.summary == ledger.summary && following.epoch == Epoch(life))
                    let fresh = try LedgerFollower(directory: directory, module: "There", environment: environment)
                    #expect(fresh.ledger.summary == ledger.summary && fresh.epoch == Epoch(life))
                    follower = following
                }
            }
            journals.closeAll()
            expected = ledger
        }
        try follower?.follow()
        #expect(follower?.ledger.summary == expected.summary)
        let known = CourierLedger(ledger: expected, epoch: Epoch(3))
        let question = CourierQuestion.records(of: "There", topic: CoreBench.work, ranges: [1...Epoch(4).start], for: "Here")
        #expect(CourierAnswer(to: question, retired: []) { _ in known }.frames.count > 1)
    }

    @Test func `a retired journal goes as a whole when its time is over, not before and not under its writer`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let directory = folder.file("There")
        var environment = try JournalEnvironment.live()
        let journals = ModuleJournals(environment: environment)
        _ = try journals.open("There", at: directory, epoch: Epoch(1))
        func remove() throws(JournalError) -> Bool {
            try RetiredJournal.remove(directory: directory, module: "There", unwrittenFor: 3_600_000, environment: environment)
        }
        let records = Self.records(1...10)
        try journals.append(records)
        let now = environment.wallMilliseconds()
        environment.wallMilliseconds = { now + 3_000_000 }
        #expect(throws: JournalError.self) { try remove() }
        journals.closeAll()
        #expect(try !remove())
        #expect(try LedgerFollower(directory: directory, module: "There", environment: environment).ledger.position == Epoch(1).start)
        environment.wallMilliseconds = { now + 4_000_000 }
        #expect(try remove())
        #expect(try environment.files.list(folder.path)?.isEmpty == true)
        #expect(try !remove())
        #expect(rmdir(folder.path) == 0)
    }

    @Test func `a retired journal of before the clock was set back goes too`() throws {
        let folder = TemporaryDirectory(isMade: true)
        let directory = folder.file("There")
        var environment = try JournalEnvironment.live()
        let journals = ModuleJournals(environment: environment)
        _ = try journals.open("There", at: directory, epoch: Epoch(1))
        journals.closeAll()
        let now = environment.wallMilliseconds()
        environment.wallMilliseconds = { now - 365 * 24 * 3_600_000 }
        #expect(try RetiredJournal.remove(directory: directory, module: "There", unwrittenFor: 3_600_000, environment: environment))
        #expect(rmdir(folder.path) == 0)
    }

    @Test func `a journal that is not there is said to be missing`() throws {
        let environment = try JournalEnvironment.live()
        #expect(throws: JournalError.self) {
            try LedgerFollower(directory: "/nonexistent/There", module: "There", environment: environment)
        }
    }
}
