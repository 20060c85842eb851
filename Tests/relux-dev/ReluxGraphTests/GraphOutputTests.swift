import Foundation
@testable import ReluxGraph
@testable import ReluxLint
import Testing

@Suite struct GraphOutputTests {
    private func text(_ lines: [String]) -> String { lines.joined(separator: "\n") }

    @Test func `a small system looks so in every format`() throws {
        let graph = Fixture.graph
        try expectGolden(text(GraphText.lines(graph) + GraphText.notes(graph) + [GraphText.summary(graph)]), "fixture.txt")
        try expectGolden(text(GraphDOT.lines(graph)), "fixture.dot")
        try expectGolden(text(GraphMermaid.lines(graph)), "fixture.mmd")
        try expectGolden(GraphJSON(graph).text, "fixture.json")
    }

    @Test func `nothing that is named breaks out of a format`() throws {
        let evil = "A\"<b>&\\\u{1b}[2J"
        let module = Architecture.Module(
            id: evil, version: evil, kind: .domain, interface: nil, handles: [], emits: [], provides: [], observes: [], state: evil)
        let graph = Architecture(
            modules: [module], dependencies: [.init(from: evil, to: evil, imports: [evil], emits: [], handles: [], observes: [])],
            notes: [evil])
        #expect(!text(GraphText.lines(graph) + GraphText.notes(graph)).contains("\u{1b}"))
        #expect(text(GraphDOT.lines(graph)).contains("\"A\\\"<b>&\\\\"))
        #expect(!text(GraphMermaid.lines(graph)).contains("A\"<b>"))
    }

    @Test func `without modules there is an empty picture`() throws {
        let graph = Architecture(modules: [], dependencies: [], notes: [])
        #expect(GraphText.lines(graph).isEmpty && GraphText.summary(graph) == "0 modules, 0 interfaces, 0 dependencies")
        #expect(text(GraphDOT.lines(graph)).hasPrefix("digraph relux {") && text(GraphMermaid.lines(graph)).hasPrefix("flowchart"))
    }
}
