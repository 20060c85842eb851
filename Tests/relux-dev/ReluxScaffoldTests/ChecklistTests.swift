import Foundation
@testable import ReluxLint
@testable import ReluxScaffold
import Testing

/// The checklist of a generated package, and of one from which something was taken or to which it was added.
@Suite struct ChecklistTests {
    /// A scaffold as packages that were never written.
    private func lists(
        _ files: [String: String], core: String = "/core", around: Neighbourhood = Neighbourhood(), products: (String) -> Bool = { _ in true }
    ) -> [Checklist] {
        var package = PackageModel(name: "Weather", folder: "/Weather")
        package.neighbours = ["relux-cluster": core, "Weather-Self": "/Weather"]
        var sources: [LintSource] = [LintSource(package: "/Weather", target: nil, path: "Package.swift", text: files["Package.swift"] ?? "")]
        for (path, text) in files.sorted(by: { $0.key < $1.key }) where path.hasSuffix(".swift") {
            let parts = path.split(separator: "/").map(String.init)
            guard parts.count > 2 else { continue }
            let kind: PackageModel.Target.Kind = parts[0] == "Tests" ? .test : parts[1].hasSuffix("Main") ? .executable : .regular
            if !package.targets.contains(where: { $0.name == parts[1] }) {
                package.targets.append(.init(name: parts[1], kind: kind, dependencies: []))
                if kind == .regular, products(parts[1]) {
                    let type: PackageModel.Product.Kind = parts[1].hasSuffix("TestSupport") ? .static : .dynamic
                    let product = parts[1].hasSuffix("OrchestrationImpl") ? String(parts[1].dropLast(4)) : parts[1]
                    package.products.append(.init(name: product, kind: type, targets: [parts[1]]))
                }
            }
            sources.append(LintSource(package: "/Weather", target: parts[1], path: path, text: text))
        }
        let relux = PackageModel(
            name: "relux-cluster", folder: core, targets: [.init(name: "Relux", kind: .regular, dependencies: [])],
            products: [.init(name: "Relux", kind: .dynamic, targets: ["Relux"])])
        return Linter(root: "/").checklists([package, relux], context: [1], sources, around: around) { files[String($0.dropFirst("/Weather/".count))] }
    }

    private func domain(_ shape: DomainShape = []) throws -> [String: String] {
        DomainScaffold.make(try ModuleName(domain: "Weather"), .inside, shape).files
    }

    private func open(_ files: [String: String], products: (String) -> Bool = { _ in true }) -> [String] {
        lists(files, products: products).flatMap(\.points).filter { $0.state == .open }.map { "\($0.text): \($0.reason)" }
    }

    private static let fresh = [
        "implement WeatherModels: namespace, data types, errors: what Weather is about is not said: its comment is the generator's",
        "register it where the cluster is put together: no cluster's file has `- module: Weather`: neither one beside it nor one of the checkout's deploy folder",
        "write its contract beside the interface and commit it: not in it: add, itemsChanged, itemsFailed, load, show; write it by relux module pack … --write-contract",
    ]

    @Test(arguments: [[], .kit, .hybrid] as [DomainShape])
    func `of a fresh domain just that is open which its author has to do`(shape: DomainShape) throws {
        #expect(open(try domain(shape)) == Self.fresh)
        let list = try #require(lists(try domain(shape)).first)
        #expect(list.subject == "Weather" && list.points.count == 13 && list.points.filter { $0.state == .unseen }.count == 2)
        #expect(list.points[0].text == (shape == .hybrid ? "package with four products: it starts small" : "package with six products"))
    }

    @Test func `what was done since is ticked, with where it was seen`() throws {
        var files = try domain()
        let models = "Sources/WeatherModels/Weather.swift"
        files[models] = files[models]?.replacing("What Weather is about, in one sentence.", with: "Temperatures of places.")
        files["Sources/WeatherReluxInt/Weather.contract.json"] =
            #"{"topics": [{"topic": "Weather.Business.Effect", "cases": [{"name": "load"}, {"name": "add"}, {"name": "show"}, {"name": "itemsChanged"}, {"name": "itemsFailed"}]}]}"#
        var around = Neighbourhood()
        around.clusters = ["mine/cluster.yaml": ["Navigation", "Weather"]]
        around.listeners = ["WeatherKit": ["SkyOrchestration"]]
        around.folders = ["WeatherUI"]
        let points = try #require(lists(files, around: around).first).points
        #expect(points.allSatisfy { $0.state == .done }, "\(points.filter { $0.state != .done })")
        #expect(points[8].reason == "it runs by mine/cluster.yaml" && points[10].reason == "SkyOrchestration")
    }

