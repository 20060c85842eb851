import Glibc
import JournalFaults
import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger
import Synchronization
import Testing

@testable import ReluxBroker

/// The courier answers for a process that has died before all that it had said was on the disk.
@Suite struct CourierTests {
    private let disk = MemoryDisk()
    private let run = RunDirectory(path: "/run")
    private let work: Topic = "Work"
    private let start = Epoch(1).start

    private func environment(_ disk: MemoryDisk, boot: UInt8 = 1) -> JournalEnvironment {
        JournalEnvironment(
            files: disk, bootID: BootID(bytes: Array(boot..<(boot + 16)))!, processID: 1, wallMilliseconds: { 1_790_000_000_000 },
            random: { UInt64.random(in: .min ... .max) })
    }

    /// Writes the records as a process that is gone now.
    private func write(_ records: [(Topic, WireRecord)], say: @escaping (String) -> Void = { _ in }) throws -> JournalShelf {
        try disk.makeDirectory("/run")
        try disk.makeDirectory(run.journals)
        let journals = ModuleJournals(environment: environment(disk))
        _ = try journals.open("Dead", at: run.journal(of: "Dead"), epoch: Epoch(1))
        var parts = try JournalPart.parts(of: "Dead", records.map { ($0.0, $0.1) })
        try journals.append(&parts, ledgers: [:])
        disk.killProcess()
        return JournalShelf(run: run, limits: JournalLimits(), environment: environment(disk), say: say)
    }

    private func effect(_ flags: EffectFlags) -> [(Topic, WireRecord)] {
        [
            (work, .member(MemberRecord(sequence: start, version: 1, recipients: ["Asker"]))),
            (work, .effect(EffectRecord(position: start + 1, sequence: start + 1, caseName: "a", memberVersion: 1, flags: flags, payload: [1]))),
        ]
    }

    private func settlement(isMachine: Bool) -> [(Topic, WireRecord)] {
        let record = SettledRecord(sequence: start + 1, topic: work, effects: EffectRuns(position: 7, sequence: 7), isMachine: isMachine)
        return [(.settlements(of: "Asker"), .settled(record))]
    }

    private func ask(_ shelf: JournalShelf, _ topic: Topic) -> CourierAnswer {
        shelf.answer(.records(of: "Dead", topic: topic, ranges: [(start + 1)...(start + 1)], for: "Asker"), members: [:])!
    }

    /// Whether something unsettled of it is there when the power goes now.
    private func survives() throws -> Bool {
        let journals = ModuleJournals(environment: environment(disk.survivors(), boot: 2))
        let ledger = try journals.open("Dead", at: run.journal(of: "Dead"), epoch: Epoch(2)).ledger
        return ledger.streams.contains { !$0.value.isSettled }
    }

    @Test func `what has to survive the loss of power is on the disk before anybody hears of it`() throws {
        for (records, topic) in [(effect(.machine), work), (settlement(isMachine: true), .settlements(of: "Asker"))] {
            let bench = CourierTests()
            let shelf = try bench.write(records)
            #expect(try !bench.survives())
            #expect(!bench.ask(shelf, topic).frames.isEmpty)
            #expect(try bench.survives())
            // Once is enough.
            let syncs = bench.disk.count(of: .sync)
            #expect(!bench.ask(shelf, topic).frames.isEmpty)
            #expect(bench.disk.count(of: .sync) == syncs)
        }
    }

    @Test func `what cannot be read is no last word, and what is beside it is said`() throws {
        let shelf = try write(effect([]), say: { _ in })
        let heads = CourierQuestion.heads(of: "Dead", for: ["Asker"], number: 3)
        let retired = CourierQuestion.retired(for: ["Asker"], number: 4)
        #expect(shelf.answer(heads, members: [:])?.frames.count == 1)
        #expect(shelf.answer(retired, members: [:])?.question == retired)
        let file = "\(run.journal(of: "Dead"))/0000000000000001.seg"
        let sound = try #require(disk.bytes(file))
        var damaged = sound
        damaged[20] ^= 1
        disk.set(file, damaged)
        let blind = JournalShelf(run: run, limits: JournalLimits(), environment: environment(disk), say: { _ in })
        #expect(blind.answer(heads, members: [:]) == nil)
        let answer = try #require(blind.answer(retired, members: [:]))
        #expect(answer.question != retired && answer.question.publisher == nil && answer.frames.isEmpty)
        // It is mended.
        disk.set(file, sound)
        let after = JournalShelf(run: run, limits: JournalLimits(), environment: environment(disk), say: { _ in })
        #expect(after.answer(heads, members: [:])?.frames.count == 1)
        #expect(after.answer(retired, members: [:])?.question == retired)
    }

