import Foundation
@testable import ReluxGraph
@testable import ReluxLint
import Testing

/// This checkout, read once for all: each package's description costs a start of the package manager.
@Suite struct OwnSourcesTests {
    private struct Own {
        let packages: [PackageModel]
        let context: Set<Int>
        let sources: [LintSource]
        let folders: [String]

        init() throws {
            folders = Linter.packages(below: Checkout.root)
            (packages, context) = try PackageReader.read(folders)
            sources = try packages.flatMap { try PackageReader.sources(of: $0, relativeTo: Checkout.root) }
        }
    }

    private static let own = Result { try Own() }

    @Test func `Relux, its plugins and its tools break no rule`() throws {
        let own = try Self.own.get()
        #expect(own.folders.contains(Checkout.root) && own.folders.contains(Checkout.root + "/Sources/relux-dev"))
        #expect(own.folders.contains(Checkout.root + "/Plugins/Notes") && own.context.isEmpty)
        let report = Linter(root: Checkout.root).check(own.packages, context: own.context, own.sources)
        #expect(report.findings.isEmpty, "\n\(FindingText.lines(report).joined(separator: "\n"))\n")
        #expect(report.files > 500 && report.targets > 60)
        #expect(report.silenced.allSatisfy { $0.silencedBecause?.isEmpty == false })
    }

    @Test func `the dependencies of every plugin of ours are those that its sources import`() throws {
        let own = try Self.own.get()
        let manifests = ManifestFile.all(of: own.packages, context: own.context, own.sources)
        let stale = manifests.filter(\.isStale).map(\.path)
        #expect(stale.isEmpty, "relux generate \(stale.joined(separator: " "))")
        let plugins = own.folders.filter { $0.hasPrefix(Checkout.root + "/Plugins/") }
        #expect(manifests.count == plugins.count && plugins.count >= 18)
    }

    @Test func `on the seeds' checklists nothing of ours is open`() throws {
        let own = try Self.own.get()
        let around = Neighbourhood(beside: own.folders.filter { $0.hasPrefix(Checkout.root + "/Plugins/") })
        let lists = Linter(root: Checkout.root).checklists(own.packages, context: own.context, own.sources, around: around) { path in
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        let open = lists.flatMap { list in list.points.filter { $0.state == .open }.map { "\(list.subject): \($0.text): \($0.reason)" } }
        #expect(open.isEmpty, "\(open.joined(separator: "\n"))")
        #expect(lists.count >= 18 && lists.contains { $0.title.contains("seed 4") && $0.points.count > 4 })
    }

    @Test func `every plugin of ours is in the picture, and no domain depends on another`() throws {
        let own = try Self.own.get()
        let facts = Linter(root: Checkout.root).facts(own.packages, context: own.context, own.sources) { path in
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }
        let graph = Architecture(sources: facts)
        let plugins = own.folders.filter { $0.hasPrefix(Checkout.root + "/Plugins/") }.map { URL(fileURLWithPath: $0).lastPathComponent }
        #expect(plugins.count >= 18 && Set(graph.modules.map(\.id)) == Set(plugins))
        #expect(graph.notes.isEmpty, "\(graph.notes)")

        let kinds = Dictionary(uniqueKeysWithValues: graph.modules.map { ($0.id, $0.kind) })
        let wrong = graph.dependencies.filter { kinds[$0.from] == .domain && kinds[$0.to] != .infrastructure }
        #expect(wrong.isEmpty, "\(wrong)")
        #expect(graph.dependencies.allSatisfy { kinds[$0.to] != .orchestrator })
        #expect(graph.modules.filter { [.infrastructure, .domain].contains($0.kind) }.allSatisfy { $0.interface?.effects.isEmpty == false })
        // A module that is known by heart.
        let session = graph.dependencies(of: "SessionOrchestration")
        #expect(session.map(\.to) == ["Auth", "Library", "Profile", "Settings"])
        #expect(session.first?.handles == ["Auth.Business.Effect"])
    }
}
