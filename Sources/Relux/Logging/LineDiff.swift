/// The differences between two texts, line by line.
package struct LineDiff: Sendable {
    /// `- ` for a line of the first text alone, `+ ` for one of the second alone, two spaces for one of both.
    package let lines: [String]
    /// The lines of one text alone.
    package var changes: [String] { lines.filter { !$0.hasPrefix("  ") } }

    package init(from old: [String], to new: [String]) {
        var removed: Set<Int> = []
        var inserted: [Int: String] = [:]
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, let line, _): inserted[offset] = line
            }
        }
        var lines: [String] = []
        var position = 0
        func insertions() {
            while let line = inserted[position] {
                lines.append("+ " + line)
                position += 1
            }
        }
        for (offset, line) in old.enumerated() {
            if removed.contains(offset) {
                lines.append("- " + line)
                continue
            }
            insertions()
            lines.append("  " + line)
            position += 1
        }
        insertions()
        self.lines = lines
    }
}
