/// Why an assertion failed, for people: heading, diff, legend.
public struct Mismatch: Equatable, Sendable, CustomStringConvertible {
    public let heading: String
    /// One line each: `- ` expected only, `+ ` actual only, two spaces for both.
    public let diff: [String]

    public init(heading: String, expected: [String], actual: [String]) {
        self.heading = heading
        let changes = actual.difference(from: expected)
        var removed: Set<Int> = []
        var inserted: [Int: String] = [:]
        for change in changes {
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
        for (offset, line) in expected.enumerated() {
            if removed.contains(offset) {
                lines.append("- " + line)
                continue
            }
            insertions()
            lines.append("  " + line)
            position += 1
        }
        insertions()
        diff = lines
    }

    public var description: String { "\(heading)\n\n\(diff.joined(separator: "\n"))\n\n(- expected, + actual)" }
}
