import Foundation
import ReluxTestKit

/// Builds and packs plugins out of sources that a story writes, beside this build and unknown to it.
///
/// The compiler is called as SwiftPM would call it for a package with a path dependency on the repository, against the modules and
/// the libRelux.so that the cluster runs; SwiftPM itself would first build all of the core again, and with it another runtime.
final class PluginWorkshop: Sendable {
    let directory: String
    /// Where the plugins are published.
    let packed: String
    private let environment: [String: String]

    convenience init(_ cluster: Cluster) throws {
        try self.init(in: cluster.directory + "/workshop", packed: cluster.packed, environment: cluster.cli.environment)
    }

    /// - Parameter environment: of `relux module pack`.
    init(in directory: String, packed: String, environment: [String: String] = ProcessInfo.processInfo.environment) throws {
        self.directory = directory
        self.packed = packed
        self.environment = environment
        let modules = directory + "/Modules"
        try FileManager.default.createDirectory(atPath: modules, withIntermediateDirectories: true)
        // `relux module pack` looks for interfaces beside the library: the new ones and those of the build.
        for name in try FileManager.default.contentsOfDirectory(atPath: Built.path("Modules")) where name.hasSuffix(".swiftmodule") {
            try FileManager.default.createSymbolicLink(
                atPath: "\(modules)/\(name)", withDestinationPath: "\(Built.path("Modules"))/\(name)")
        }
        // The module that the fixtures' diaries are kept with; a module map in a folder of its name is found beside the modules.
        try FileManager.default.createSymbolicLink(
            atPath: "\(modules)/CSQLite", withDestinationPath: "\(Built.repository)/Tests/Support/CSQLite")
    }

    /// Writes the sources, by file name, and makes `lib<Module>.so` of them.
    func build(_ module: String, linking libraries: [String] = [], _ sources: [String: String]) async throws {
        let folder = "\(directory)/Sources/\(module)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, text) in sources { try text.write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8) }
        for library in libraries where !FileManager.default.fileExists(atPath: "\(directory)/lib\(library).so") {
            // The packer takes regular files only.
            try FileManager.default.copyItem(atPath: Built.path("lib\(library).so"), toPath: "\(directory)/lib\(library).so")
        }
        let outcome = try await CLI.run(
            "/usr/bin/env",
            [
                "swiftc", "-emit-library", "-emit-module", "-parse-as-library", "-Onone", "-g", "-swift-version", "6",
                "-module-name", module, "-emit-module-path", "\(directory)/Modules/\(module).swiftmodule",
                "-I", "\(directory)/Modules", "-L", directory, "-L", Built.directory, "-o", "\(directory)/lib\(module).so",
                "-Xlinker", "-soname", "-Xlinker", "lib\(module).so", "-Xlinker", "-rpath", "-Xlinker", "$ORIGIN",
                "-Xlinker", "--as-needed", "-lRelux",
            ] + libraries.map { "-l\($0)" } + sources.keys.sorted().map { "\(folder)/\($0)" },
            environment: ProcessInfo.processInfo.environment, limit: .seconds(600))
        guard outcome.status == 0 else { throw HarnessError("\(module) was not built\n\(outcome)") }
    }

    /// `relux module pack`.
    func pack(_ library: String) async throws {
        let outcome = try await CLI.run(
            Built.path("relux"), ["module", "pack", "\(directory)/lib\(library).so", "--out", packed], environment: environment)
        guard outcome.status == 0 else { throw HarnessError("\(library) was not packed\n\(outcome)") }
    }
}
