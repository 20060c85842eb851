import Foundation
import Relux
import ReluxPlugin
import ReluxWire

/// A plugin of three libraries, compiled once in a temporary folder against the libRelux.so of this run.
struct DemoPackage: Sendable {
    struct Failure: Error { let message: String }

    static let shared = Result { try DemoPackage() }

    let folder: String
    var library: String { "\(folder)/libDemoReluxImpl.so" }
    /// An orchestrator that knows the demo by its interface.
    var orchestrator: String { "\(folder)/libDemoOrchestration.so" }
    /// The demo's own modules, and the core's.
    var modules: [String] { ["\(folder)/Modules", "\(Self.buildFolder)/Modules"] }

    static let declaration = ModuleDeclaration(
        id: "Demo", version: "1.2.0", kind: .domain, handles: ["Demo.Business.Effect"], emits: ["Demo.Business.Effect"])

    private static let buildFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    private init() throws {
        folder = NSTemporaryDirectory() + "relux-pack-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: "\(folder)/Modules", withIntermediateDirectories: true)
        atexit { if let demo = try? DemoPackage.shared.get() { try? FileManager.default.removeItem(atPath: demo.folder) } }
        try compile("DemoModels", Self.models, links: [])
        try compile("DemoReluxInt", Self.interface, links: ["DemoModels", "Relux"])
        try compile("DemoReluxImpl", Self.implementation, links: ["DemoReluxInt", "DemoModels", "Relux"])
        try compile("DemoOrchestration", Self.orchestration, links: ["DemoReluxInt", "DemoModels", "Relux"])
    }

    func compile(_ module: String, _ source: String, links: [String]) throws {
        let file = "\(folder)/\(module).swift"
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        try Self.run(
            [
                "swiftc", "-swift-version", "6", "-parse-as-library", "-emit-library", "-emit-module",
                "-emit-module-path", "\(folder)/Modules/\(module).swiftmodule", "-module-name", module,
                "-o", "\(folder)/lib\(module).so", "-L", folder, "-L", Self.buildFolder, "-Xlinker", "-rpath",
                "-Xlinker", "$ORIGIN", file,
            ] + modules.flatMap { ["-I", $0] } + links.map { "-l\($0)" })
    }

    /// A facade over the demo's interface, and an orchestrator that links that and nothing else of the demo; its library.
    func compileKit() throws -> String {
        let imports = ["DemoModels", "DemoReluxInt", "Relux"]
        try compile("DemoKit", imports.map { "@_exported public import \($0)" }.joined(separator: "\n"), links: ["DemoReluxInt", "DemoModels", "Relux"])
        try compile("SkyOrchestration", Self.orchestrator, links: ["DemoKit", "DemoReluxInt", "DemoModels", "Relux"])
        return "\(folder)/libSkyOrchestration.so"
    }

    /// An orchestrator that links what works in the demo; its library.
    func compileReaching() throws -> String {
        let source = Self.orchestrator.replacing("SkyOrchestration", with: "ReachOrchestration")
            .replacing("import DemoKit", with: "import DemoModels\nimport DemoReluxImpl\nimport DemoReluxInt")
        try compile("ReachOrchestration", source, links: ["DemoReluxImpl", "DemoReluxInt", "DemoModels", "Relux"])
        return "\(folder)/libReachOrchestration.so"
    }

    static func run(_ arguments: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(message: text) }
    }

    private static let models = """
        public enum Demo { public enum Business { public enum Model {} } }
        extension Demo.Business.Model {
            public struct User: Codable, Sendable, Equatable {
                public let id: String
                public var name: String?
                var age: Int = 3
                private var notes: [String: Double] = [:]
                public private(set) var seen: Bool { didSet {} }
                public var initials: String { "" }
                public static let nobody = 1
                public var children: [Child]
                public init(id: String) { self.id = id; seen = false; children = [] }
            }
            public indirect enum Child: Codable, Sendable, Equatable { case leaf, node(Child, right: Child?) }
            public enum Tab: String, Codable, Sendable { case one, two = "zwei", three }
            public enum Own: RawRepresentable, Codable, Sendable {
                case left, right
                public init?(rawValue: String) { self = .left }
                public var rawValue: String { "any" }
            }
            public enum Key: String, Codable, Sendable, CodingKeyRepresentable { case first }
            public struct Keyed: Codable, Sendable {
                var a: Int
                private enum CodingKeys: String, CodingKey { case a = "b" }
            }
        }
        """

    private static let interface = """
        public import DemoModels
        public import Relux
        public import ReluxWire
        extension Demo.Business {
            public typealias Names = [String]
            public enum Effect: Relux.Effect {
                /// Somebody wants in;
                /// answers with who.
                case login(username: String, password: Secret<String>)
                case opened(Model.Tab, names: Names?)
                case saved(user: Model.User, tags: [String: [Int?]], keyed: Model.Keyed, limit: UInt8 = 3)
                case logout
                case kept(byKey: [Model.Key: Int], byTab: [Model.Tab: Int])
                case ranked(Level, Grade, Ratio, Model.Own)
            }
            public enum Level: Int64, Codable, Sendable { case low = -3, middle, high = 100, top = 9223372036854775807 }
            public enum Grade: Character, Codable, Sendable { case only = "x" }
            public enum Ratio: Double, Codable, Sendable { case half = 0.5 }
            public enum Action: Relux.Action { case local }
            public struct Snapshot: Relux.SharedSnapshot {
                public var count: Int
                public init(count: Int) { self.count = count }
            }
            public enum Renamed: Relux.Effect {
                case a
                public static var wireTopic: Topic { "Demo.Old" }
            }
        }
        """

    private static let orchestration = """
        import DemoReluxInt
        import DemoModels
        import ReluxPlugin
        public import Relux
        import ReluxWire
        public enum DemoOrchestration {
            public enum Effect: Relux.Effect { case begin(tab: Tab) }
            /// Named as the demo names another one.
            public enum Tab: String, Codable, Sendable { case four }
        }
        """ + entry("DemoOrchestration", kind: "orchestrator", emits: "Demo.Business.Effect.self")

    private static let implementation = """
        import DemoReluxInt
        import DemoModels
        import Relux
        import ReluxPlugin
        import ReluxWire
        """ + entry("Demo", version: "1.2.0", handles: "Demo.Business.Effect.self", emits: "Demo.Business.Effect.self")

    private static let orchestrator = """
        import DemoKit
        import Relux
        import ReluxPlugin
        import ReluxWire
        """ + entry("SkyOrchestration", kind: "orchestrator", handles: "Demo.Business.Effect.self")

    /// A module that does nothing, the entry that exports it, and a use of the demo's effects.
    private static func entry(_ id: String, version: String = "1.0.0", kind: String = "domain", handles: String = "", emits: String = "") -> String {
        """

        struct Module: Relux.Plugin {
            static let moduleID: ModuleID = "\(id)"
            static let version = "\(version)"
            static let kind = Relux.ModuleKind.\(kind)
            static var handles: [any Relux.Effect.Type]? { [\(handles)] }
            static var emits: [any Relux.Effect.Type]? { [\(emits)] }
            let states: [any Relux.AnyState] = []
            let sagas: [any Relux.Saga] = []
        }
        @c(relux_plugin_main) public func pluginMain() -> UnsafeMutableRawPointer { exportModule(Module.self) }
        public func used(_ effect: Demo.Business.Effect) -> Any.Type { type(of: effect) }
        """
    }
}