    @Test func `a journal goes when nobody has known its module for the whole retention, and the registry does not either`() throws {
        let (start, day) = (ContinuousClock.now, Duration.seconds(24 * 3600))
        for declared in [["Dead"], []] as [Set<ModuleID>] {
            let bench = CourierTests()
            let lines = Mutex<[String]>([])
            // Written long ago, and by nobody since: the cluster was off.
            let old = try bench.write([(work, .member(MemberRecord(sequence: self.start, version: 1, recipients: [])))])
            withExtendedLifetime(old) {}
            var later = bench.environment(bench.disk)
            later.wallMilliseconds = { 1_790_000_000_000 + 30 * 24 * 3_600_000 }
            let shelf = JournalShelf(run: run, limits: JournalLimits(), environment: later, say: { line in lines.withLock { $0.append(line) } })
            #expect(shelf.tidy(members: [:], declared: declared, now: start + .seconds(3000)) == .init())
            #expect(shelf.tidy(members: [:], declared: declared, now: start + day) == .init())
            #expect(bench.disk.paths.contains { $0.hasPrefix(run.journal(of: "Dead")) })
            // The registry would miss it.
            let last = start + day + .seconds(4000)
            let missed = shelf.tidy(members: [:], declared: declared, remembered: ["Dead"], now: last)
            #expect(missed == .init(missed: declared.isEmpty ? ["Dead"] : []))
            #expect(bench.disk.paths.contains { $0.hasPrefix(run.journal(of: "Dead")) })
            let gone = shelf.tidy(members: [:], declared: declared, now: last + .seconds(30)).removed
            #expect(gone == (declared.isEmpty ? ["Dead"] : []))
            #expect(bench.disk.paths.contains { $0.hasPrefix(run.journal(of: "Dead")) } == !declared.isEmpty)
            #expect(lines.withLock { $0.count } == gone.count)
        }
    }

    @Test func `nobody waits for the disk when nothing has promised to survive the loss of power`() throws {
        for (records, topic) in [(effect([]), work), (settlement(isMachine: false), .settlements(of: "Asker"))] {
            let bench = CourierTests()
            let shelf = try bench.write(records)
            let syncs = bench.disk.count(of: .sync)
            #expect(!bench.ask(shelf, topic).frames.isEmpty)
            #expect(bench.disk.count(of: .sync) == syncs)
        }
    }

    @Test func `what somebody leaves for others is not said before nothing can be added to it`() throws {
        let shelf = try write(effect([]))
        for question in [CourierQuestion.heads(of: "Dead", for: ["Asker"], number: 1), .retired(for: ["Asker"], number: 2)] {
            #expect(shelf.answer(question, members: [:], writers: ["Dead"]) == nil)
            #expect(shelf.answer(question, members: [:], writers: ["Other"])?.frames.isEmpty == false)
        }
        // The records in the journal stay true.
        let records = CourierQuestion.records(of: "Dead", topic: work, ranges: [(start + 1)...(start + 1)], for: "Asker")
        #expect(shelf.answer(records, members: [:], writers: ["Dead"])?.frames.isEmpty == false)
    }

    @Test func `what an owner showed last is said to who observes it, and to no other`() throws {
        let record = SnapshotRecord(version: start + 4, payload: [7])
        let shelf = try write([(try #require(Topic.snapshots(of: "Seen")), .snapshot(record))])
        func frames(observes: [Topic], provides: [Topic] = ["Seen"]) throws -> [Frame] {
            let members = [("Dead", [], provides), ("Asker", observes, [])].map { id, observes, provides in
                ClusterPicture.Member(
                    module: id, epoch: Epoch(1), since: 0, handles: [], emits: [], provides: provides, observes: observes, host: nil)
            }
            let answer = shelf.answer(
                .heads(of: "Dead", for: ["Asker"], number: 1), members: Dictionary(uniqueKeysWithValues: members.map { ($0.module, $0) }))
            return try (answer?.frames ?? []).map { try Frame(decoding: $0.bytes) }
        }
        let said = try frames(observes: ["Seen"])
        #expect(said.map(\.topic.rawValue) == ["~snapshot.Seen"] && said.map(\.publisher) == ["Dead"] && said.map(\.epoch) == [Epoch(1)])
        #expect(said.first?.records == [.snapshot(SnapshotRecord(version: start + 4, flags: .stale, payload: [7]))])
        #expect(try frames(observes: []).isEmpty)
        #expect(try frames(observes: ["Seen"], provides: []).isEmpty)
    }

    @Test func `a disk that cannot sync leaves the question unanswered`() throws {
        let shelf = try write(effect(.machine))
        disk.fail(next: .sync, .fail(EIO))
        #expect(ask(shelf, work).frames.isEmpty)
        #expect(ask(shelf, work).frames.isEmpty)
    }

    @Test func `each trouble is said once until it is over, whatever else goes well meanwhile`() throws {
        var lines: [String] = []
        let shelf = try write(effect(.machine)) { lines.append($0) }
        disk.fail(next: .sync, .fail(EIO))
        for _ in 0..<3 { #expect(ask(shelf, work).frames.isEmpty) }
        // The failure itself, then that it is not tried again.
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.allSatisfy { $0.hasPrefix("the courier cannot bring to the disk the journal of Dead: /run/journals/Dead") }, "\(lines)")
    }
}
