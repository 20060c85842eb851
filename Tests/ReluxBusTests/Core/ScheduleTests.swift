import Relux
@testable import ReluxBus
import ReluxControl
import ReluxJournal
import ReluxLedger
import SimulationKit
import Testing

/// Effects that a schedule emits.
@Suite struct ScheduleTests {
    private func tick(_ last: Int64, _ durability: Relux.Durability = .process, recipients: [ModuleID] = ["There"]) -> Relux.Emission {
        let place = Relux.SchedulePlace(
            name: "poll", rule: "every 1s", last: Relux.WallTime(milliseconds: last), next: Relux.WallTime(milliseconds: last + 1_000))
        return Relux.Emission(
            id: EffectID(module: "Here", position: CoreBench.start + 1), topic: CoreBench.work, sequence: CoreBench.start + 1, caseName: "a",
            payload: [1], memberVersion: 1, recipients: Recipients(recipients), beside: .place(place), durability: durability)
    }

    /// The records of the one batch that comes next.
    private func batch(_ bench: inout CoreBench) throws -> [WireRecord] {
        let parts = try bench.core.takeDraft().get()
        #expect(parts.count == 1)
        return try parts.flatMap(\.runs).flatMap { try WireRecord.decodeAll($0.run.records) }
    }

    @Test(arguments: [["There"], []] as [[ModuleID]])
    func `a tick's effect and the place of its schedule are in one batch of the journal`(recipients: [ModuleID]) throws {
        var bench = CoreBench.paired()
        _ = try bench.core.takeDraft().get()
        _ = bench.core.append([tick(5_000, recipients: recipients)], wallTime: 0, now: bench.now)
        let records = try batch(&bench)
        let effect = records.firstIndex { if case .effect = $0 { true } else { false } }
        let place = records.firstIndex {
            if case .schedule(let record) = $0 { record.last == 5_000 && record.position == CoreBench.start + 1 } else { false }
        }
        #expect(try #require(effect) < #require(place))
        #expect(bench.core.locals["Here"]?.ledger.schedules["poll"]?.last == 5_000)
    }

    @Test func `a transient tick leaves its place in the journal, although its effect is not there`() throws {
        var bench = CoreBench.paired()
        _ = try bench.core.takeDraft().get()
        _ = bench.core.append([tick(5_000, .transient)], wallTime: 0, now: bench.now)
        let records = try batch(&bench)
        #expect(records.count == 1)
        #expect(bench.core.locals["Here"]?.ledger.schedules["poll"]?.last == 5_000)
    }
}
