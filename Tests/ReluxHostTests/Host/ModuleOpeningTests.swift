import Foundation
import Glibc
import Relux
import ReluxControl
@testable import ReluxHost
import ReluxJournal
import ReluxLedger
import ReluxTestKit
import Testing

/// A life that begins behind a death, and may have to be begun more than once.
@Suite final class ModuleOpeningTests {
    private let directory = TemporaryDirectory(isMade: true)
    private let run: RunDirectory
    private let environment: JournalEnvironment
    private let sealer: ClusterSealer
    private let effect = EffectID(module: "Far", position: 5)

    init() throws {
        run = RunDirectory(path: directory.path)
        try run.create()
        try ClusterSealer.makeKeyFile(run.key)
        environment = try .live()
        sealer = try ClusterSealer(keyFile: run.key)
    }

    private func open(_ epoch: UInt64, _ journals: ModuleJournals, wasAlone: Bool = false) throws -> ModuleOpening {
        try ModuleOpening(
            of: "M", Epoch(epoch), in: run, journals: journals, environment: environment,
            last: try OpenTable.contents(of: run.openTable(of: "M")), wasAlone: wasAlone, sealer: sealer)
    }

    /// A life that ends while it handles the effect.
    private func die(_ epoch: UInt64) throws {
        let journals = ModuleJournals(environment: environment)
        let opening = try open(epoch, journals)
        try opening.table.takePlace()
        opening.table.began(run: 1, effect: effect, isCharged: false)
        journals.abandon("M")
    }

    @Test func `a set-up that is tried again counts the death once, and knows its suspects until it is done`() throws {
        try die(1)
        for attempt in 0..<3 {
            let journals = ModuleJournals(environment: environment)
            let opening = try open(2, journals, wasAlone: attempt == 0)
            #expect(opening.recovery.suspects == [Relux.Suspect(effect: effect, deaths: 1, wasAlone: true)])
            journals.abandon("M")
        }
        try die(3)
        let journals = ModuleJournals(environment: environment)
        let opening = try open(4, journals)
        #expect(opening.recovery.suspects.map(\.deaths) == [2])
        try opening.table.takePlace()
        journals.abandon("M")
        #expect(try open(5, journals).recovery.suspects == [])
        journals.closeAll()
    }

