import ReluxWire
import Testing

@testable import Relux

@Suite struct PendingTableTests {
    private static func entry(_ number: Int) -> Relux.ExchangeState.Pending {
        .init(outstanding: ["M"], result: .init(), deadline: .milliseconds(number), acceptedAt: .zero)
    }

    @Test func `it keeps what a dictionary keeps, whatever comes and goes`() {
        var generator = SystemRandomNumberGenerator()
        var table = Relux.PendingTable()
        var expected: [EffectID: Int] = [:]
        var positions: [UInt64] = [0, 1 << 40, 5]
        for number in 0..<20_000 {
            let name = Int.random(in: 0..<3, using: &generator)
            let module: ModuleID = ["A", "B", "C"][name]
            let effect: EffectID
            switch Int.random(in: 0..<10, using: &generator) {
            // Said now; some positions have no recipient.
            case 0..<5:
                positions[name] += UInt64.random(in: 1...10, using: &generator) == 1 ? 3 : 1
                effect = EffectID(module: module, position: positions[name])
                (table[effect], expected[effect]) = (Self.entry(number), number)
            // Left by an earlier life.
            case 5:
                effect = EffectID(module: module, position: UInt64.random(in: 0...positions[name], using: &generator))
                (table[effect], expected[effect]) = (Self.entry(number), number)
            case 6..<9:
                effect = expected.keys.min { $0.position < $1.position } ?? EffectID(module: module, position: 1)
                (table[effect], expected[effect]) = (nil, nil)
            default:
                effect = expected.keys.randomElement(using: &generator) ?? EffectID(module: module, position: 1)
                let found = table.find(effect)
                #expect(found?.entry.deadline == expected[effect].map { .milliseconds($0) })
                if let found { table.remove(at: found.place) }
                expected[effect] = nil
            }
            #expect(table[effect]?.deadline == expected[effect].map { .milliseconds($0) } && table.count == expected.count)
        }
        #expect(Dictionary(uniqueKeysWithValues: table.all.map { ($0.effect, $0.entry.deadline) }) == expected.mapValues { .milliseconds($0) })
        table.shrink()
        #expect(table.count == expected.count && table.all.count == expected.count)
    }
}
