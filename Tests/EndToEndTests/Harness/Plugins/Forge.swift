import Foundation
import Relux
import ReluxLoader
import ReluxPlugin
import ReluxTestKit
import ReluxWire

/// Builds plugins outside of the build, from Swift or C, and packs them by hand: the manifest's hashes are always right.
struct Forge: Sendable {
    private let directory: String
    /// Beside the cluster's own plugins, where the layering rules find who is what.
    private let packed: String
    private let version: String

    /// - Parameter version: one for each content, for a packed version never changes.
    init(for cluster: Cluster, version: String = "forged") {
        directory = "\(cluster.directory)/forge/\(version)"
        packed = cluster.packed
        self.version = version
    }

    /// A Swift source of `Fixtures` as a library; `interfaces` are linked by name (`NotesReluxInt`).
    ///
    /// - Parameters:
    ///   - runtime: the build of libRelux.so to compile and link against; nil is this one.
    ///   - c: C source that goes into the library too.
    func swift(
        _ source: String, as library: String, interfaces: [String] = [], against runtime: OtherRuntime? = nil, c: String? = nil
    ) async throws -> String {
        let build = runtime?.directory ?? Built.directory
        let output = try path("swift/lib\(library).so")
        var objects: [String] = []
        if let c {
            let file = try path("swift/\(library).c")
            try c.write(toFile: file, atomically: true, encoding: .utf8)
            objects = [file + ".o"]
            try await tool(["cc", "-c", "-fPIC", "-o", objects[0], file])
        }
        let fixture = "\(Built.repository)/Tests/EndToEndTests/Fixtures/\(source).swift.txt"
        let copy = try path("swift/\(source).swift")
        try? FileManager.default.removeItem(atPath: copy)
        try FileManager.default.copyItem(atPath: fixture, toPath: copy)
        try await tool(
            ["swiftc", "-swift-version", "6", "-emit-library", "-module-name", library, "-I", "\(build)/Modules",
             "-L", build, "-lRelux", "-Xlinker", "-soname", "-Xlinker", "lib\(library).so",
             "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN", "-o", output, copy]
                + objects + interfaces.map { "-l\($0)" })
        return output
    }

    /// C source as a library; `needs` become its needed entries by bare name.
    func c(_ source: String, as name: String, in folder: String, needs: [String] = []) async throws -> String {
        let output = try path("\(folder)/\(name)")
        let file = try path("\(folder)/\(name).c")
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        var links: [String] = []
        for needed in needs {
            let stub = try path("\(folder)/stubs/\(needed)")
            try "".write(toFile: stub + ".c", atomically: true, encoding: .utf8)
            try await tool(["cc", "-shared", "-nostdlib", "-Wl,-soname,\(needed)", "-o", stub, stub + ".c"])
            links.append(stub)
        }
        try await tool(["cc", "-shared", "-fPIC", "-Wl,--no-as-needed", "-o", output, file] + links)
        return output
    }

    /// A packed version, `<module>/1.0.0-<version>`; the first library is the entry.
    func pack(_ libraries: [String], _ declaration: ModuleDeclaration) throws -> String {
        let folder = "\(packed)/\(declaration.id)/1.0.0-\(version)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var files: [PluginManifest.File] = []
        for library in libraries {
            let name = URL(fileURLWithPath: library).lastPathComponent
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: library)))
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
            files.append(.init(name: name, size: UInt64(bytes.count), sha256: sha256(bytes)))
        }
        let manifest = PluginManifest(
            module: declaration, library: files[0].name, files: files, runtimeGuard: reluxRuntimeGuard, compiler: "forged",
            target: "forged", imports: [], contract: Contract())
        try JSONEncoder().encode(manifest).write(to: URL(fileURLWithPath: "\(folder)/\(PluginManifest.fileName)"))
        return folder
    }

    /// A path below the forge's folder, whose own folder is made.
    func path(_ name: String) throws -> String {
        let path = "\(directory)/\(name)"
        try FileManager.default.createDirectory(
            atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
        return path
    }

    private func tool(_ arguments: [String]) async throws {
        let outcome = try await CLI.run("/usr/bin/env", arguments, environment: ProcessInfo.processInfo.environment)
        guard outcome.status == 0 else { throw HarnessError("\(outcome)") }
    }
}

/// The module of `Fixtures/Probe.swift.txt`, which does on demand what no module should.
enum Probe {
    static let declaration = ModuleDeclaration(
        id: "Probe", version: "1.0.0", kind: .domain, handles: ["Probe.Business.Effect"], emits: ["Probe.Business.Effect"])

    static func load(into cluster: Cluster) async throws {
        let forge = Forge(for: cluster)
        let packed = try forge.pack([try await forge.swift("Probe", as: "ProbeReluxImpl")], declaration)
        let outcome = try await cluster.cli("module", "load", packed)
        guard outcome.status == 0 else { throw HarnessError("the probe was not loaded\n\(outcome)") }
    }
}

/// The module of `Fixtures/Poison.swift.txt`: one payload ends its process.
enum Poison {
    static let topic: Topic = "Poison.Business.Effect"
    static let declaration = ModuleDeclaration(
        id: "Poison", version: "1.0.0", kind: .domain, handles: [topic], emits: [topic])

    static func load(into cluster: Cluster) async throws {
        let forge = Forge(for: cluster)
        let packed = try forge.pack([try await forge.swift("Poison", as: "PoisonReluxImpl")], declaration)
        let outcome = try await cluster.cli("module", "load", packed)
        guard outcome.status == 0 else { throw HarnessError("Poison was not loaded\n\(outcome)") }
    }

    /// Two modules in one host: the poisoned one, and one that only lingers.
    static func loadBesideBystander(into cluster: Cluster) async throws {
        let forge = Forge(for: cluster)
        let bystander = ModuleDeclaration(
            id: "Bystander", version: "1.0.0", kind: .domain, handles: [bystanderTopic], emits: [])
        for packed in [
            try forge.pack([try await forge.swift("Poison", as: "PoisonReluxImpl")], declaration),
            try forge.pack([try await forge.swift("Bystander", as: "BystanderReluxImpl")], bystander),
        ] {
            let outcome = try await cluster.cli("module", "load", packed, "--host", "pair")
            guard outcome.status == 0 else { throw HarnessError("\(packed) was not loaded\n\(outcome)") }
        }
    }

    static let bystanderTopic: Topic = "Bystander.Business.Effect"
    static func drink(_ text: String) throws -> Load.Kind { try .init(topic: topic, payload: ["drink": ["text": text]]) }
    static func linger() throws -> Load.Kind { try .init(topic: topic, case: "linger") }
}
