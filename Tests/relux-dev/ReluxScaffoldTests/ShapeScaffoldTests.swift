import Foundation
@testable import ReluxLint
@testable import ReluxScaffold
import Testing

/// A domain with a kit, in two packages, and in every mixture of shapes.
@Suite struct ShapeScaffoldTests {
    private static let shapes = (0..<16).map(DomainShape.init(rawValue:))

    private func make(_ shape: DomainShape, _ surroundings: Surroundings = .inside) throws -> Scaffold {
        DomainScaffold.make(try ModuleName(domain: "Weather"), surroundings, shape)
    }

    @Test(arguments: shapes)
    func `whatever the shape, texts are whole and imports are in order`(shape: DomainShape) throws {
        for (path, text) in try make(shape).files {
            #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n") && !text.contains("__"), "\(path)")
            let imports = text.split(separator: "\n").filter { $0.contains("import ") && !$0.contains("//") }.compactMap { $0.split(separator: " ").last }
            #expect(imports == imports.sorted(), "\(path)")
        }
    }

    /// With what the package manager reads out of the manifests; only those that show all there is, since each costs seconds.
    @Test(arguments: [[.kit, .split], [.kit, .split, .hybrid, .schedule]] as [DomainShape])
    func `whatever the shape, no rule is broken, and who imports has declared it`(shape: DomainShape) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("relux-shape-" + UUID().uuidString).standardizedFileURL.path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let surroundings = Surroundings(
            core: Checkout.path(to: Folders.root, from: folder + "/Weather"), plugins: Checkout.path(to: Folders.root + "/Plugins", from: folder + "/Weather"),
            isInside: false)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try make(shape, surroundings).write(to: folder + "/Weather")
        let folders = Linter.packages(below: folder)
        #expect(folders.map { URL(fileURLWithPath: $0).lastPathComponent }
            == (shape.contains(.split) ? ["WeatherImplementations", "WeatherInterfaces"] : ["Weather"]))
        let (packages, context) = try PackageReader.read(folders)
        let sources = try packages.filter { !$0.isCore }.flatMap { try PackageReader.sources(of: $0, relativeTo: folder) }
        let report = Linter(root: folder).check(packages, context: context, sources)
        #expect(report.findings.isEmpty, "\(FindingText.lines(report))")
        let own = packages.indices.filter { !context.contains($0) }.map { packages[$0] }
        let libraries = own.flatMap(\.products)
        #expect(libraries.count == (shape.contains(.hybrid) ? 4 : 6) + (shape.contains(.kit) ? 1 : 0))
        #expect(Set(libraries.map(\.name)).count == libraries.count)
        for package in own {
            for target in package.targets {
                let declared = Set(target.dependencies.map(\.name))
                let imported = Set(
                    sources.filter { $0.package == package.folder && $0.target == target.name }
                        .flatMap { SourceFile(path: $0.path, text: $0.text).imports.map(\.module) }.filter { $0.hasPrefix("Weather") })
                #expect(imported.isSubset(of: declared), "\(target.name): \(imported.subtracting(declared))")
            }
        }
        // In one picture it is one module, with its interface.
        let facts = Linter(root: folder).facts(packages, context: context, sources) { path in
            FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
        }.filter { !$0.isContext }
        #expect(facts.map(\.owner) == ["Weather"] && facts.first?.interface == "WeatherReluxInt" && facts.first?.declared.map(\.id) == ["Weather"], "\(facts)")
        #expect(facts.first?.contract != nil && facts.first?.imports.contains { $0.module.hasPrefix("Weather") } == false)
    }

    @Test func `a kit is a product more, before the one for tests, and all else is the same`() throws {
        let (whole, kit) = (try make([]), try make(.kit))
        let added = ["Sources/WeatherKit/Exports.swift", "Tests/WeatherTests/WeatherKitTests.swift"]
        #expect(Set(kit.files.keys) == Set(whole.files.keys).union(added))
        for (path, text) in whole.files where path != "Package.swift" { #expect(kit.files[path] == text, "\(path)") }
        let manifest = try #require(kit.files["Package.swift"])
        let lines = Set(try #require(whole.files["Package.swift"]).components(separatedBy: "\n"))
        #expect(manifest.components(separatedBy: "\n").filter { !lines.contains($0) } == [
            "        .library(name: \"WeatherKit\", type: .dynamic, targets: [\"WeatherKit\"]),", "            name: \"WeatherKit\",",
            "                .product(name: \"WeatherKit\", package: \"Weather-Self\"),",
        ])
        #expect(kit.checklist.contains { $0.isDone && $0.text.hasPrefix("WeatherKit: ") })
    }

    @Test func `in two packages every file is in one, the same but for the manifests`() throws {
        let (whole, split) = (try make([]), try make(.split))
        #expect(split.tested == "WeatherImplementations")
        let moved = split.files.filter { !$0.key.hasSuffix("/Package.swift") }
        #expect(Set(moved.keys.map { $0.split(separator: "/", maxSplits: 1)[1] }.map(String.init)) == Set(whole.files.keys).subtracting(["Package.swift"]))
        #expect(moved.count == whole.files.count - 1)
        for (path, text) in moved { #expect(whole.files[String(path.split(separator: "/", maxSplits: 1)[1])] == text, "\(path)") }
        let interfaces = try #require(split.files["WeatherInterfaces/Package.swift"])
        #expect(!interfaces.contains("Implementations") && !interfaces.contains("Impl\"") && !interfaces.contains("Navigation"))
        let implementations = try #require(split.files["WeatherImplementations/Package.swift"])
        #expect(implementations.contains("        .package(path: \"../WeatherInterfaces\"),\n"))
        #expect(implementations.contains("        .package(name: \"relux-cluster\", path: \"../../..\"),\n"))
        #expect(implementations.contains(".product(name: \"WeatherServiceImpl\", package: \"WeatherImplementations-Self\")"))
        #expect(implementations.contains(".product(name: \"WeatherModels\", package: \"WeatherInterfaces\")"))
        #expect(split.checklist.contains { $0.text.contains("Plugins/Weather/WeatherImplementations") })
    }

    @Test func `orchestrators, clusters and user interfaces find a domain in two packages`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("relux-shape-" + UUID().uuidString).standardizedFileURL.path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try make(.split).write(to: folder + "/Weather")
        let checkout = try Checkout(at: Folders.root)
        let domain = try checkout.domain("Weather", for: folder + "/SkyOrchestration")
        #expect(domain.path == "../Weather/WeatherInterfaces")
        let sky = try OrchestratorScaffold.make(try ModuleName(orchestrator: "Sky"), domains: [domain], .inside).files["Package.swift"]
        #expect(sky?.contains(".package(path: \"../Weather/WeatherInterfaces\"),") == true)
        #expect(sky?.contains(".product(name: \"WeatherReluxInt\", package: \"WeatherInterfaces\"),") == true)
        let outline = InterfaceOutline(of: "Weather", package: folder + "/Weather/WeatherInterfaces")
        let view = try UIScaffold.make(try ModuleName(domain: "Weather"), outline, path: domain.path, .inside).files["Package.swift"]
        #expect(view?.contains(".product(name: \"WeatherReluxInt\", package: \"WeatherInterfaces\"),") == true)
        let library = try checkout.plugin("Weather", for: folder + "/mine").library
        #expect(library == "$here/../Weather/WeatherImplementations/.build/debug/libWeatherReluxImpl.so")
    }
}

