import JournalFaults
import Relux
import ReluxControl
import ReluxJournal
@testable import ReluxLedger
import SimulationKit
import Testing

/// A journal is opened that has less than the broker knows of.
@Suite struct KnownLivesTests {
    private static func journals(_ disk: MemoryDisk) throws -> ModuleJournals {
        ModuleJournals(
            environment: JournalEnvironment(
                files: disk, bootID: try #require(BootID(parsing: "00000000-0000-4000-8000-000000000001")), processID: 7,
                wallMilliseconds: { 1000 }, random: { 11 }))
    }

    private static func files(on disk: MemoryDisk) throws -> [String: [UInt8]] {
        let names = try disk.list("/There") ?? []
        return Dictionary(names.compactMap { name in disk.bytes("/There/" + name).map { ("/There/" + name, $0) } }, uniquingKeysWith: { $1 })
    }

    private static func replace(_ files: [String: [UInt8]], on disk: MemoryDisk) throws {
        for name in try Self.files(on: disk).keys { disk.set(name, nil) }
        for (name, bytes) in files { disk.set(name, bytes) }
    }

    /// A life that says this number of effects and ends in order; what it noticed at its begin.
    ///
    /// - Parameter midst: told of what is on the disk when half of it is said.
    private static func live(
        _ epoch: UInt64, saying count: UInt64, on disk: MemoryDisk, _ known: inout KnownLives, midst: ([String: [UInt8]]) -> Void = { _ in }
    ) throws -> [ClosedRange<UInt64>] {
        let journals = try journals(disk)
        let ledger = try journals.open("There", at: "/There", epoch: Epoch(epoch), known: known).ledger
        _ = known.note(JournalEnd(opened: Epoch(epoch)))
        let first = ledger.head(of: CoreBench.work, start: Epoch(epoch).start) + 1
        for offset in 0..<count {
            if offset == count / 2 { midst(try files(on: disk)) }
            let effect = EffectRecord(position: ledger.position + 1 + offset, sequence: first + offset, caseName: "a", payload: [1])
            let records = [Said(module: "There", topic: CoreBench.work, record: .effect(effect))]
            try journals.append(records)
        }
        journals.closeAll()
        for end in journals.takeEnds().values { _ = known.note(end) }
        return ledger.news.map(\.range)
    }

    @Test func `what is there as it was left lacks nothing`() throws {
        let disk = MemoryDisk()
        var known = KnownLives()
        for epoch in 1...12 as ClosedRange<UInt64> { #expect(try Self.live(epoch, saying: epoch % 3, on: disk, &known).isEmpty) }
        #expect(known.ends.count == 8 && known.ends.allSatisfy { $0.batch > 0 })
    }

    @Test func `a journal that has less than the registry knows of says so at once, from where to where, and once`() throws {
        let disk = MemoryDisk()
        var known = KnownLives()
        #expect(try Self.live(1, saying: 3, on: disk, &known).isEmpty)
        let old = try Self.files(on: disk)
        var midst = old
        _ = try Self.live(2, saying: 4, on: disk, &known) { midst = $0 }
        let (life, end) = (Epoch(2).start, Epoch(2).start + 4)
        for (copy, range) in [(old, life...end), (midst, (life + 3)...end), ([:], Epoch(1).start...end)] {
            try Self.replace(copy, on: disk)
            var then = known
            #expect(try Self.live(3, saying: 1, on: disk, &then) == [range])
            // It has ended in order.
            #expect(try Self.live(4, saying: 1, on: disk, &then).isEmpty)
            let ledger = try Self.journals(disk).open("There", at: "/There", epoch: Epoch(5), known: then).ledger
            #expect(ledger.losses.count == 1 && ledger.losses[0].contains("the registry knows of"), "\(ledger.losses)")
        }
    }

    @Test func `a journal that came back behind one that was made anew lacks that one, and nothing of its own`() throws {
        let disk = MemoryDisk()
        var known = KnownLives()
        for epoch in [1, 2] as [UInt64] { _ = try Self.live(epoch, saying: 3, on: disk, &known) }
        let original = try Self.files(on: disk)
        try Self.replace([:], on: disk)
        _ = try Self.live(3, saying: 2, on: disk, &known)
        try Self.replace(original, on: disk)
        let journals = try Self.journals(disk)
        let ledger = try journals.open("There", at: "/There", epoch: Epoch(4), known: known).ledger
        let made = Epoch(3).start
        #expect(ledger.news.map(\.range) == [made...(made + 2)])
        // A recipient has seen the last of it.
        #expect(ledger.unknown(made + 2, on: CoreBench.work) == made...(made + 2))
        journals.closeAll()
    }

    @Test func `of a life that did not end in order it is known that it was`() throws {
        let disk = MemoryDisk()
        var known = KnownLives()
        _ = try Self.live(1, saying: 3, on: disk, &known)
        _ = known.note(JournalEnd(opened: Epoch(2)))
        let ledger = try Self.journals(disk).open("There", at: "/There", epoch: Epoch(3), known: known).ledger
        #expect(ledger.losses.map { $0.hasSuffix("from 2.0 to the end of life 2 is lost") } == [true])
    }

    @Test func `a journal that lacks more lives than are known lacks those before them, too`() throws {
        let disk = MemoryDisk()
        var known = KnownLives()
        _ = try Self.live(1, saying: 1, on: disk, &known)
        let old = try Self.files(on: disk)
        for epoch in 2...12 as ClosedRange<UInt64> { _ = try Self.live(epoch, saying: 1, on: disk, &known) }
        try Self.replace(old, on: disk)
        #expect(try Self.live(13, saying: 1, on: disk, &known) == [Epoch(2).start...(Epoch(12).start + 1)])
    }

    @Test func `the loss of a stream's numbers does not begin with a position`() {
        var ledger = Ledger("There")
        let life = Epoch(2).start
        ledger.begin(Epoch(2))
        ledger.fold(CoreBench.work, .effect(EffectRecord(position: life + 10, sequence: life + 1, caseName: "a", payload: [1])))
        ledger.fold(GoneRecord.topic, .gone(GoneRecord(topic: .lives(of: "There"), range: (life + 11)...(Epoch(3).start + 9))))
        ledger.begin(Epoch(4))
        #expect(ledger.unknown(Epoch(3).start + 1, on: CoreBench.work) == (life + 2)...(Epoch(3).start + 1))
    }

    @Test func `a loss that touches one that was told is news`() {
        var ledger = Ledger("There")
        for (range, isTold) in [(8...9, true), (5...7, false)] as [(ClosedRange<UInt64>, Bool)] {
            ledger.fold(GoneRecord.topic, .gone(GoneRecord(topic: CoreBench.work, range: range)))
            if isTold { ledger.told = ledger.forgotten }
        }
        #expect(ledger.news.map(\.range) == [5...9])
    }

    @Test func `a claim of an earlier life, or of less, is no news`() {
        var known = KnownLives()
        #expect(known.note(JournalEnd(opened: Epoch(2))) && !known.note(JournalEnd(opened: Epoch(2))) && !known.note(JournalEnd(opened: Epoch(1))))
        #expect(known.ends.map(\.epoch) == [Epoch(2)])
    }
}
