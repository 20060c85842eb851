import Foundation
import FoundationXML
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
        try expectGolden(text(GraphSVG.lines(graph)), "fixture.svg")
        try expectGolden(GraphJSON(graph).text, "fixture.json")
    }

    @Test func `an SVG is well-formed XML with a box for each module and a line for each dependency`() throws {
        let reader = ElementCounter()
        let parser = XMLParser(data: Data(text(GraphSVG.lines(Fixture.graph)).utf8))
        parser.delegate = reader
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(reader.elements["rect"] == 1 + Fixture.graph.modules.count)
        #expect(reader.elements["path"] == 1 + Fixture.graph.dependencies.count)
    }

    @Test func `nothing that is named breaks out of a format`() throws {
        let evil = "A\"<b>&\\\u{1b}[2J"
        let module = Architecture.Module(
            id: evil, version: evil, kind: .domain, interface: nil, handles: [], emits: [], provides: [], observes: [], state: evil)
        let graph = Architecture(
            modules: [module], dependencies: [.init(from: evil, to: evil, imports: [evil], emits: [], handles: [], observes: [])],
            notes: [evil])
        let parser = XMLParser(data: Data(text(GraphSVG.lines(graph)).utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(!text(GraphText.lines(graph) + GraphText.notes(graph)).contains("\u{1b}"))
        #expect(text(GraphDOT.lines(graph)).contains("\"A\\\"<b>&\\\\"))
        #expect(!text(GraphMermaid.lines(graph)).contains("A\"<b>"))
    }

    @Test func `without modules there is an empty picture`() throws {
        let graph = Architecture(modules: [], dependencies: [], notes: [])
        #expect(GraphText.lines(graph).isEmpty && GraphText.summary(graph) == "0 modules, 0 interfaces, 0 dependencies")
        #expect(XMLParser(data: Data(text(GraphSVG.lines(graph)).utf8)).parse())
    }
}

private final class ElementCounter: NSObject, XMLParserDelegate {
    var elements: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
        elements[name, default: 0] += 1
    }
}
