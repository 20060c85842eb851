/// Boxes in rows and lines between them: a small layered layout.
///
/// Each row is a phase. A line over more than one row bends at a point in each row between, which takes part in the rows' orders like
/// a narrow box, so that no line runs through a box. Orders are found by sweeps down and up: each item goes to the mean place of those that
/// it is connected with in the row before. The same input gives the same picture.
struct LayeredLayout {
    struct Box: Hashable {
        /// From the top.
        let row: Int
        let width: Double
    }

    struct Line: Hashable {
        /// Indices of boxes.
        let from: Int
        let to: Int
    }

    struct Point: Hashable {
        var x: Double
        var y: Double
    }

    struct Measures {
        var boxHeight = 46.0
        var gap = 18.0
        var rowDistance = 120.0
        /// Width of a line's place between two boxes.
        var bend = 10.0
    }

    /// The left upper corner of each box.
    private(set) var corners: [Point] = []
    /// Where each line begins, bends and ends.
    private(set) var paths: [[Point]] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    private let boxes: [Box]
    private let lines: [Line]
    private let measures: Measures

    init(_ boxes: [Box], _ lines: [Line], measures: Measures = Measures()) {
        self.boxes = boxes
        self.lines = lines
        self.measures = measures
        var order = RowOrder(boxes, lines, bend: measures.bend)
        order.sort(sweeps: 12)
        place(order)
        draw(order)
    }

    // MARK: Boxes

    private mutating func place(_ order: RowOrder) {
        let rows = order.rows.map { row in row.map { order.items[$0].width } }
        width = rows.map { $0.reduce(measures.gap) { $0 + $1 + measures.gap } }.max() ?? 0
        height = rows.isEmpty ? 0 : Double(rows.count - 1) * measures.rowDistance + measures.boxHeight
        corners = Array(repeating: Point(x: 0, y: 0), count: order.items.count)
        for (index, row) in order.rows.enumerated() where !row.isEmpty {
            // The width that is left over is shared out evenly.
            let room = (width - rows[index].reduce(0, +)) / Double(row.count + 1)
            var x = room
            for item in row {
                corners[item] = Point(x: x, y: Double(index) * measures.rowDistance)
                x += order.items[item].width + room
            }
        }
    }

    // MARK: Lines

    private mutating func draw(_ order: RowOrder) {
        let middle = order.items.indices.map { corners[$0].x + order.items[$0].width / 2 }
        // Ends at a box's edge are side by side, in the order of where their lines lead.
        var ends: [Side: [(line: Int, towards: Double)]] = [:]
        for (index, line) in lines.enumerated() {
            let bends = order.bends[index]
            ends[side(line.from, towards: line.to), default: []].append((index, middle[bends.first ?? line.to]))
            ends[side(line.to, towards: line.from), default: []].append((index, middle[bends.last ?? line.from]))
        }
        var attached: [Side: [Int: Double]] = [:]
        for (side, lines) in ends {
            let sorted = lines.sorted { ($0.towards, $0.line) < ($1.towards, $1.line) }
            for (place, end) in sorted.enumerated() {
                attached[side, default: [:]][end.line] = corners[side.box].x
                    + boxes[side.box].width * Double(place + 1) / Double(sorted.count + 1)
            }
        }
        func end(_ index: Int, _ box: Int, towards other: Int) -> Point {
            let side = side(box, towards: other)
            let x = attached[side]?[index] ?? middle[box]
            return Point(x: x, y: corners[box].y + (side.isTop ? 0 : measures.boxHeight))
        }
        paths = lines.enumerated().map { index, line in
            let start = end(index, line.from, towards: line.to)
            let bends = order.bends[index].flatMap { bend in
                let top = Point(x: middle[bend], y: corners[bend].y)
                let bottom = Point(x: middle[bend], y: corners[bend].y + measures.boxHeight)
                return boxes[line.from].row < boxes[line.to].row ? [top, bottom] : [bottom, top]
            }
            return [start] + bends + [end(index, line.to, towards: line.from)]
        }
        corners.removeLast(corners.count - boxes.count)
    }

    private struct Side: Hashable {
        let box: Int
        let isTop: Bool
    }

    /// Within a row lines hang below.
    private func side(_ box: Int, towards other: Int) -> Side { Side(box: box, isTop: boxes[other].row < boxes[box].row) }
}
