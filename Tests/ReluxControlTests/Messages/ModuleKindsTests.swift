import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

@Suite struct ModuleKindsTests {
    @Test func `kinds travel as one text and come back`() throws {
        let kinds = ModuleKinds([("Notes", .domain), ("Auth", .domain), ("Navigation", .infrastructure), ("SkyOrchestration", .orchestrator)])
        #expect(kinds.text == "infrastructure Navigation orchestrator SkyOrchestration domain Auth,Notes")
        let back = try CBOR.decode(ModuleKinds.self, from: CBOR.encode(kinds))
        #expect(back.byName == ["Auth": .domain, "Notes": .domain, "Navigation": .infrastructure, "SkyOrchestration": .orchestrator])
        #expect(ModuleKinds([]).byName.isEmpty)
    }

    @Test func `a text that is none names nobody`() {
        for text in ["", "domain", "domain ", " , ", "planet Earth", "domain Auth infrastructure"] {
            #expect(ModuleKinds(text: text).byName.allSatisfy { $0 == ("Auth", .domain) }, "\(text)")
        }
    }

    @Test func `what no argument of a process has room for is left out, domains first`() {
        let domains = (0..<20_000).map { (id: ModuleID(rawValue: "Domain\($0)")!, kind: ModuleDeclaration.Kind.domain) }
        let kinds = ModuleKinds(domains + [("Navigation", .infrastructure)])
        #expect(kinds.text.utf8.count < 128 << 10)
        #expect(kinds.byName["Navigation"] == .infrastructure && kinds.byName.count > 1000 && kinds.byName.count < domains.count)
    }
}