    /// The path that is taken away, and the beginning of what is said then.
    @Test(arguments: [
        ("Sources/WeatherModels/Weather+Business+Model+Failure.swift", "implement WeatherModels: namespace, data types, errors: no type is an Error"),
        ("Sources/WeatherServiceInt/", "implement WeatherServiceInt: the service's protocol: no protocol"),
        ("Sources/WeatherServiceImpl/", "implement WeatherServiceImpl: the service: no type is a Weather.Business.IService"),
        ("Sources/WeatherReluxInt/Weather+Business+Effect.swift", "implement WeatherReluxInt: actions, effects, protocols of state and router: no Relux.Effect"),
        ("Sources/WeatherReluxImpl/Weather+Plugin.swift", "implement WeatherReluxImpl: state, reducer, saga or flow, module: no function is @c(relux_plugin_main)"),
        ("Sources/WeatherReluxImpl/Weather+Business+State+Reducer.swift", "implement WeatherReluxImpl: state, reducer, saga or flow, module: no reducer"),
        ("Sources/WeatherReluxImpl/Weather+Business+Flow.swift", "implement WeatherReluxImpl: state, reducer, saga or flow, module: no saga"),
        ("Sources/WeatherReluxImpl/Weather+RouterAdapter.swift", "create a router adapter: no type is a Weather.Business.IRouter"),
        ("Sources/WeatherTestSupport/", "implement WeatherTestSupport: mocks, stubs: no type in it"),
        ("Tests/", "tests in WeatherTests: WeatherTests has no @Test"),
    ])
    func `what is missing is named`(taken: String, said: String) throws {
        var files = try domain()
        let gone = files.keys.filter { $0.hasPrefix(taken) }
        #expect(!gone.isEmpty)
        // A layer without anything in it is there all the same.
        for path in gone { files[path] = "" }
        #expect(open(files).contains { $0.hasPrefix(said) }, "\(open(files))")
    }

    @Test func `a layer without a library, and a broken rule, are on the list`() throws {
        #expect(open(try domain()) { $0 != "WeatherModels" }.first?.hasPrefix("package with six products: no product WeatherModels") == true)
        var files = try domain()
        files["Sources/WeatherServiceImpl/More.swift"] = "import WeatherReluxInt"
        files["Sources/WeatherReluxInt/More.swift"] = "import WeatherServiceImpl"
        #expect(open(files).contains { $0.contains("layer.reluxInt: WeatherReluxInt imports WeatherServiceImpl") }, "\(open(files))")
    }

