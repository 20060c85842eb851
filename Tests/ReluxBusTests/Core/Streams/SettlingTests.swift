import Relux
@testable import ReluxBus
import ReluxControl
import ReluxLedger
import SimulationKit
import Testing

/// Which settlements share a record, and what becomes of it at both ends.
@Suite struct SettlingTests {
    private static func settled(
        _ sequence: UInt64, of publisher: ModuleID = "There", topic: Topic = CoreBench.work, _ result: Relux.ActionResult = .success,
        durability: Relux.Durability = .process, diverged: [EffectID] = []
    ) -> Relux.Settled {
        var settled = Relux.Settled(
            id: EffectID(module: publisher, position: sequence), topic: topic, sequence: sequence, recipient: "Here", result: result,
            duration: .microseconds(7), diverged: diverged)
        settled.durability = durability
        return settled
    }

    /// The records of a batch that is settled, stream by stream.
    private static func records(_ batch: [Relux.Settled], _ bench: inout CoreBench) -> [SettledRecord] {
        let actions = bench.said { core, now in core.settled(batch, of: "Here", now: now) }
        return actions.published.compactMap { if case .settled(let record) = $0 { record } else { nil } }
    }

    private static func sequences(_ records: [SettledRecord]) -> [[UInt64]] { records.map { $0.effects.map(\.sequence) } }

    @Test func `what has ended alike shares a record, a place in the journal, and the time it took`() throws {
        var bench = CoreBench.paired()
        let records = Self.records((1...5).map { Self.settled($0) }, &bench)
        #expect(Self.sequences(records) == [[1, 2, 3, 4, 5]])
        #expect(records.map(\.sequence) == [CoreBench.start + 1] && records.map(\.durationMicroseconds) == [35])
        #expect(bench.core.takeSaid().filter { if case .settled = $0.record { true } else { false } }.count == 1)
        let stream = StreamID(publisher: "There", topic: CoreBench.work)
        for sequence in UInt64(1)...6 { #expect(bench.core.locals["Here"]?.ledger.isDone(sequence, of: stream) == (sequence < 6)) }
    }

    @Test func `what differs has a record of its own, each stream in the order in which it ended`() {
        var bench = CoreBench.paired()
        let batch = [
            Self.settled(1), Self.settled(3), Self.settled(4, .success("value")), Self.settled(5), Self.settled(6, .failure(Refusal())),
            Self.settled(7, topic: "Other"), Self.settled(8, of: "Else", topic: "Other"), Self.settled(9), Self.settled(2), Self.settled(10),
            Self.settled(11, durability: .machine), Self.settled(12, diverged: [EffectID(module: "Here", position: 4)]), Self.settled(13),
        ]
        let records = Self.records(batch, &bench)
        #expect(Self.sequences(records) == [[1, 3], [4], [5], [6], [7], [9], [2, 10], [11], [12], [13], [8]])
        #expect(records.map(\.isMachine) == records.map { $0.effects.map(\.sequence) == [11] })
    }

    @Test func `what was settled before is not said again, nor what comes twice in a batch`() {
        var bench = CoreBench.paired()
        _ = Self.records([Self.settled(2)], &bench)
        #expect(Self.sequences(Self.records([Self.settled(1), Self.settled(2), Self.settled(3), Self.settled(3)], &bench)) == [[1, 3]])
        #expect(Self.records([Self.settled(3)], &bench).isEmpty)
    }

    @Test func `a record has no more effects than its readers take`() {
        var bench = CoreBench.paired()
        let count = UInt64(EffectRuns.limit) + 10
        #expect(Self.records((1...count).map { Self.settled($0) }, &bench).map(\.effects.count) == [EffectRuns.limit, 10])
    }

    @Test func `a neighbour's effects end together, and so do transient ones`() throws {
        var bench = CoreBench.paired()
        _ = bench.add("Near")
        _ = bench.picture(2, [
            CoreBench.member("Here", on: "here"), CoreBench.member("Near", on: "here"), CoreBench.member("There", on: "there"),
        ])
        for durability in [Relux.Durability.process, .transient] {
            let batch = (1...3).map { Self.settled($0, of: "Near", durability: durability) }
            for sequence in UInt64(1)...3 {
                let appended = Relux.Emission(
                    id: EffectID(module: "Near", position: sequence), topic: CoreBench.work, sequence: sequence, caseName: "a", payload: [],
                    remaining: .seconds(1), memberVersion: 2, recipients: ["Here"], durability: durability)
                _ = bench.core.append([appended], wallTime: 0, now: bench.now)
            }
            let actions = bench.core.settled(batch, of: "Here", now: bench.now)
            let ended = actions.compactMap { if case .settle(let record, "Near", "Here") = $0 { record.effects.map(\.position) } else { nil } }
            #expect(ended == [[1, 2, 3]], "\(durability)")
        }
        #expect(bench.core.isSettled("Near") && bench.core.transients.isEmpty)
    }

    @Test func `the publisher takes in of a record what it still waits for, once`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer()
        for sequence in UInt64(1)...4 { _ = bench.emit(sequence, to: sequence == 2 ? [] : ["There"]) }
        var effects = EffectRuns(position: 1, sequence: 1)
        for sequence in UInt64(2)...4 { effects.append(position: sequence, sequence: sequence) }
        let record = WireRecord.settled(SettledRecord(sequence: CoreBench.start + 1, topic: CoreBench.work, effects: effects))
        _ = bench.core.takeSaid()
        _ = try bench.hear([record], on: .settlements(of: "Here"))
        let acked = bench.core.takeSaid().compactMap { if case .acked(let acked) = $0.record { acked.effects.map(\.sequence) } else { nil } }
        #expect(acked == [[1, 3, 4]])
        let book = bench.core.locals["Here"]?.ledger.books[CoreBench.work]?["There"]
        #expect(book?.succeeded == 3 && book?.open == 0)
        #expect(bench.core.isSettled("Here") && bench.core.backlog.bytes.isEmpty)
        _ = try bench.hear([record], on: .settlements(of: "Here"))
        #expect(bench.core.takeSaid().allSatisfy { if case .acked = $0.record { false } else { true } })
    }

    @Test func `a record that names other positions than the stream has ends nothing`() throws {
        var bench = CoreBench.paired()
        _ = try bench.answer()
        _ = bench.emit(1)
        let record = SettledRecord(sequence: CoreBench.start + 1, topic: CoreBench.work, effects: EffectRuns(position: 9, sequence: 1))
        _ = try bench.hear([.settled(record)], on: .settlements(of: "Here"))
        #expect(!bench.core.isSettled("Here"))
    }

    private struct Refusal: Error {}
}
