import ReluxLint

/// The picture for pages that draw Mermaid.
///
/// Source: https://mermaid.js.org/syntax/flowchart.html; names are numbered, since a name such as `end` is a word of the language.
package enum GraphMermaid {
    package static func lines(_ graph: Architecture) -> [String] {
        let names = Dictionary(uniqueKeysWithValues: graph.modules.enumerated().map { ($1.id, "m\($0)") })
        func name(_ id: String) -> String { names[id] ?? id }
        return ["flowchart TB"]
            + graph.phases.reversed().flatMap { kind, modules in
                ["  subgraph \(kind.plural)"]
                    + modules.map { "    \(name($0.id))[\"\($0.labels.map(escaped).joined(separator: "<br/>"))\"]" } + ["  end"]
            }
            + graph.dependencies.map { "  \(name($0.from)) -->|\($0.verbs.joined(separator: ", "))| \(name($0.to))" }
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\n", with: " ")
    }
}
