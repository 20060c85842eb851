import Foundation
@testable import ReluxScaffold
import Testing

/// Packages that depend on an SDK, as on a machine where Relux's source is not: they build and test in a folder of their own, and run in a cluster.
@Suite struct SDKScenarios {
    private static let domain = "ForeignProbe"
    private let products = Folders.root + "/.build/debug"
    private let folder: String

    init() throws {
        // Builds note absolute paths: no link on the way.
        folder = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path + "/relux-sdk-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder + "/other", withIntermediateDirectories: true)
    }

    @Test func `Given an SDK and no source, when a domain is made and built, then it passes its tests, shares a host with others, and others build against it`()
        throws
    {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let exported = try run(["\(products)/relux", "sdk", "export", "sdk", "--build", products])
        try #require(exported.status == 0, "\(exported.text)")
        #expect(exported.text.contains("Navigation, Notes"), "\(exported.text)")

        let made = try run(["\(products)/relux", "new", "domain", Self.domain, "--standalone"])
        try #require(made.status == 0, "\(made.text)")
        let manifest = try String(contentsOfFile: "\(folder)/\(Self.domain)/Package.swift", encoding: .utf8)
        #expect(manifest.contains(#".package(name: "relux-cluster", path: "../sdk")"#) && !manifest.contains(Folders.root), "\(manifest)")
        let tests = try run(["swift", "test", "--package-path", Self.domain])
        try #require(tests.status == 0, "\(tests.text.suffix(4_000))")
        #expect(tests.text.contains("Test run with 12 tests in 2 suites passed"), "\(tests.text.suffix(2_000))")
        let lint = try run(["\(products)/relux", "lint", Self.domain])
        #expect(lint.status == 0 && lint.text.contains("clean; "), "\(lint.text)")

        try judge()
        try show()
        try share()
        try orchestrate()
    }

    /// Lint knows what the SDK's libraries are: Navigation is for every domain, Notes for none.
    private func judge() throws {
        let file = URL(fileURLWithPath: "\(folder)/\(Self.domain)/Sources/\(Self.domain)ReluxImpl/Reaching.swift")
        try Data("import NavigationReluxInt\nimport NotesReluxInt\n".utf8).write(to: file)
        let manifest = URL(fileURLWithPath: "\(folder)/\(Self.domain)/Package.swift")
        let text = try String(contentsOf: manifest, encoding: .utf8)
        let line = "        .package(path: \"../sdk/Plugins/Navigation\"),\n"
        try Data(text.replacing(line, with: line + line.replacing("Navigation", with: "Notes")).utf8).write(to: manifest)
        defer { try? Data(text.utf8).write(to: manifest) }
        let reaching = try run(["\(products)/relux", "lint", Self.domain])
        #expect(reaching.status == 1 && reaching.text.contains("Reaching.swift:2") && !reaching.text.contains("Reaching.swift:1"), "\(reaching.text)")
        try FileManager.default.removeItem(at: file)
        let models = URL(fileURLWithPath: "\(folder)/\(Self.domain)/Sources/\(Self.domain)Models/Reaching.swift")
        try Data("import Relux\n".utf8).write(to: models)
        #expect(try run(["\(products)/relux", "lint", Self.domain]).text.contains("Models/Reaching.swift:1"))
        try FileManager.default.removeItem(at: models)
    }

    /// A program of its own: what the SDK says of ReluxHost is what its library has.
    private func show() throws {
        let made = try run(["\(products)/relux", "new", "ui", Self.domain, "--standalone"])
        try #require(made.status == 0, "\(made.text)")
        let tests = try run(["swift", "test", "--package-path", "\(Self.domain)UI"])
        #expect(tests.status == 0 && tests.text.contains("Test run with 6 tests in 2 suites passed"), "\(tests.text.suffix(4_000))")
        let program = try run(["\(Self.domain)UI/.build/debug/foreign-probe-ui"])
        #expect(program.status == 64 && program.text.contains("--run and --host are needed"), "\(program)")
    }

