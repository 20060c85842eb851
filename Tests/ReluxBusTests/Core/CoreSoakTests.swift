import Relux
@testable import ReluxBus
import ReluxControl
@testable import ReluxLedger
import ReluxWire
import SoakKit
import Testing

/// The entries that one host keeps of others that come, speak and go for years.
@Suite struct CoreSoakTests {
    /// Publishers under names that nobody ever has again: each joins, says an effect and a snapshot, has them settled, and is removed.
    private func visit(_ bench: inout CoreBench, _ number: Int) throws {
        let (id, host) = (ModuleID(rawValue: "Guest\(number)") ?? "Guest", HostID(rawValue: "guest\(number)"))
        let here = CoreBench.member("Here", on: "here")
        let version = UInt64(number) * 2 + 1
        _ = bench.picture(version, [here, CoreBench.member(id, on: host, epoch: UInt64(number) + 1, since: version, provides: ["Seen"])])
        let epoch = UInt64(number) + 1
        let start = Epoch(epoch).start
        _ = try bench.answer(
            [
                .init(publisher: id, epoch: Epoch(epoch), topic: BusCore.head(of: id), head: 0, starts: []),
                .init(publisher: id, epoch: Epoch(epoch), topic: CoreBench.work, head: start, starts: [.init(recipient: "Here", after: start)]),
            ], from: host)
        _ = try bench.hear([CoreBench.effect(start + 1, version: version)], from: id, epoch: epoch)
        _ = bench.settle(start + 1, of: id)
        _ = try bench.hear(
            [.snapshot(SnapshotRecord(version: 1, payload: [1]))], on: Topic.snapshots(of: "Seen") ?? "Seen", from: id, epoch: epoch)
        _ = bench.picture(version + 1, [here])
        if let question = bench.core.questions.unanswered[id]?.question {
            _ = bench.core.receive(CourierAnswer(to: question, frames: [], isForgotten: true), now: bench.now)
        }
        for _ in 0..<4 { _ = bench.tick() }
    }

    @Test func `publishers that come and go under ever new names leave nothing behind but a cursor each`() throws {
        var bench = CoreBench()
        _ = bench.add("Here", observes: ["Seen"])
        // Also what the soak itself would not see: that it has heard each of them.
        var soak = Soak("name")
        try soak.play(
            SoakLength.of(720, full: 4_000), warmUp: 2 * BusCore.namesKept,
            census: {
                var core = bench.core
                // A ledger is for ever: a cursor keeps an effect from being handled twice.
                core.locals["Here"]?.ledger = Ledger("Here")
                core.draft = JournalDraft()
                return Census(["core": core])
            }, step: { try visit(&bench, $0) })
        #expect(soak.complaints.filter { $0.hasPrefix("core.") } == [], "\(soak.summary)")
        #expect(bench.core.lives.heard.count <= BusCore.namesKept + 1)
        #expect(!bench.core.lives.heard.isEmpty)
    }

    @Test func `what a host has forgotten of a publisher is not handled twice when it is said again`() throws {
        var bench = CoreBench()
        _ = bench.add("Here", observes: ["Seen"])
        for number in 0..<2 * BusCore.namesKept { try visit(&bench, number) }
        let first: ModuleID = "Guest0"
        try #require(bench.core.lives.heard[first] == nil)
        let again = try bench.hear([CoreBench.effect(Epoch(1).start + 1)], from: first)
        #expect(again.delivered.isEmpty)
    }

    @Test func `streams of a thousand topics that are said and settled cost the same each time`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer()
        let topics = try (0..<1_000).map { try Topic("Soak.Topic\($0)") }
        var soak = Soak("effect")
        try soak.play(
            SoakLength.of(5_000, full: 100_000), warmUp: 2_000,
            census: {
                bench.core.draft = JournalDraft()
                return Census(["core": bench.core])
            },
            step: { number in
                let (position, sequence) = (UInt64(number) + 1, UInt64(number / topics.count) + 1)
                _ = bench.core.append(
                    [
                        Relux.Emission(
                            id: EffectID(module: "Here", position: position), topic: topics[number % topics.count], sequence: sequence, caseName: "a",
                            payload: [1], memberVersion: 1, recipients: ["There"])
                    ], wallTime: 0, now: bench.now)
                let settled = SettledRecord(
                    sequence: CoreBench.start + position, topic: topics[number % topics.count],
                    effects: EffectRuns(position: position, sequence: sequence))
                _ = try bench.hear([.settled(settled)], on: .settlements(of: "Here"))
                if number % 50 == 0 { _ = bench.tick() }
                bench.core.draft = JournalDraft()
            })
        #expect(soak.complaints.filter { $0.hasPrefix("core.") } == [], "\(soak.summary)")
        #expect(bench.core.isSettled("Here"))
    }
}
