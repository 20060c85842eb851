import Relux
@testable import ReluxBus
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
            ledger.apply(name, .member(MemberRecord(sequence: 0, version: 1, recipients: ["Here"])))
        }
        var last: [Topic: UInt64] = [:]
        var sequences: [UInt64: UInt64] = [:]
        for position in positions {
            let sequence = (last[topic(position)] ?? 0) + 1
            (last[topic(position)], sequences[position]) = (sequence, sequence)
            let effect = EffectRecord(
                position: position, sequence: sequence, caseName: "a", ancestry: [cause], memberVersion: 1, payload: [UInt8(position)])
            ledger.apply(topic(position), .effect(effect))
        }
        for position in positions.sorted() {
            let acked = AckedRecord(
                recipient: "Here", settlementSequence: position, position: position, topic: topic(position),
                sequence: try #require(sequences[position]), status: .succeeded, result: [UInt8(position)])
            ledger.apply(AckedRecord.topic, .acked(acked))
        }
        let emissions = try #require(ledger.causes[cause]?.emissions)
        #expect(emissions.map(\.position) == positions)
        for emission in emissions { #expect(emission.answers.map(\.result.bytes) == [[UInt8(emission.position)]]) }
    }
}
