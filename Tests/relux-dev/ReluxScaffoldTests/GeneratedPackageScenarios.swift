import Foundation
import Testing

/// Packages out of the generator, really built: in the root's build folder, where all that they depend on is built already.
@Suite(.serialized) struct GeneratedPackageScenarios {
    static let domain = "ScaffoldProbe"
    static let orchestrator = "ScaffoldProbeOrchestration"
    static let interface = "ScaffoldProbeUI"
    static let hybrid = "ScaffoldProbeHybrid"
    static let split = "ScaffoldProbeSplit"
    static let cluster = "scaffold-probe"
    let folder = Folders.root + "/.build/generated"
    let products = Folders.root + "/.build/debug"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    @Test func `Given a fresh domain from the generator, when built, then all six products build, five are dynamic, and lint passes`()
        throws
    {
        defer { clean() }
        clean()
        let made = try run(["relux-dev", "new", "domain", Self.domain, "--schedule", "--standalone"])
        #expect(made.status == 0, "\(made.text)")
        let again = try run(["relux-dev", "new", "domain", Self.domain, "--standalone"])
        #expect(again.status == 6 && again.text.contains("nothing is overwritten"), "\(again.text)")

        let feature = try run(["relux-dev", "new", "feature", "Entry", "--domain", Self.domain, "--standalone"])
        #expect(feature.status == 0 && feature.text.contains("2 files"), "\(feature.text)")

        let tests = try build(Self.domain)
        #expect(tests.status == 0, "\(tests.text.suffix(4_000))")
        #expect(tests.text.contains("Test run with 16 tests in 3 suites passed"), "\(tests.text.suffix(2_000))")
        #expect(!tests.text.contains("warning: 'scaffoldprobe'"), "\(tests.text)")
        for layer in ["Models", "ReluxInt", "ServiceInt", "ServiceImpl", "ReluxImpl"] {
            #expect(FileManager.default.fileExists(atPath: "\(products)/lib\(Self.domain)\(layer).so"), "\(layer)")
        }
        let support = "\(products)/lib\(Self.domain)TestSupport"
        #expect(FileManager.default.fileExists(atPath: support + ".a") && !FileManager.default.fileExists(atPath: support + ".so"))

        let lint = try run(["relux-dev", "lint", Self.domain, "--images", products])
        #expect(lint.status == 0 && lint.text.contains("clean; "), "\(lint.text)")
        try pack()
        try orchestrate()
        try show()
        try recompile()
    }

    /// A user interface of the domain that has just been built.
    private func show() throws {
        let made = try run(["relux-dev", "new", "ui", Self.domain, "--standalone"])
        #expect(made.status == 0 && made.text.contains("[ ] show what a person wants to read"), "\(made.text)")
        let tests = try build(Self.interface)
        #expect(tests.status == 0, "\(tests.text.suffix(4_000))")
        #expect(tests.text.contains("Test run with 6 tests in 2 suites passed"), "\(tests.text.suffix(2_000))")
        #expect(FileManager.default.isExecutableFile(atPath: "\(products)/scaffold-probe-ui"))
        let lint = try run(["relux-dev", "lint", Self.interface])
        #expect(lint.status == 0 && lint.text.contains("clean; "), "\(lint.text)")
        // All of it in one picture.
        let graph = try run(["relux-dev", "graph", Self.domain, Self.orchestrator, Self.interface])
        #expect(graph.status == 0 && graph.text.contains("    -> \(Self.domain)  emits \(Self.domain).Business.Effect; observes "), "\(graph.text)")
    }

    /// As the checklist says: it can be packed, and its contract is what the effects are.
    private func pack() throws {
        let library = "\(products)/lib\(Self.domain)ReluxImpl.so"
        let packed = try run(["\(products)/relux", "module", "pack", library, "--plugins", ".", "--out", "packed", "--write-contract"])
        defer { try? FileManager.default.removeItem(atPath: "\(folder)/packed") }
        #expect(packed.status == 0 && packed.text.contains("\(Self.domain)  1.0.0  packed"), "\(packed.text)")
        let contract = try String(
            contentsOfFile: "\(folder)/\(Self.domain)/Sources/\(Self.domain)ReluxInt/\(Self.domain).contract.json", encoding: .utf8)
        #expect(contract.contains("\"itemsChanged\"") && contract.contains("\(Self.domain).Business.Snapshot"), "\(contract)")
    }