    @Test func `a death is counted once, also when the table cannot be marked at first`() throws {
        try die(1)
        let (path, aside) = (run.openTable(of: "M"), run.openTable(of: "M") + ".aside")
        let last = try OpenTable.contents(of: path)
        rename(path, aside)
        for _ in 0..<2 {
            // It can be read, and not be written.
            mkdir(path, 0o700)
            let journals = ModuleJournals(environment: environment)
            #expect(throws: OpenTableError.self) {
                try ModuleOpening(
                    of: "M", Epoch(2), in: run, journals: journals, environment: environment, last: last, wasAlone: true, sealer: sealer)
            }
            journals.abandon("M")
        }
        rmdir(path)
        rename(aside, path)
        let journals = ModuleJournals(environment: environment)
        #expect(try open(2, journals).recovery.suspects.map(\.deaths) == [1])
        journals.closeAll()
    }

    @Test func `an effect that ran beside others at the last death is not given up, however often it had died alone`() throws {
        let other = EffectID(module: "Far", position: 6)
        try die(1)
        for epoch: UInt64 in 2...4 {
            let journals = ModuleJournals(environment: environment)
            let opening = try open(epoch, journals)
            #expect(opening.recovery.suspects.map(\.deaths) == [Int(epoch) - 1])
            try opening.table.takePlace()
            opening.table.began(run: 1, effect: effect, isCharged: true)
            journals.abandon("M")
        }
        var journals = ModuleJournals(environment: environment)
        var opening = try open(5, journals)
        #expect(opening.recovery.suspects == [Relux.Suspect(effect: effect, deaths: 4, wasAlone: true)])
        try opening.table.takePlace()
        opening.table.began(run: 1, effect: effect, isCharged: true)
        // The process ends because its journal takes nothing any more: no death of the effect, and it is suspected as before.
        OpenTable.acquitAll(in: run.journals)
        journals.abandon("M")
        journals = ModuleJournals(environment: environment)
        opening = try open(6, journals)
        #expect(opening.recovery.suspects == [Relux.Suspect(effect: effect, deaths: 4, wasAlone: false)])
        try opening.table.takePlace()
        opening.table.began(run: 1, effect: effect, isCharged: false)
        opening.table.began(run: 2, effect: other, isCharged: false)
        journals.abandon("M")
        journals = ModuleJournals(environment: environment)
        opening = try open(7, journals)
        #expect(
            opening.recovery.suspects == [
                Relux.Suspect(effect: effect, deaths: 5, wasAlone: false), Relux.Suspect(effect: other, deaths: 1, wasAlone: false),
            ])
        journals.closeAll()
    }

    @Test func `what had been alone for long enough when its process died comes last, and is not known for it`() throws {
        let other = EffectID(module: "Far", position: 6)
        try die(1)
        var journals = ModuleJournals(environment: environment)
        var opening = try open(2, journals)
        try opening.table.takePlace()
        opening.table.began(run: 1, effect: effect, isCharged: true)
        opening.table.released(run: 1)
        opening.table.began(run: 2, effect: other, isCharged: false)
        journals.abandon("M")
        journals = ModuleJournals(environment: environment)
        opening = try open(3, journals)
        #expect(
            opening.recovery.suspects == [
                Relux.Suspect(effect: other, deaths: 1, wasAlone: false), Relux.Suspect(effect: effect, deaths: 2, wasAlone: false),
            ])
        try opening.table.takePlace()
        opening.table.began(run: 1, effect: effect, isCharged: true)
        opening.table.released(run: 1)
        journals.abandon("M")
        for wasAlone in [true, false] {
            journals = ModuleJournals(environment: environment)
            // The second time the journal knows of it already.
            #expect(try open(4, journals, wasAlone: wasAlone).recovery.suspects == [Relux.Suspect(effect: effect, deaths: 3, wasAlone: false)])
            journals.abandon("M")
        }
    }

    @Test func `a suspect that was not run again when the process died once more is known until it is settled`() throws {
        let other = EffectID(module: "Far", position: 4)
        try die(1)
        var journals = ModuleJournals(environment: environment)
        var opening = try open(2, journals)
        #expect(opening.recovery.suspects.map(\.effect) == [effect] && opening.recovery.carried.isEmpty)
        try opening.table.takePlace()
        // Another one goes before it and ends the process.
        opening.table.began(run: 1, effect: other, isCharged: true)
        journals.abandon("M")
        for epoch: UInt64 in 3...4 {
            journals = ModuleJournals(environment: environment)
            opening = try open(epoch, journals)
            #expect(opening.recovery.suspects == (epoch == 3 ? [Relux.Suspect(effect: other, deaths: 1, wasAlone: true)] : []))
            #expect(opening.recovery.carried.contains(Relux.Suspect(effect: effect, deaths: 1, wasAlone: false)))
            #expect(opening.recovery.carried.count == (epoch == 3 ? 1 : 2))
            try opening.table.takePlace()
            if epoch == 4 {
                let settled = SettledRecord(
                    sequence: 1, topic: "Far.Business.Effect", effects: EffectRuns(position: effect.position, sequence: 1), status: .succeeded)
                var parts = try JournalPart.parts(of: "M", [(.settlements(of: "Far"), .settled(settled))])
                try journals.append(&parts, ledgers: [:])
            }
            journals.abandon("M")
        }
        journals = ModuleJournals(environment: environment)
        #expect(try open(5, journals).recovery.carried.map(\.effect) == [other])
        journals.closeAll()
    }

    @Test func `a process that its journal ends makes no effect a suspect that was none`() throws {
        let journals = ModuleJournals(environment: environment)
        let opening = try open(1, journals)
        try opening.table.takePlace()
        opening.table.began(run: 1, effect: effect, isCharged: false)
        OpenTable.acquitAll(in: run.journals)
        journals.abandon("M")
        for _ in 0..<2 {
            let journals = ModuleJournals(environment: environment)
            #expect(try open(2, journals).recovery.suspects == [])
            journals.abandon("M")
        }
    }

    @Test func `a table that cannot be made charges nothing`() throws {
        try die(1)
        // Something is in its way, and there is no name left under which it could be kept.
        let obstacle = run.openTable(of: "M") + ".new"
        let taken = (0..<1000).map { "\(obstacle).replaced-\(getpid())" + ($0 == 0 ? "" : "-\($0)") }
        for name in taken { mkdir(name, 0o700) }
        defer { for name in taken { rmdir(name) } }
        for _ in 0..<3 {
            mkdir(obstacle, 0o700)
            let journals = ModuleJournals(environment: environment)
            #expect(throws: OpenTableError.self) { try open(2, journals) }
            journals.abandon("M")
        }
        rmdir(obstacle)
        let journals = ModuleJournals(environment: environment)
        #expect(try open(2, journals).recovery.suspects.map(\.deaths) == [1])
        journals.closeAll()
    }

    @Test func `handlers that were cut when the module was given up are never suspected`() throws {
        let first = ModuleJournals(environment: environment)
        let opening = try open(1, first)
        try opening.table.takePlace()
        opening.table.began(run: 1, effect: effect, isCharged: false)
        first.closeAll()
        for _ in 0..<2 {
            let journals = ModuleJournals(environment: environment)
            #expect(try open(2, journals).recovery.suspects == [])
            journals.abandon("M")
        }
    }
}
