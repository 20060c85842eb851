import Relux
@testable import ReluxBus
import ReluxControl
import SimulationKit
import Testing

/// Topics that are kept in memory only.
@Suite struct TransientTests {
    private static let start = CoreBench.start

    private func emit(
        _ bench: inout CoreBench, _ position: UInt64, to recipients: [ModuleID] = ["There"], remaining: Duration? = .seconds(30)
    ) -> CoreBench.Actions {
        let appended = Relux.Emission(
            id: EffectID(module: "Here", position: position), topic: CoreBench.work, sequence: position, caseName: "a", payload: [1],
            remaining: remaining, memberVersion: 1, recipients: Recipients(recipients), durability: .transient)
        return bench.core.append([appended], wallTime: 0, now: bench.now)
    }

    private func hear(_ bench: inout CoreBench, _ sequences: UInt64..., epoch: UInt64 = 1, version: UInt64 = 1) throws -> CoreBench.Actions {
        let start = Epoch(epoch).start
        return try bench.hear(
            sequences.map {
                .effect(
                    EffectRecord(
                        position: start + $0, sequence: start + $0, caseName: "a", memberVersion: version, flags: .transient,
                        payload: [1]))
            }, epoch: epoch)
    }

    private func gone(_ actions: CoreBench.Actions) -> [ClosedRange<UInt64>] {
        actions.published.compactMap { if case .gone(let gone) = $0 { gone.range } else { nil } }
    }

    private func answer(_ bench: inout CoreBench, _ position: UInt64) throws -> CoreBench.Actions {
        try bench.hear(
            [.settled(SettledRecord(sequence: 0, topic: CoreBench.work, effects: EffectRuns(position: position, sequence: position)))],
            on: .settlements(of: "Here"))
    }

