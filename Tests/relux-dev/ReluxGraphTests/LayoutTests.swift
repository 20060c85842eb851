@testable import ReluxGraph
import Testing

@Suite struct LayoutTests {
    private func rows(_ counts: [Int]) -> [LayeredLayout.Box] {
        counts.enumerated().flatMap { row, count in (0..<count).map { _ in LayeredLayout.Box(row: row, width: 80) } }
    }

    @Test func `boxes of a row do not touch, and lines end at their edges`() {
        let boxes = rows([2, 5, 3])
        let lines: [LayeredLayout.Line] = [.init(from: 0, to: 4), .init(from: 1, to: 2), .init(from: 3, to: 8), .init(from: 0, to: 9)]
        let measures = LayeredLayout.Measures()
        let layout = LayeredLayout(boxes, lines, measures: measures)
        for one in boxes.indices {
            for other in boxes.indices where other != one && boxes[one].row == boxes[other].row {
                #expect(abs(layout.corners[one].x - layout.corners[other].x) >= 80 + measures.gap - 0.001)
            }
            #expect(layout.corners[one].x >= 0 && layout.corners[one].x + 80 <= layout.width)
        }
        for (line, path) in zip(lines, layout.paths) {
            #expect(path.first?.y == layout.corners[line.from].y + measures.boxHeight && path.last?.y == layout.corners[line.to].y)
        }
    }

    @Test func `a line over a row passes between its boxes`() throws {
        let boxes = rows([1, 4, 1])
        let layout = LayeredLayout(boxes, [.init(from: 0, to: 5), .init(from: 5, to: 0)])
        for path in layout.paths {
            #expect(path.count == 4)
            for box in 1...4 { #expect(path[1].x < layout.corners[box].x || path[1].x > layout.corners[box].x + 80) }
        }
        #expect(layout.paths[0][1].y < layout.paths[0][2].y && layout.paths[1][1].y > layout.paths[1][2].y)
    }

    @Test func `crossings that an order avoids are avoided`() {
        // Each of the upper row to the one furthest away.
        let boxes = rows([4, 4])
        let lines = (0..<4).map { LayeredLayout.Line(from: $0, to: 7 - $0) }
        var order = RowOrder(boxes, lines, bend: 10)
        #expect(order.crossings() == 6)
        order.sort(sweeps: 4)
        #expect(order.crossings() == 0)
    }

    @Test func `lines within a row hang below it`() {
        let layout = LayeredLayout(rows([2]), [.init(from: 0, to: 1)])
        #expect(layout.paths[0].map(\.y) == [46, 46])
    }
}
