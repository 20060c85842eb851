import Foundation
@testable import ReluxScaffold
import Testing

@Suite struct ScaffoldTests {
    let folder = NSTemporaryDirectory() + "/relux-new-" + UUID().uuidString

    @Test func `nothing that is there is overwritten, and nothing half is left`() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let scaffold = DomainScaffold.make(try ModuleName(domain: "Weather"), .inside)
        try scaffold.write(to: folder + "/Weather")
        let manifest = folder + "/Weather/Package.swift"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: manifest))
        let error = #expect(throws: ScaffoldError.self) { try scaffold.write(to: folder + "/Weather") }
        #expect(error?.code == "new.exists")
        #expect(try String(contentsOfFile: manifest, encoding: .utf8) == "mine")
        #expect(throws: ScaffoldError.self) { try scaffold.write(to: manifest + "/Below") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Weather"])
    }

    @Test func `a package outside depends on the checkout by a relative path`() throws {
        let checkout = try #require(Checkout(around: Folders.root + "/Sources"))
        #expect(checkout.root == Folders.root)
        let inside = checkout.surroundings(of: Folders.root + "/Plugins/Weather")
        #expect(inside == .inside)
        let outside = Checkout.path(to: "/a/relux/Plugins", from: "/a/mine/Weather")
        #expect(outside == "../../relux/Plugins")
        #expect(throws: ScaffoldError.self) { try Checkout(at: "/") }
        #expect(Checkout(around: "/") == nil)
    }

    @Test func `an orchestrator's domains must be there, each once`() throws {
        let checkout = try Checkout(at: Folders.root)
        let folder = Folders.root + "/Plugins/SkyOrchestration"
        #expect(try checkout.domain("Auth", for: folder).path == "../Auth")
        let error = #expect(throws: ScaffoldError.self) { try checkout.domain("Wether", for: folder) }
        #expect(error?.code == "new.domains" && error?.message.contains("'Wether'") == true)
        for names in [[], ["Auth", "Auth"]] {
            #expect(throws: ScaffoldError.self) {
                try OrchestratorScaffold.make(try ModuleName(orchestrator: "Sky"), domains: names.map { ($0, "../\($0)") }, .inside)
            }
        }
    }

    @Test func `the checklist is the seeds', and says what is left`() throws {
        let steps = DomainScaffold.make(try ModuleName(domain: "Weather"), .inside).checklist
        #expect(steps.filter(\.isDone).count == 8)
        #expect(steps.contains { !$0.isDone && $0.text.contains("deploy/cluster.yaml") })
        let outside = Surroundings(core: "../relux", plugins: "../relux/Plugins", isInside: false)
        #expect(
            !DomainScaffold.make(try ModuleName(domain: "Weather"), outside).checklist.contains { $0.text.contains("deploy/cluster.yaml") })
    }
}
