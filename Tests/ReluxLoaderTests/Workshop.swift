import Foundation
import Relux
import ReluxLoader
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

/// A temporary folder in which a test builds real libraries and packs them by hand.
final class Workshop: Sendable {
    struct Failure: Error { let message: String }

    private let directory = TemporaryDirectory(isMade: true)
    var folder: String { directory.path }

    /// Where SwiftPM has put libRelux.so and the modules of this run.
    static let buildFolder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    static func run(_ arguments: String...) throws { try run(arguments) }

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
        guard process.terminationStatus == 0 else {
            throw Failure(message: "\(arguments.joined(separator: " "))\n\(text)")
        }
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Compiles C to a small shared library; `needs` become its needed entries by bare name.
    @discardableResult
    func library(
        _ name: String, _ source: String = plainEntry(), needs: [String] = [], in subfolder: String = "built",
        flags: [String] = []
    ) throws -> String {
        try FileManager.default.createDirectory(atPath: path(subfolder), withIntermediateDirectories: true)
        let output = path("\(subfolder)/\(name)")
        let file = path("\(UUID().uuidString).c")
        try source.write(toFile: file, atomically: true, encoding: .utf8)
        var links: [String] = []
        for needed in needs {
            let stub = path("stubs/\(needed)")
            if !FileManager.default.fileExists(atPath: stub) {
                try FileManager.default.createDirectory(atPath: path("stubs"), withIntermediateDirectories: true)
                let empty = path("\(UUID().uuidString).c")
                try "".write(toFile: empty, atomically: true, encoding: .utf8)
                try Self.run("cc", "-shared", "-nostdlib", "-Wl,-soname,\(needed)", "-o", stub, empty)
            }
            links.append(stub)
        }
        try Self.run(
            ["cc", "-shared", "-fPIC", "-nostdlib", "-Wl,-z,noseparate-code", "-Wl,--no-as-needed", "-o", output, file]
                + links + flags)
        return output
    }

    /// An entry point in C that refers to a guard; it looks like a plugin until it is run.
    static func plainEntry(guard symbol: String = reluxRuntimeGuard) -> String {
        "extern int \(symbol)(void); void *relux_plugin_main(void) { \(symbol)(); return 0; }"
    }

    static func plainEntry() -> String { plainEntry(guard: reluxRuntimeGuard) }

    static func declaration(
        _ id: ModuleID = "Demo", _ kind: ModuleDeclaration.Kind = .domain
    ) -> ModuleDeclaration {
        ModuleDeclaration(id: id, version: "1.0.0", kind: kind, handles: ["Demo.Business.Effect"], emits: [])
    }

    /// Copies libraries into a plugin directory and writes an honest manifest.
    func pack(
        _ libraries: [String], as name: String = "packed", declaration: ModuleDeclaration = Workshop.declaration()
    ) throws -> String {
        let directory = path(name)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        var files: [PluginManifest.File] = []
        for library in libraries {
            let file = URL(fileURLWithPath: library).lastPathComponent
            try FileManager.default.copyItem(atPath: library, toPath: "\(directory)/\(file)")
            let bytes = try readFile(library)
            files.append(.init(name: file, size: UInt64(bytes.count), sha256: sha256(bytes)))
        }
        try write(
            PluginManifest(
                module: declaration, library: files[0].name, files: files, runtimeGuard: reluxRuntimeGuard,
                compiler: "Swift", target: "x86_64-unknown-linux-gnu", imports: [], contract: Contract()),
            to: directory)
        return directory
    }

    func write(_ manifest: PluginManifest, to directory: String) throws {
        try JSONEncoder().encode(manifest).write(to: URL(fileURLWithPath: "\(directory)/manifest.json"))
    }

    func manifest(of directory: String) throws -> PluginManifest {
        try JSONDecoder().decode(PluginManifest.self, from: Data(try readFile("\(directory)/manifest.json")))
    }

    static func verifier(kinds: [String: ModuleDeclaration.Kind] = [:]) -> PluginVerifier { PluginVerifier(kinds: kinds) }
}

/// The code of the refusal that `body` ends in; records an issue when it does not refuse.
func refusal(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) throws -> LoaderError.Code? {
    do {
        let value = try body()
        Issue.record("it was accepted: \(value)", sourceLocation: sourceLocation)
        return nil
    } catch let error as LoaderError {
        #expect(!error.offender.isEmpty && !error.message.isEmpty && !error.remedy.isEmpty)
        return error.code
    }
}