    @Test func `an orchestrator's handlers, states and registration are seen`() throws {
        let made = try OrchestratorScaffold.make(try ModuleName(orchestrator: "Sky"), domains: [("Weather", "../Weather")], .inside).files
        let both = made.merging(try domain()) { left, _ in left }
        func points(_ files: [String: String]) -> [String] {
            lists(files).first { $0.subject == "SkyOrchestration" }?.points.filter { $0.state == .open }.map { "\($0.text): \($0.reason)" } ?? ["none"]
        }
        let handler = "Sources/SkyOrchestrationImpl/SkyOrchestration+Saga+Weather.swift"
        let saga = "implement the saga with a handler's file for each domain: "
        #expect(points(both).map { $0.split(separator: ":")[0] } == [
            "implement the saga with a handler's file for each domain", "register it after the domains",
        ], "\(points(both))")
        #expect(points(both)[0] == saga + "nothing of Weather is answered: SkyOrchestration+Saga+Weather.swift has no case")
        var answered = both
        answered[handler] = both[handler]?.replacing("default:", with: "case .load: await actions { Weather.Business.Effect.show }\n        default:")
        #expect(points(answered).count == 1, "\(points(answered))")
        answered[handler] = nil
        answered["Sources/SkyOrchestrationImpl/More.swift"] = "import WeatherReluxInt\nactor Memory: Relux.BusinessState {}"
        #expect(points(answered).contains { $0.hasPrefix(saga + "no file for Weather, such as SkyOrchestration+Saga+Weather.swift") })
        #expect(points(answered).contains { $0.contains("orchestrator.state: ") }, "\(points(answered))")
    }

    @Test func `a feature's delegates are answered by somebody else`() throws {
        let name = try ModuleName(feature: "Login")
        let made = try FeatureScaffold.make(name, of: try ModuleName(domain: "Weather"), manifest: "\"ReluxFeatureTestKit\"", .inside).scaffold.files
        var files = try domain().merging(made) { left, _ in left }
        let list = try #require(lists(files).last)
        #expect(list.title.contains("seed 4") && list.points.last?.state == .open && list.points.last?.reason.contains("nobody but itself says .") == true)
        let delegates = try #require(list.points.last?.reason.components(separatedBy: "nobody but itself says .").dropFirst().map { $0.prefix { $0.isLetter } })
        files["Sources/WeatherReluxImpl/Parent.swift"] = delegates.map { "let \($0) = Parent.Action.child(.delegate(.\($0)))" }.joined(separator: "\n")
        #expect(lists(files).last?.points.last?.state == .done, "\(lists(files))")
    }

    @Test func `a user interface's views and tests are seen, and what only a person sees is said`() throws {
        let outline = InterfaceOutline(of: "Notes", package: "\(Folders.root)/Plugins/Notes")
        let made = try UIScaffold.make(try ModuleName(domain: "Notes"), outline, path: "../Notes", .inside).files
        let interface = ["Sources/NotesReluxInt/P.swift": "extension Notes.UI.Model { public enum Page { case list, tip, details, more } }"]
        let list = try #require(lists(made.merging(interface) { left, _ in left }).first { $0.subject == "NotesUI" })
        #expect(list.points.filter { $0.state == .open }.map(\.reason) == ["nothing is said of .more"], "\(list)")
        #expect(list.points.last?.state == .unseen)
    }

    @Test func `people read marks and reasons, programs the same as JSON`() throws {
        let all = lists(try domain())
        let lines = ChecklistText.lines(all)
        #expect(lines[0] == "Weather: new domain (seed 3)" && lines[1] == "  [x] 1. package with six products")
        #expect(lines.contains("  [?] 12. create WeatherUI if it has views") && lines.contains { $0.hasPrefix("  [ ] 9. ") })
        #expect(ChecklistText.summary(all) == "8 of 13 done, 3 open, 2 that only a person can tell")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(ChecklistJSON(all).text.utf8)) as? [String: Any])
        #expect(json["schema"] as? String == "relux.checklist/1" && json["open"] as? Int == 3)
        let points = try #require((json["checklists"] as? [[String: Any]])?.first?["points"] as? [[String: Any]])
        #expect(points[11]["state"] as? String == "unseen" && points[8]["number"] as? Int == 9)
    }

    @Test func `clusters, orchestrators and neighbours are found beside a package, and beside both of a domain in two`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("relux-around-" + UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (path, text) in [
            "Plugins/SkyOrchestration/Sources/SkyOrchestrationImpl/A.swift": "internal import WeatherReluxInt\n// import NotesReluxInt",
            "Plugins/mine/cluster.yaml": "  plugins:\n    - module: Weather\n    - module: \"Notes\"\n    # - module: Files",
            "deploy/other.yaml": "- path: packed/Auth/current", "Plugins/Weather/WeatherInterfaces/Package.swift": "", "Plugins/WeatherUI/Package.swift": "",
        ] {
            let file = URL(fileURLWithPath: "\(folder)/\(path)")
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        for package in ["Plugins/WeatherUI", "Plugins/Weather/WeatherInterfaces"] {
            let around = Neighbourhood(beside: ["\(folder)/\(package)"])
            #expect(around.folders.isSuperset(of: ["WeatherUI", "Weather", "SkyOrchestration"]))
            #expect(around.listeners["WeatherReluxInt"] == ["SkyOrchestration"] && around.listeners["NotesReluxInt"] == nil)
            #expect(around.clusters["mine/cluster.yaml"] == ["Weather", "Notes"] && around.clusters["deploy/other.yaml"] == ["Auth"])
        }
    }

    /// On the disk, for that is where the other half is found.
    @Test func `of a domain in two packages one is enough, and the other is missed where it is not`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("relux-half-" + UUID().uuidString).standardizedFileURL.path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let surroundings = Surroundings(
            core: Checkout.path(to: Folders.root, from: folder + "/Weather"), plugins: Checkout.path(to: Folders.root + "/Plugins", from: folder + "/Weather"),
            isInside: false)
        try DomainScaffold.make(try ModuleName(domain: "Weather"), surroundings, .split).write(to: folder + "/Weather")
        let (interfaces, implementations) = ("\(folder)/Weather/WeatherInterfaces", "\(folder)/Weather/WeatherImplementations")
        let linter = Linter(root: folder)
        let both = try linter.checklists([interfaces, implementations])
        #expect(both.count == 1 && both[0].points[0].state == .done && both[0].points.count == 13, "\(both)")
        for half in [interfaces, implementations] { #expect(try linter.checklists([half]) == both, "\(half)") }

        try FileManager.default.moveItem(atPath: implementations, toPath: folder + "/WeatherImplementations")
        let list = try #require(try linter.checklists([interfaces]).first)
        #expect(list.points[0].state == .open)
        #expect(
            list.points[0].reason.hasPrefix(
                "the domain's other package is not where it was looked for, in \(implementations): put it there, or name its folder too; no product "),
            "\(list.points[0].reason)")
    }
}
