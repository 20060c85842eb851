/// Columns that line up, two blanks between them; no blanks at a line's end.
struct TextTable: Sendable {
    private var rows: [[String]]

    init(_ header: [String]) { rows = [header] }

    mutating func add(_ row: [String]) { rows.append(row) }

    /// - Parameter paint: colours a cell; what it returns must be as wide as what it got.
    func lines(paint: (_ row: Int, _ column: Int, _ text: String) -> String = { $2 }) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.enumerated().map { index, row in
            let last = row.lastIndex { !$0.isEmpty } ?? 0
            return row.prefix(last + 1).enumerated().map { column, text in
                let padding = column == last ? "" : String(repeating: " ", count: widths[column] - text.count)
                return paint(index, column, text) + padding
            }.joined(separator: "  ")
        }
    }
}