    @Test func `what is said leaves no trace in ledger, journal, heads and accounts`() throws {
        var bench = CoreBench.paired()
        _ = bench.core.takeSaid()
        let actions = emit(&bench, Self.start + 1)
        #expect(actions.published.count == 1 && actions.members.isEmpty)
        guard case .effect(let effect)? = actions.published.first else { return #expect(Bool(false)) }
        #expect(effect.flags.contains(.transient))
        #expect(!bench.core.hasUnwritten && bench.core.backlog.bytes.isEmpty && bench.core.isSettled("Here"))
        #expect(bench.tick().heads.isEmpty)
        let fetched = try bench.fetch([(Self.start + 1)...(Self.start + 1)])
        #expect(fetched.replayed?.contains { if case .effect = $0 { true } else { false } } == false)
    }

    @Test func `its answer comes without a place in the stream of settlements, once`() throws {
        var bench = CoreBench.paired()
        _ = emit(&bench, 7)
        let first = try answer(&bench, 7)
        #expect(first.contains { if case .settle(let record, _, "There") = $0 { record.effects.map(\.position) == [7] } else { false } })
        #expect(try answer(&bench, 7).isEmpty)
        #expect(try answer(&bench, 8).isEmpty)
        #expect(bench.core.takeSaid().allSatisfy { if case .acked = $0.record { false } else { true } })
    }

    @Test func `a durable effect is not settled by an answer without a place`() throws {
        var bench = CoreBench.paired()
        _ = bench.emit(1)
        #expect(try answer(&bench, 1).isEmpty)
        #expect(!bench.core.isSettled("Here"))
    }

    @Test func `what pends on a process that dies is lost with it, and only that`() {
        var bench = CoreBench.paired()
        _ = emit(&bench, 1)
        _ = bench.emit(2)
        let died = bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: nil)])
        #expect(died.lost == ["There"])
        // No book has it, and none counts it among what was accepted and lost.
        #expect(!died.contains { if case .settle = $0 { true } else { false } })
        #expect(bench.core.counters.transientsLost == 1)
        #expect(!bench.core.isSettled("Here"))
        #expect(emit(&bench, 3).lost == ["There"])
    }

    @Test func `what is lost to a module that is known to be absent says why it is`() {
        func whys(_ actions: CoreBench.Actions) -> [String?] { actions.compactMap { if case .missed(_, _, let why) = $0 { why } else { nil } } }
        var bench = CoreBench.paired()
        _ = emit(&bench, 1)
        var absent = CoreBench.member("There", on: nil)
        absent.absence = "it is refused"
        #expect(whys(bench.picture(2, [CoreBench.member("Here", on: "here"), absent])) == ["it is refused"])
        #expect(whys(emit(&bench, 2)) == ["it is refused"])
    }

    @Test func `another life of the recipient owes nothing of what the last one did`() {
        var bench = CoreBench.paired()
        _ = emit(&bench, 1)
        #expect(bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: "there", epoch: 2)]).lost == ["There"])
        #expect(bench.picture(3, [CoreBench.member("Here", on: "here"), CoreBench.member("There", on: nil, epoch: 2)]).lost.isEmpty)
    }

    @Test func `one that has been removed meanwhile owes nothing`() {
        var bench = CoreBench.paired()
        #expect(emit(&bench, 1, to: ["Removed"]).lost == ["Removed"])
        #expect(bench.core.transients.isEmpty)
    }

    @Test func `nobody is remembered longer than somebody waits`() {
        var bench = CoreBench.paired()
        _ = emit(&bench, 1, remaining: .seconds(1))
        bench.now = .seconds(2)
        _ = bench.core.tick(now: bench.now)
        #expect(bench.core.transients.isEmpty)
    }

    @Test func `a gap is counted, said to be gone, and never asked for`() throws {
        var bench = CoreBench.paired()
        #expect(try hear(&bench, 1).delivered == [Self.start + 1])
        let actions = try hear(&bench, 4)
        #expect(actions.delivered == [Self.start + 4])
        #expect(gone(actions) == [(Self.start + 2)...(Self.start + 3)])
        #expect(bench.core.counters.missed == 2 && bench.core.counters.troubles == ["2 transient effects missed"])
        #expect(bench.tick().fetches.isEmpty && bench.core.inbound.lagging.isEmpty)
    }

    @Test func `what is said gone to us is lost`() throws {
        var bench = CoreBench.paired()
        for position in UInt64(1)...4 { _ = emit(&bench, position) }
        let gone = GoneRecord(topic: CoreBench.work, range: 2...3)
        #expect(try bench.hear([.gone(gone)], on: .settlements(of: "Here")).lost == ["There", "There"])
        #expect(bench.core.transients.owed(by: "There").map(\.position) == [1, 4])
    }

    @Test func `what comes twice, late or from an earlier life is not handled`() throws {
        var bench = CoreBench.paired()
        _ = try hear(&bench, 1, 3)
        #expect(try hear(&bench, 3, 2).delivered.isEmpty && bench.core.counters.duplicates == 2)
        #expect(try hear(&bench, 1, epoch: 2).delivered == [Epoch(2).start + 1])
        #expect(try hear(&bench, 9).delivered.isEmpty)
        #expect(bench.core.counters.missed == 1)
    }

    @Test func `a first word in the middle of a stream is no loss of ours, and the publisher is told what we have not heard`() throws {
        var bench = CoreBench.paired()
        let actions = try hear(&bench, 5)
        #expect(actions.delivered == [Self.start + 5] && bench.core.counters.missed == 0)
        #expect(gone(actions) == [(Self.start + 1)...(Self.start + 4)])
    }

    @Test func `it is not meant for a recipient that came later`() throws {
        var bench = CoreBench.paired()
        _ = bench.picture(5, [CoreBench.member("Here", on: "here", since: 4), CoreBench.member("There", on: "there")])
        #expect(try hear(&bench, 1, version: 3).delivered.isEmpty)
        #expect(try hear(&bench, 2, version: 4).delivered == [Self.start + 2])
    }

    @Test func `a module of the same process is given it directly and answers without frames`() {
        var bench = CoreBench.paired()
        _ = bench.add("Near")
        _ = bench.picture(2, [CoreBench.member("Here", on: "here"), CoreBench.member("Near", on: "here"), CoreBench.member("There", on: "there")])
        _ = bench.core.takeSaid()
        let said = emit(&bench, 1, to: ["Near"])
        #expect(said.contains { if case .deliver(_, "Here", CoreBench.work, "Near", _) = $0 { true } else { false } })
        var settled = Relux.Settled(
            id: EffectID(module: "Here", position: 1), topic: CoreBench.work, sequence: 1, recipient: "Near", result: .success,
            duration: .zero)
        settled.durability = .transient
        let answered = bench.core.settled([settled], of: "Near", now: bench.now)
        #expect(answered.published.isEmpty)
        #expect(answered.contains { if case .settle(_, _, "Near") = $0 { true } else { false } })
        #expect(!bench.core.hasUnwritten)
    }
}
