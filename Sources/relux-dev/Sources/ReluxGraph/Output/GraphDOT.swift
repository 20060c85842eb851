import ReluxLint

/// The picture for Graphviz.
///
/// Source: the DOT language, https://graphviz.org/doc/info/lang.html.
package enum GraphDOT {
    package static func lines(_ graph: Architecture) -> [String] {
        ["digraph relux {", "  rankdir=TB;", "  node [shape=box, style=rounded, fontname=\"sans-serif\"];", "  edge [fontname=\"sans-serif\", fontsize=10];"]
            + graph.phases.reversed().flatMap { kind, modules in
                ["  subgraph \(quoted(kind.plural)) {", "    rank=same;"]
                    + modules.map { "    \(quoted($0.id)) [label=\(quoted(($0.labels).joined(separator: "\n")))];" } + ["  }"]
            }
            + graph.dependencies.map {
                "  \(quoted($0.from)) -> \(quoted($0.to)) [label=\(quoted($0.verbs.joined(separator: ", ")))];"
            } + ["}"]
    }

    private static func quoted(_ text: String) -> String {
        let inner = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(inner)\""
    }
}

extension Architecture.Module {
    /// Name with version, then interface, then state, as far as they are there.
    var labels: [String] {
        [version.isEmpty ? id : "\(id) \(version)"] + (interface.map { [$0.name] } ?? []) + (state.map { [$0] } ?? [])
    }
}
