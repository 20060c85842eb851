import Relux

/// The lines of one run as a table, ours beside raw libzmq and beside the goal.
enum Table {
    /// Reads lines of JSON from standard input.
    static func run() {
        var lines = Lines()
        while let line = readLine() { lines.add(line) }
        show([Row.heads] + (lines.besideRaw + lines.inOneMachine + lines.ofCluster + lines.perHost).compactMap(\.cells))
    }

    private static func show(_ rows: [[String]]) {
        let widths = Row.heads.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for row in rows {
            let padded = row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column < 2 ? cell + space : column == Row.verdict ? cell : space + cell
            }
            print(padded.joined(separator: "  "))
        }
    }

    /// The lines that a run has printed, by the benchmark's name.
    struct Lines {
        private var found: [String: JSONValue] = [:]
        private(set) var hosts: [JSONValue] = []
        private(set) var alone: [JSONValue] = []

        mutating func add(_ line: String) {
            guard let value = try? JSONValue(parsing: line), let name = value["benchmark"]?.string else { return }
            switch name {
            case "relux.host": hosts.append(value)
            case "relux.start.host": alone.append(value)
            default: found[name] = value
            }
        }

        func number(_ benchmark: String, _ key: String) -> Double? { found[benchmark]?[key]?.double }
    }
}

extension JSONValue {
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }
}
