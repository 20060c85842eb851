import ReluxLint

/// The picture itself; orchestrators above domains above infrastructure.
///
/// Source: W3C, Scalable Vector Graphics 1.1; nothing but shapes, text and one style sheet.
package enum GraphSVG {
    private static let margin = 24.0
    /// Left of the rows, for their names.
    private static let gutter = 120.0

    package static func lines(_ graph: Architecture) -> [String] {
        let phases = Array(graph.phases.reversed())
        let row = Dictionary(uniqueKeysWithValues: phases.enumerated().flatMap { row, phase in phase.modules.map { ($0.id, row) } })
        let index = Dictionary(uniqueKeysWithValues: graph.modules.enumerated().map { ($1.id, $0) })
        let widths = graph.modules.map { module in (module.labels.map(\.count).max() ?? 0) }.map { Double(max(90, $0 * 7 + 20)) }
        let lines = graph.dependencies.compactMap { dependency -> LayeredLayout.Line? in
            guard let from = index[dependency.from], let to = index[dependency.to] else { return nil }
            return .init(from: from, to: to)
        }
        var measures = LayeredLayout.Measures()
        measures.boxHeight = 14 + 16 * Double(graph.modules.map(\.labels.count).max() ?? 1)
        let layout = LayeredLayout(zip(graph.modules, widths).map { .init(row: row[$0.id] ?? 0, width: $1) }, lines, measures: measures)
        let size = (width: layout.width + gutter + 2 * margin, height: layout.height + 2 * margin + hang(graph, row))
        return head(size) + phases.enumerated().map { label($1.kind.plural, Double($0) * measures.rowDistance + measures.boxHeight / 2) }
            + zip(graph.dependencies, layout.paths).flatMap(line)
            + graph.modules.indices.flatMap { box(graph.modules[$0], layout.corners[$0], widths[$0], measures.boxHeight) } + ["</svg>"]
    }

    /// Room for lines within the lowest row, which hang below it.
    private static func hang(_ graph: Architecture, _ row: [String: Int]) -> Double {
        let last = row.values.max() ?? 0
        return graph.dependencies.contains { row[$0.from] == last && row[$0.to] == last } ? sag : 0
    }

    private static let sag = 40.0

    private static func head(_ size: (width: Double, height: Double)) -> [String] {
        [
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(whole(size.width)) \(whole(size.height))\" width=\"\(whole(size.width))\" height=\"\(whole(size.height))\" font-family=\"sans-serif\" font-size=\"12\">",
            "  <style>",
            "    .phase { fill: #6b7280 } text { fill: #111827 }",
            "    rect { stroke: #4b5563; rx: 6 } .paper { fill: #ffffff; stroke: none; rx: 0 } .infrastructure { fill: #e5e7eb } .domain { fill: #dbeafe } .orchestrator { fill: #fef3c7 }",
            "    .down { stroke: #b91c1c; stroke-width: 2 } path { fill: none; stroke: #9ca3af } path:hover { stroke: #111827; stroke-width: 2 }",
            "    .hears { stroke-dasharray: 5 3 } .knows { stroke-dasharray: 1 3 } .small { font-size: 10px; fill: #4b5563 }",
            "    #tip { fill: #9ca3af; stroke: none }",
            "  </style>",
            "  <defs><marker id=\"end\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path id=\"tip\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>",
            "  <rect class=\"paper\" x=\"0\" y=\"0\" width=\"100%\" height=\"100%\"/>",
        ]
    }

    private static func label(_ text: String, _ y: Double) -> String {
        "  <text class=\"phase\" x=\"\(whole(margin))\" y=\"\(whole(margin + y + 4))\">\(text)</text>"
    }

    private static func box(_ module: Architecture.Module, _ corner: LayeredLayout.Point, _ width: Double, _ height: Double) -> [String] {
        let (x, y) = (corner.x + gutter + margin, corner.y + margin)
        let isDown = module.state.map { $0 != "ready" } ?? false
        let labels = module.labels.enumerated().map { index, text in
            "    <text\(index == 0 ? "" : " class=\"small\"") x=\"\(whole(x + width / 2))\" y=\"\(whole(y + 19 + 16 * Double(index)))\" text-anchor=\"middle\">\(escaped(text))</text>"
        }
        return ["  <g>", "    <title>\(escaped(GraphTitle.module(module)))</title>"]
            + [
                "    <rect class=\"\(module.kind.rawValue)\(isDown ? " down" : "")\" x=\"\(whole(x))\" y=\"\(whole(y))\" width=\"\(whole(width))\" height=\"\(whole(height))\"/>"
            ] + labels + ["  </g>"]
    }

    private static func line(_ dependency: Architecture.Dependency, _ points: [LayeredLayout.Point]) -> [String] {
        let points = points.map { LayeredLayout.Point(x: $0.x + gutter + margin, y: $0.y + margin) }
        guard let first = points.first else { return [] }
        let kind = dependency.emits.isEmpty ? (dependency.verbs == ["imports"] ? " class=\"knows\"" : " class=\"hears\"") : ""
        let curve = zip(points, points.dropFirst()).map { from, to in
            // Straight through a row; from row to row, and within one, in a bow.
            let bow = from.y == to.y ? sag : (to.y - from.y) / 2
            let end = from.y == to.y ? to.y + sag : to.y - bow
            return from.x == to.x ? "L\(at(to))" : "C\(at(.init(x: from.x, y: from.y + bow))) \(at(.init(x: to.x, y: end))) \(at(to))"
        }
        return [
            "  <path\(kind) marker-end=\"url(#end)\" d=\"M\(at(first)) \(curve.joined(separator: " "))\"><title>\(escaped(GraphTitle.dependency(dependency)))</title></path>"
        ]
    }

    private static func at(_ point: LayeredLayout.Point) -> String { "\(whole(point.x)),\(whole(point.y))" }
    private static func whole(_ number: Double) -> Int { Int(number.rounded()) }

    /// Control characters are no part of XML 1.0, not even escaped.
    static func escaped(_ text: String) -> String {
        let clean = text.unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\n" ? "?" : $0 }
        return String(String.UnicodeScalarView(clean)).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}

/// The titles that a pointer shows.
enum GraphTitle {
    static func module(_ module: Architecture.Module) -> String {
        let effects = module.interface?.effects.map { effect in
            effect.topic + (effect.cases.isEmpty ? "" : ": \(effect.cases.joined(separator: ", "))")
        }
        return ([module.id] + (effects ?? []) + (module.interface?.snapshots ?? [])).joined(separator: "\n")
    }

    static func dependency(_ dependency: Architecture.Dependency) -> String {
        let used = [
            ("imports", dependency.imports), ("emits", dependency.emits), ("handles", dependency.handles), ("observes", dependency.observes),
        ]
        return (["\(dependency.from) -> \(dependency.to)"] + used.filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1.joined(separator: ", "))" })
            .joined(separator: "\n")
    }
}
