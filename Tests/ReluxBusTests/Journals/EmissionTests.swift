import Relux
@testable import ReluxLedger
import SimulationKit
import Testing

@Suite struct EmissionTests {
    /// A batch's records are read topic by topic, so a handler's emissions need not come in the order of their positions.
    @Test(arguments: [[1, 2, 3, 4, 5, 6, 7], [1, 3, 5, 7, 2, 4, 6], [7, 6, 5, 4, 3, 2, 1], [1]] as [[UInt64]])
    func `each answer is found again at what it answers`(positions: [UInt64]) throws {
        let cause = EffectID(module: "Before", position: 1)
        var ledger = Ledger("There")
        func topic(_ position: UInt64) -> Topic { position % 2 == 0 ? "Even.Business.Effect" : "Odd.Business.Effect" }
        for even in [true, false] {
            let name: Topic = topic(even ? 0 : 1)
            ledger.fold(name, .member(MemberRecord(sequence: 0, version: 1, recipients: ["Here"])))
        }
        var last: [Topic: UInt64] = [:]
        var sequences: [UInt64: UInt64] = [:]
        for position in positions {
            let sequence = (last[topic(position)] ?? 0) + 1
            (last[topic(position)], sequences[position]) = (sequence, sequence)
            let effect = EffectRecord(
                position: position, sequence: sequence, caseName: "a", ancestry: [cause], memberVersion: 1, payload: [UInt8(position)])
            ledger.fold(topic(position), .effect(effect))
        }
        for position in positions.sorted() {
            let acked = AckedRecord(
                recipient: "Here", settlementSequence: position, topic: topic(position),
                effects: EffectRuns(position: position, sequence: try #require(sequences[position])), status: .succeeded,
                result: [UInt8(position)])
            ledger.fold(AckedRecord.topic, .acked(acked))
        }
        let emissions = try #require(ledger.causes[cause]?.emissions)
        #expect(emissions.map(\.position) == positions)
        for emission in emissions { #expect(emission.answers.map(\.result.bytes) == [[UInt8(emission.position)]]) }
    }

    /// Or the list of what a state has would grow from life to life.
    @Test func `a state's record does not name what has settled since`() throws {
        var ledger = Ledger("There")
        let effects = (UInt64(1)...9).map { EffectID(module: "Before", position: $0) }
        ledger.fold(StateRecord.topic, .state(StateRecord(stateName: "S", version: 1, reduced: effects, value: [7])))
        for (place, position) in ([5, 1, 9] as [UInt64]).enumerated() {
            let settled = SettledRecord(
                sequence: UInt64(place + 1), topic: CoreBench.work, effects: EffectRuns(position: position, sequence: position),
                status: .succeeded)
            ledger.fold(.settlements(of: "Before"), .settled(settled))
        }
        #expect(ledger.states["S"]?.reduced.map(\.position) == [2, 3, 4, 6, 7, 8])
        #expect(ledger.recovery(epoch: Epoch(1)).states["S"]?.reduced.count == 6)
    }

    /// Or each settlement of a module with many open effects would copy all of them.
    @Test func `what has settled is taken out of a state's list in place`() throws {
        var ledger = Ledger("There")
        let effects = (UInt64(1)...9).map { EffectID(module: "Before", position: $0) }
        ledger.fold(StateRecord.topic, .state(StateRecord(stateName: "S", version: 1, reduced: effects, value: [7])))
        func settle(_ position: UInt64) {
            let settled = SettledRecord(
                sequence: position, topic: CoreBench.work, effects: EffectRuns(position: position, sequence: position), status: .succeeded)
            ledger.fold(.settlements(of: "Before"), .settled(settled))
        }
        func place() -> UInt? { ledger.states["S"]?.reduced.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        // The test has the list too, until it is changed.
        settle(1)
        let before = place()
        settle(2)
        #expect(place() == before)
    }
}