    /// In one process with what the checkout's build has packed.
    private func share() throws {
        let cluster = try GeneratedCluster(folder + "/cluster", [Self.domain], relux: folder + "/sdk", bin: products)
        defer { cluster.end() }
        let file = URL(fileURLWithPath: cluster.folder + "/cluster.yaml")
        var text = try String(contentsOf: file, encoding: .utf8)
        for name in ["Navigation", Self.domain] { text = text.replacing("- module: \(name)\n", with: "- module: \(name)\n      host: shared\n") }
        try Data(text.utf8).write(to: file)
        let up = try cluster("up")
        try #require(up.status == 0, "\(up.text)")
        let sent = try cluster("effect", "send", "\(Self.domain).Business.Effect.add", #"{"title":"far"}"#)
        #expect(sent.status == 0, "\(sent.text)")
        let status = try cluster("status")
        // Their columns begin with the name and the phase, and the process is the fifth.
        let lines: [[String]] = status.text.split(separator: "\n").map { line in line.split(separator: " ").map(String.init) }
        let rows = lines.filter { ["Navigation", Self.domain].contains($0[0]) }
        #expect(rows.count == 2 && rows.allSatisfy { $0[1] == "ready" } && Set(rows.map { $0[4] }).count == 1, "\(status.text)")

        // What runs there is what others build against.
        let added = try cluster("sdk", "add", Self.domain, "--sdk", folder + "/sdk")
        #expect(added.status == 0 && added.text.contains("Files, \(Self.domain), Library"), "\(added.text)")
    }

    /// Elsewhere, where the domain's source is not either.
    private func orchestrate() throws {
        let other = folder + "/other"
        let made = try run(["\(products)/relux", "new", "orchestrator", "Far", "--domains", "\(Self.domain),Notes", "--standalone"], in: other)
        try #require(made.status == 0, "\(made.text)")
        let tests = try run(["swift", "test", "--package-path", "FarOrchestration"], in: other)
        #expect(tests.status == 0 && tests.text.contains("Test run with 2 tests in 1 suite passed"), "\(tests.text.suffix(4_000))")
        let unknown = try run(["\(products)/relux", "new", "orchestrator", "Sky", "--domains", "Nobody", "--standalone"], in: other)
        #expect(unknown.status == 2 && unknown.text.contains("relux sdk add Nobody"), "\(unknown.text)")
        let views = try run(["\(products)/relux", "new", "ui", "Notes", "--standalone"], in: other)
        #expect(views.status == 2 && views.text.contains("has the built interface of Notes"), "\(views.text)")
        let inside = try run(["\(products)/relux", "new", "domain", "Sky", "--relux", folder + "/sdk"], in: other)
        #expect(inside.status == 2 && inside.text.contains("--standalone"), "\(inside.text)")
    }

    private func run(_ command: [String], in place: String? = nil) throws -> (status: Int32, text: String) {
        try Command.run(command, in: place ?? folder, ["RELUX_SDK": folder + "/sdk"])
    }
}

@Suite struct SDKPlaceTests {
    private let folder = URL(fileURLWithPath: NSTemporaryDirectory()).resolvingSymlinksInPath().path + "/relux-place-" + UUID().uuidString

    @Test func `an installed SDK is named by the link that goes with the next version, and an exported one by the way there`() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let sdk = folder + "/lib/relux/1.0-abc/sdk"
        try FileManager.default.createDirectory(atPath: sdk + "/Plugins/Notes/NotesReluxInt.artifactbundle", withIntermediateDirectories: true)
        try Data(#"{"schema": "relux.sdk/1"}"#.utf8).write(to: URL(fileURLWithPath: sdk + "/sdk.json"))
        let program = folder + "/lib/relux/1.0-abc/relux-dev"
        #expect(Checkout(installedWith: program)?.root == sdk)
        #expect(Checkout(installedWith: folder + "/bin/relux-dev") == nil)
        try FileManager.default.createSymbolicLink(atPath: folder + "/lib/relux/current", withDestinationPath: "1.0-abc")
        let installed = try #require(Checkout(installedWith: program))
        let current = folder + "/lib/relux/current/sdk"
        #expect(installed.isSDK && installed.root == current)
        #expect(installed.surroundings(of: folder + "/a/Weather") == Surroundings(core: current, plugins: current + "/Plugins", isInside: false))
        #expect(try installed.domain("Notes", for: folder + "/a/Weather").path == current + "/Plugins/Notes")
        #expect(try installed.plugin("Notes", for: folder + "/a/mine").library == "$bin/libNotesReluxImpl.so")

        let exported = try Checkout(at: sdk)
        #expect(exported.isSDK && exported.surroundings(of: folder + "/a/Weather").core == "../../lib/relux/1.0-abc/sdk")
        #expect(try exported.domain("Notes", for: folder + "/a/Weather").path == "../../lib/relux/1.0-abc/sdk/Plugins/Notes")
    }
}