extension GeneratedPackageScenarios {
    /// Really built, packed and run; with --full only, for it costs a build.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["RELUX_TEST_FULL"] == "1"))
    func `a domain with a kit in two packages builds, passes its tests, is packed and runs in a cluster, beside a client of its kit`() throws {
        defer { clean() }
        clean()
        let made = try run(["relux-dev", "new", "domain", Self.split, "--split", "--kit", "--standalone"])
        #expect(made.status == 0, "\(made.text)")
        let tests = try build("\(Self.split)/\(Self.split)Implementations")
        #expect(tests.status == 0 && tests.text.contains("Test run with 13 tests in 3 suites passed"), "\(tests.text.suffix(4_000))")
        #expect(!tests.text.contains("warning: 'scaffoldprobe"), "\(tests.text)")
        let sky = try run(["relux-dev", "new", "orchestrator", Self.split, "--domains", Self.split, "--standalone"])
        #expect(sky.status == 0, "\(sky.text)")
        try client(of: Self.split)
        let built = try build("\(Self.split)Orchestration")
        #expect(built.status == 0, "\(built.text.suffix(4_000))")
        let lint = try run(["relux-dev", "lint", Self.split, "\(Self.split)Orchestration", "--images", products])
        #expect(lint.status == 0 && lint.text.contains("clean; "), "\(lint.text)")
        try show()
        try serve()
        let contract = try run([
            "\(products)/relux", "module", "pack", "\(products)/lib\(Self.split)ReluxImpl.so", "--plugins", ".", "--out", "packed", "--write-contract",
        ])
        defer { try? FileManager.default.removeItem(atPath: "\(folder)/packed") }
        #expect(contract.status == 0, "\(contract.text)")
        let file = "\(folder)/\(Self.split)/\(Self.split)Interfaces/Sources/\(Self.split)ReluxInt/\(Self.split).contract.json"
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("\"itemsChanged\""))
    }

    /// Its user interface, over the package that has the interface.
    private func show() throws {
        let made = try run(["relux-dev", "new", "ui", Self.split, "--standalone"])
        #expect(made.status == 0, "\(made.text)")
        let tests = try build("\(Self.split)UI")
        #expect(tests.status == 0 && tests.text.contains("Test run with 6 tests in 2 suites passed"), "\(tests.text.suffix(4_000))")
        let lint = try run(["relux-dev", "lint", "\(Self.split)UI"])
        #expect(lint.status == 0 && lint.text.contains("clean; "), "\(lint.text)")
    }

    /// In a cluster of their own, where the kit is the interface that the orchestrator waits for.
    private func serve() throws {
        // Where their own builds would have put them.
        for package in ["\(Self.split)/\(Self.split)Implementations", "\(Self.split)Orchestration"] {
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/\(package)/.build", withDestinationPath: Folders.root + "/.build")
        }
        let cluster = try GeneratedCluster(folder + "/" + Self.cluster, [Self.split, "\(Self.split)Orchestration"])
        defer { cluster.end() }
        let up = try cluster("up")
        #expect(up.status == 0, "\(up.text)")
        let orchestrator = try cluster("module", "show", "\(Self.split)Orchestration", "--json")
        #expect(orchestrator.text.contains("\"\(Self.split)ReluxInt\"") && orchestrator.text.contains("ready"), "\(orchestrator.text)")
        let sent = try cluster("effect", "send", "\(Self.split).Business.Effect.add", #"{"title": "one"}"#)
        #expect(sent.status == 0, "\(sent.text)")
    }

    /// Makes the orchestrator import the domain's kit instead of its interface.
    private func client(of domain: String) throws {
        let orchestrator = "\(folder)/\(domain)Orchestration"
        let walk = try #require(FileManager.default.enumerator(atPath: orchestrator))
        for case let path as String in walk where path.hasSuffix(".swift") {
            let file = URL(fileURLWithPath: "\(orchestrator)/\(path)")
            try Data(try String(contentsOf: file, encoding: .utf8).replacing("\(domain)ReluxInt", with: "\(domain)Kit").utf8).write(to: file)
        }
    }
}