    /// An orchestrator over the domain that has just been built, and one of the plugins.
    private func orchestrate() throws {
        let made = try run(["relux-dev", "new", "orchestrator", Self.domain, "--standalone", "--domains", "\(Self.domain),Auth", "--json"])
        #expect(made.status == 0 && made.text.contains("\"relux.new/1\""), "\(made.text)")
        let tests = try build(Self.orchestrator)
        #expect(tests.status == 0, "\(tests.text.suffix(4_000))")
        #expect(tests.text.contains("Test run with 2 tests in 1 suite passed"), "\(tests.text.suffix(2_000))")
        let lint = try run(["relux-dev", "lint", Self.orchestrator])
        #expect(lint.status == 0 && lint.text.contains("clean; "), "\(lint.text)")
    }

    @Test func `what lint finds ends it with 1, and a wrong command line with 2`() throws {
        let package = folder + "/Broken"
        defer { try? FileManager.default.removeItem(atPath: package) }
        let source = package + "/Sources/BrokenModels"
        try FileManager.default.createDirectory(atPath: source, withIntermediateDirectories: true)
        try Data("enum Broken { static var count = 0 }\n".utf8).write(to: URL(fileURLWithPath: source + "/Broken.swift"))
        let manifest =
            "// swift-tools-version: 6.2\nimport PackageDescription\nlet package = Package(name: \"Broken\", targets: [.target(name: \"BrokenModels\")])\n"
        try Data(manifest.utf8).write(to: URL(fileURLWithPath: package + "/Package.swift"))
        let found = try run(["relux-dev", "lint", "Broken"])
        #expect(found.status == 1)
        #expect(found.text.contains("Broken/Sources/BrokenModels/Broken.swift:1:15: [state.global] "), "\(found.text)")
        #expect(try run(["relux-dev", "lint", "--frob"]).status == 2)
        let nowhere = try run(["relux-dev", "lint", "/nowhere", "--json"])
        #expect(nowhere.status == 2 && nowhere.text.contains("lint.noPackage"), "\(nowhere.text)")
        #expect(try run(["relux-dev", "new", "domain", "lower", "--standalone"]).status == 2)
        #expect(try run(["relux-dev", "new", "ui", "Nobody", "--standalone"]).status == 2)
        #expect(try run(["relux-dev", "new", "feature", "Login", "--domain", "Nobody", "--standalone"]).status == 2)
    }

    // MARK: Programs

    func build(_ package: String) throws -> (status: Int32, text: String) {
        // Whoever runs this test may hold the folder's lock; the plan of another package must not be taken for this one's.
        try run([
            "swift", "test", "--package-path", package, "--scratch-path", Folders.root + "/.build", "--ignore-lock",
            "--disable-build-manifest-caching",
        ])
    }

    /// Runs in the folder of generated packages; output and errors are one text.
    func run(_ command: [String]) throws -> (status: Int32, text: String) {
        let tool = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        return try Command.run([command[0] == "relux-dev" ? "\(tool)/relux-dev" : command[0]] + command.dropFirst(), in: folder)
    }

    /// Takes away what a build of the probes leaves: `relux module pack --all` would pack it.
    func clean() {
        let manager = FileManager.default
        for name in [Self.domain, Self.orchestrator, Self.interface, Self.hybrid, Self.split, "\(Self.split)Orchestration", "\(Self.split)UI", Self.cluster] {
            try? manager.removeItem(atPath: "\(folder)/\(name)")
        }
        for place in [products, products + "/Modules"] {
            for entry in (try? manager.contentsOfDirectory(atPath: place)) ?? []
            where entry.hasPrefix(Self.domain) || entry.hasPrefix("lib" + Self.domain) || entry.hasPrefix("scaffold-probe-") {
                try? manager.removeItem(atPath: "\(place)/\(entry)")
            }
        }
    }
}
