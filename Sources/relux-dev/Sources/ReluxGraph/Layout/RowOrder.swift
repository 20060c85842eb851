/// In which order the boxes of each row stand, with the places where lines pass between them.
struct RowOrder {
    struct Item {
        let row: Int
        let width: Double
        /// Connected items, in whatever row.
        var others: [Int] = []
    }

    /// The boxes, then the bends of lines.
    private(set) var items: [Item]
    private(set) var rows: [[Int]]
    /// The bends of each line, from its begin.
    private(set) var bends: [[Int]] = []

    init(_ boxes: [LayeredLayout.Box], _ lines: [LayeredLayout.Line], bend: Double) {
        items = boxes.map { Item(row: $0.row, width: $0.width) }
        rows = Array(repeating: [], count: (boxes.map(\.row).max() ?? -1) + 1)
        for line in lines {
            let (from, to) = (boxes[line.from].row, boxes[line.to].row)
            var passed: [Int] = []
            for row in stride(from: from, to: to, by: from < to ? 1 : -1).dropFirst() {
                passed.append(items.count)
                items.append(Item(row: row, width: bend))
            }
            bends.append(passed)
            let chain = [line.from] + passed + [line.to]
            for (one, other) in zip(chain, chain.dropFirst()) where items[one].row != items[other].row {
                items[one].others.append(other)
                items[other].others.append(one)
            }
        }
        for index in items.indices { rows[items[index].row].append(index) }
    }

    /// Keeps the order with the fewest crossings that it comes by.
    mutating func sort(sweeps: Int) {
        var best = (rows: rows, crossings: crossings())
        for sweep in 0..<sweeps {
            let downwards = sweep % 2 == 0
            for row in downwards ? Array(rows.indices.dropFirst()) : rows.indices.dropLast().reversed() {
                arrange(row, by: downwards ? row - 1 : row + 1)
            }
            let count = crossings()
            if count < best.crossings { best = (rows, count) }
        }
        rows = best.rows
    }

    private mutating func arrange(_ row: Int, by fixed: Int) {
        let place = places(of: fixed)
        let own = places(of: row)
        // Places as parts of the row, since rows have different lengths.
        func part(_ place: Int, of row: Int) -> Double { (Double(place) + 0.5) / Double(rows[row].count) }
        func wish(_ item: Int) -> Double {
            let seen = items[item].others.compactMap { place[$0] }
            guard !seen.isEmpty else { return part(own[item] ?? 0, of: row) }
            return seen.reduce(0) { $0 + part($1, of: fixed) } / Double(seen.count)
        }
        rows[row] = rows[row].map { (item: $0, wish: wish($0), place: own[$0] ?? 0) }
            .sorted { ($0.wish, $0.place) < ($1.wish, $1.place) }.map(\.item)
    }

    private func places(of row: Int) -> [Int: Int] {
        Dictionary(uniqueKeysWithValues: rows[row].enumerated().map { ($1, $0) })
    }

    /// How many lines cross each other between the rows.
    func crossings() -> Int {
        zip(rows.indices, rows.indices.dropFirst()).reduce(0) { sum, pair in
            let (upper, lower) = (rows[pair.0], places(of: pair.1))
            let ends = upper.flatMap { item in items[item].others.compactMap { lower[$0] }.sorted() }
            return sum + Self.inversions(ends)
        }
    }

    private static func inversions(_ numbers: [Int]) -> Int {
        numbers.indices.reduce(0) { sum, index in sum + numbers[..<index].count { $0 > numbers[index] } }
    }
}
