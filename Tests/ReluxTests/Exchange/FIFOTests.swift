import Testing

@testable import Relux

@Suite struct FIFOTests {
    @Test func `what goes in comes out in order, however appends and removals mix`() {
        var queue = FIFO<Int>()
        var model: [Int] = []
        var next = 0
        var seed: UInt64 = 42
        for _ in 0..<20_000 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            if (seed >> 33) % 100 < 55 {
                queue.append(next)
                model.append(next)
                next += 1
            } else {
                let expected = model.isEmpty ? nil : model.removeFirst()
                let first = queue.popFirst()
                #expect(first == expected)
            }
            #expect(queue.count == model.count)
            #expect(queue.isEmpty == model.isEmpty)
        }
    }

    @Test func `a queue that runs empty is as new`() {
        var queue = FIFO<Int>()
        for round in 0..<3 {
            for n in 0..<3000 { queue.append(n + round) }
            for n in 0..<3000 { #expect(queue.popFirst() == n + round) }
            let first = queue.popFirst()
            #expect(first == nil)
        }
    }
}
