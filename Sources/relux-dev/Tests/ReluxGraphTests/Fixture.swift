@testable import ReluxGraph
@testable import ReluxLint

/// A small system in memory: two of infrastructure, three domains, two orchestrators, and a user interface.
enum Fixture {
    private static let files = [
        "ErrorHandling/ErrorHandlingReluxInt": "public import Relux",
        "ErrorHandling/ErrorHandlingReluxImpl": declaration("ErrorHandling", "infrastructure", emits: []),
        "Navigation/NavigationReluxInt": "public import Relux",
        "Navigation/NavigationReluxImpl": "import ErrorHandlingReluxInt\n"
            + declaration("Navigation", "infrastructure", emits: ["ErrorHandling.Business.Effect.wireTopic"]),
        "Auth/AuthModels": "",
        "Auth/AuthReluxInt": "public import AuthModels\npublic import Relux",
        "Auth/AuthReluxImpl": "import NavigationReluxInt\nimport AuthReluxInt\n"
            + declaration("Auth", "domain", emits: ["Navigation.Business.Effect.wireTopic"], provides: "[Auth.Business.Snapshot.wireTopic]"),
        "Notes/NotesReluxInt": "public import Relux",
        "Notes/NotesReluxImpl": "import NavigationReluxInt\nimport ErrorHandlingReluxInt\n"
            + declaration("Notes", "domain", emits: ["ErrorHandling.Business.Effect.wireTopic"]),
        "Files/FilesReluxInt": "public import Relux",
        "Files/FilesReluxImpl": declaration("Files", "domain", emits: []),
        "SessionOrchestration/SessionOrchestrationImpl": "import AuthReluxInt\nimport NotesReluxInt\nimport NavigationReluxInt\n"
            + """
            let declaration = ModuleDeclaration(
                id: "SessionOrchestration", version: "2.0.0", kind: .orchestrator,
                handles: [Auth.Business.Effect.wireTopic, SessionOrchestration.Effect.wireTopic, Cluster.Business.Effect.wireTopic],
                emits: [Notes.Business.Effect.wireTopic, Navigation.Business.Effect.wireTopic])
            """,
        "DataOrchestration/DataOrchestrationImpl": "import FilesReluxInt\nimport NotesReluxInt\n"
            + """
            let declaration = ModuleDeclaration(
                id: "DataOrchestration", version: "1.0.0", kind: ModuleDeclaration.Kind.orchestrator,
                handles: [Notes.Business.Effect.wireTopic], emits: ["Notes.Business.Effect", Files.Business.Effect.wireTopic])
            """,
        "AuthUI/AuthUI": """
            import AuthReluxInt
            func main() {
                exportModule(
                    "AuthUI", version: "1.0.0", kind: .orchestrator, handles: [], emits: [], observes: [Auth.Business.Snapshot.self]) { }
            }
            """,
        // None of these is a module of the cluster.
        "Auth/AuthTests": "import NotesReluxInt\n" + declaration("Probe", "domain", emits: []),
        "Auth/AuthTestSupport": "import FilesReluxInt",
    ]

    /// The contract beside the interface of `Auth`; the others have none.
    private static let contract = """
        {"snapshots": [{"topic": "Auth.Business.Snapshot", "shape": {}}],
         "topics": [{"topic": "Auth.Business.Effect", "cases": [{"name": "login"}, {"name": "logout"}], "fingerprint": "0"}]}
        """

    private static func declaration(_ name: String, _ kind: String, emits: [String], provides: String = "[]") -> String {
        """
        extension \(name) {
            static let declaration = ModuleDeclaration(
                id: "\(name)", version: "1.0.0", kind: .\(kind), handles: [\(name).Business.Effect.wireTopic],
                emits: [\((["\(name).Business.Effect.wireTopic"] + emits).joined(separator: ", "))], provides: \(provides))
        }
        """
    }

    /// What the linter would read, with files replaced.
    static func facts(_ changed: [String: String] = [:], context: Set<String> = [], contract: String = contract) -> [PackageFacts] {
        let files = files.merging(changed) { $1 }
        var packages = [
            PackageModel(
                name: "relux-cluster", folder: "/core", targets: [.init(name: "Relux", kind: .regular, dependencies: [])],
                products: [.init(name: "Relux", kind: .dynamic, targets: ["Relux"])])
        ]
        var sources: [LintSource] = []
        let byPackage = Dictionary(grouping: files.keys.sorted()) { String($0.prefix { $0 != "/" }) }
        for (name, paths) in byPackage.sorted(by: { $0.key < $1.key }) {
            var package = PackageModel(name: name, folder: "/\(name)")
            for path in paths {
                let target = String(path.drop { $0 != "/" }.dropFirst())
                package.targets.append(.init(name: target, kind: target.hasSuffix("Tests") ? .test : .regular, dependencies: []))
                sources.append(LintSource(package: package.folder, target: target, path: "\(path)/File.swift", text: files[path] ?? ""))
            }
            packages.append(package)
        }
        let outside = Set(packages.indices.filter { $0 == 0 || context.contains(packages[$0].name) })
        return Linter(root: "/").facts(packages, context: outside, sources) { path in
            path == "/Auth/Sources/AuthReluxInt/Auth.contract.json" ? contract : nil
        }
    }

    static var graph: Architecture { Architecture(sources: facts()) }
}
