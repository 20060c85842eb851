@testable import ReluxGraph
@testable import ReluxLint

/// A small system in memory: two of infrastructure, three domains, two orchestrators, and a user interface.
enum Fixture {
    private static let files = [
        "ErrorHandling/ErrorHandlingReluxInt": "public import Relux",
        "ErrorHandling/ErrorHandlingReluxImpl": declaration("ErrorHandling", "infrastructure", emits: []),
        "Navigation/NavigationReluxInt": "public import Relux",
        "Navigation/NavigationReluxImpl": "import ErrorHandlingReluxInt\n"
            + declaration("Navigation", "infrastructure", emits: ["ErrorHandling.Business.Effect.self"]),
        "Auth/AuthModels": "",
        "Auth/AuthReluxInt": "public import AuthModels\npublic import Relux",
        "Auth/AuthReluxImpl": "import NavigationReluxInt\nimport AuthReluxInt\n"
            + declaration("Auth", "domain", emits: ["Navigation.Business.Effect.self"], provides: "[Auth.Business.Snapshot.self]"),
        "Notes/NotesReluxInt": "public import Relux",
        "Notes/NotesReluxImpl": "import NavigationReluxInt\nimport ErrorHandlingReluxInt\n"
            + declaration("Notes", "domain", emits: ["ErrorHandling.Business.Effect.self"]),
        "Files/FilesReluxInt": "public import Relux",
        "Files/FilesReluxImpl": declaration("Files", "domain", emits: []),
        "SessionOrchestration/SessionOrchestrationImpl": "import AuthReluxInt\nimport NotesReluxInt\nimport NavigationReluxInt\n"
            + """
            extension SessionOrchestration {
                struct Module: Relux.Plugin {
                    static let version = "2.0.0"
                    static var kind: Relux.ModuleKind { .orchestrator }
                    static var handles: [any Relux.Effect.Type]? {
                        [Auth.Business.Effect.self, SessionOrchestration.Effect.self, Cluster.Business.Effect.self]
                    }
                    static var emits: [any Relux.Effect.Type]? { [Notes.Business.Effect.self, Navigation.Business.Effect.self] }
                }
            }
            """,
        "DataOrchestration/DataOrchestrationImpl": "import FilesReluxInt\nimport NotesReluxInt\n"
            + """
            enum DataOrchestration {
                struct Module: Relux.Plugin {
                    static let kind = Relux.ModuleKind.orchestrator
                    static let handles: [any Relux.Effect.Type]? = [Notes.Business.Effect.self]
                    static var emits: [any Relux.Effect.Type]? { return [Notes.Business.Effect.self, Files.Business.Effect.self] }
                }
            }
            """,
        "AuthUI/AuthUI": """
            import AuthReluxInt
            extension Auth.UI {
                struct Module: Relux.Plugin {
                    static let moduleID: ModuleID = "AuthUI"
                    static var kind: Relux.ModuleKind { .orchestrator }
                    static var observes: [any Relux.SharedSnapshot.Type] { [Auth.Business.Snapshot.self] }
                }
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
            struct Module: Relux.Plugin {
                static var kind: Relux.ModuleKind { .\(kind) }
                static var handles: [any Relux.Effect.Type]? { [\(name).Business.Effect.self] }
                static var emits: [any Relux.Effect.Type]? { [\((["\(name).Business.Effect.self"] + emits).joined(separator: ", "))] }
                static var provides: [any Relux.SharedSnapshot.Type] { \(provides) }
            }
        }
        """
    }

    /// The facts that the linter would read, with files replaced.
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
