import Testing

@testable import Relux

@Suite struct RunTableTests {
    /// A dictionary does the same.
    @Test func `it holds what a dictionary holds`() {
        var generator = SystemRandomNumberGenerator()
        var (table, known) = (Relux.RunTable(), [UInt64: Int]())
        for number in UInt64(1)...2_000 {
            table.begin(number << 3, Relux.Party.Run(effect: .init(module: "M", position: number), drain: Relux.DrainTask()))
            known[number << 3] = 0
            let some = known.keys.randomElement(using: &generator) ?? 0
            if Bool.random(using: &generator) {
                #expect(table.update(some) { $0.awaiting += 1 } != nil)
                known[some]? += 1
            } else {
                #expect(table.end(some)?.awaiting == known.removeValue(forKey: some))
                #expect(table.update(some) { $0.awaiting += 1 } == nil)
                #expect(table.end(some) == nil && !table.contains(some))
            }
            #expect(table.count == known.count && table.isEmpty == known.isEmpty)
        }
        #expect(table.numbers == known.keys.sorted())
        #expect(table.all.map(\.awaiting) == known.keys.sorted().map { known[$0] })
        #expect(table.numbers.allSatisfy { table[$0]?.effect.position == $0 >> 3 })
    }
}
