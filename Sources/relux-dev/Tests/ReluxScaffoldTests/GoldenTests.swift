import Foundation
@testable import ReluxScaffold
import Testing

/// What is generated is what the checked-in plugins look like.
@Suite struct GoldenTests {
    private func checkedIn(_ plugin: String, _ path: String) throws -> String {
        try String(contentsOfFile: "\(Folders.root)/Plugins/\(plugin)/\(path)", encoding: .utf8)
    }

    private func sources(of plugin: String) throws -> Set<String> {
        let walk = try #require(FileManager.default.enumerator(atPath: "\(Folders.root)/Plugins/\(plugin)"))
        return Set(walk.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") && !$0.hasPrefix(".") })
    }

    @Test func `a domain named Profile has Profile's files but for its store, and where nothing is Profile's own the very same text`()
        throws
    {
        let scaffold = DomainScaffold.make(try ModuleName(domain: "Profile"), .inside)
        let generated = Set(scaffold.files.keys.filter { $0.hasSuffix(".swift") })
        let store: Set = [
            "Sources/ProfileServiceImpl/Store.swift", "Sources/ProfileServiceImpl/Store+Schema.swift",
            "Sources/ProfileReluxImpl/StateDirectory.swift",
            "Tests/ProfileTests/TemporaryDirectory.swift", "Sources/ProfileModels/Profile+Business+Model+UserProfile.swift",
        ]
        #expect(
            try generated.subtracting(["Sources/ProfileModels/Profile+Business+Model+Item.swift"])
                == sources(of: "Profile").subtracting(store))
        for path in [
            "Sources/ProfileReluxInt/Exports.swift", "Sources/ProfileReluxImpl/Profile+Plugin.swift",
            "Tests/ProfileTests/ProfilePluginTests.swift",
        ] {
            #expect(try scaffold.files[path] == checkedIn("Profile", path), "\(path)")
        }
        let manifest = try checkedIn("Profile", "Package.swift").split(separator: "\n", omittingEmptySubsequences: false)
        #expect(scaffold.files["Package.swift"] == manifest.filter { !$0.contains("GRDB") }.joined(separator: "\n"))
    }

    @Test func `an orchestrator named Data over Auth and Notes is DataOrchestration before it knew any effect`() throws {
        let domains = [(name: "Auth", path: "../Auth"), (name: "Notes", path: "../Notes")]
        let scaffold = try OrchestratorScaffold.make(try ModuleName(orchestrator: "Data"), domains: domains, .inside)
        #expect(try Set(scaffold.files.keys.filter { $0.hasSuffix(".swift") }) == sources(of: "DataOrchestration"))
        let implementation = "Sources/DataOrchestrationImpl/DataOrchestration"
        for path in [
            "Package.swift", implementation + "+Module.swift", implementation + "+Plugin.swift", implementation + "+Saga.swift",
            implementation + ".contract.json", "Tests/DataOrchestrationTests/DataOrchestrationPluginTests.swift",
        ] {
            #expect(try scaffold.files[path] == checkedIn("DataOrchestration", path), "\(path)")
        }
    }

    @Test func `no mark of a template is left, and imports are in order`() throws {
        let domain = DomainScaffold.make(try ModuleName(domain: "Weather"), .inside)
        let orchestrator = try OrchestratorScaffold.make(try ModuleName(orchestrator: "Sky"), domains: [("Weather", "../Weather")], .inside)
        for (path, text) in domain.files.merging(orchestrator.files, uniquingKeysWith: { $1 }) {
            #expect(!path.contains("__") && !text.contains("__"), "\(path)")
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(path)")
            let imports = text.split(separator: "\n").filter { $0.contains("import ") && !$0.contains("//") }.compactMap {
                $0.split(separator: " ").last
            }
            #expect(imports == imports.sorted(), "\(path)")
        }
    }
}

/// The checkout that this test is of.
enum Folders {
    /// …/Sources/relux-dev/Tests/ReluxScaffoldTests/File.swift
    static let root = "/" + URL(fileURLWithPath: #filePath).pathComponents.dropFirst().dropLast(5).joined(separator: "/")
}
