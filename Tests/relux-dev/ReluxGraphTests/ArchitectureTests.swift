import Foundation
@testable import ReluxGraph
@testable import ReluxLint
import Testing

@Suite struct ArchitectureTests {
    @Test func `what a package tests with is no dependency of its module`() {
        #expect(Fixture.graph.modules.allSatisfy { $0.id != "Probe" })
        #expect(Fixture.graph.dependencies(of: "Auth").map(\.to) == ["Navigation"])
    }

    @Test func `a domain that imports another's library is shown to do so`() {
        let broken = Fixture.facts(["Auth/AuthServiceImpl": "import NotesReluxInt\nimport FilesReluxImpl"])
        let found = Architecture(sources: broken).dependencies(of: "Auth").filter { $0.to != "Navigation" }
        #expect(found.map(\.to) == ["Files", "Notes"])
        #expect(found.map(\.imports) == [["FilesReluxImpl"], ["NotesReluxInt"]] && found.map(\.verbs) == [["imports"], ["imports"]])
    }

    @Test func `of packages around those that were asked only what they depend on is shown`() {
        let graph = Architecture(sources: Fixture.facts(context: ["ErrorHandling", "Navigation", "Files", "Auth", "AuthUI"]))
        #expect(graph.modules.map(\.id) == ["ErrorHandling", "Navigation", "Auth", "Files", "Notes", "DataOrchestration", "SessionOrchestration"])
        // Also between two of them.
        #expect(graph.dependencies(of: "Auth").map(\.to) == ["Navigation"])
    }

    @Test func `what is not written out is said, with the remedy`() {
        let facts = Fixture.facts(["Notes/NotesReluxImpl": "import NavigationReluxInt\nlet declaration = make()"], contract: "{}")
        let graph = Architecture(sources: facts)
        #expect(graph.module("Notes")?.kind == .domain && graph.module("Notes")?.handles == [])
        #expect(graph.dependencies(of: "Notes").map(\.imports) == [["NavigationReluxInt"]])
        #expect(graph.notes.contains { $0.hasPrefix("Notes declares no module") && $0.contains("a Relux.Plugin") })
        #expect(graph.notes.contains { $0.hasPrefix("the contract beside AuthReluxInt is of another format") })
        #expect(graph.notes.contains { $0.hasPrefix("FilesReluxInt has no contract beside it") })
    }

    // MARK: A running cluster

    private static let status = """
        {"schema": "relux.status/1", "phase": "open", "modules": [
          {"id": "Navigation", "version": "1.0.0", "kind": "infrastructure", "state": "ready", "imports": [],
           "handles": ["Navigation.Business.Effect"], "emits": [], "provides": ["Navigation.Business.Snapshot"], "observes": []},
          {"id": "Auth", "version": "1.4.0", "kind": "domain", "state": "ready", "imports": ["NavigationReluxInt"],
           "handles": ["Auth.Business.Effect"], "emits": ["Auth.Business.Effect", "Navigation.Business.Effect"]},
          {"id": "Session", "version": "1.0.0", "kind": "orchestrator", "state": "waiting", "imports": ["AuthReluxInt", "NotesReluxInt"],
           "handles": ["Auth.Business.Effect"], "emits": ["Notes.Business.Effect"], "observes": ["Navigation.Business.Snapshot"]},
          {"id": "New", "version": "", "kind": "", "state": "declared", "imports": [], "handles": [], "emits": []}]}
        """

    @Test func `a running cluster is drawn from what its status says, with states`() throws {
        let graph = try Architecture(status: Data(Self.status.utf8))
        try expectGolden((GraphText.lines(graph) + GraphText.notes(graph) + [GraphText.summary(graph)]).joined(separator: "\n"), "live.txt")
        try expectGolden(GraphDOT.lines(graph).joined(separator: "\n"), "live.dot")
    }

    @Test(arguments: ["", "{}", "{\"schema\": \"relux.status/2\", \"modules\": []}"])
    func `what is no status is refused with the remedy`(text: String) {
        let error = #expect(throws: LintError.self) { try Architecture(status: Data(text.utf8)) }
        #expect(error?.code == "graph.status" && error?.hint.contains("same checkout") == true)
    }
}
