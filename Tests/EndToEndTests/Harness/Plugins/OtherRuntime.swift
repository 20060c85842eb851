import Foundation

/// Another build of libRelux.so: the core's sources with one declaration more, under the guard that `deploy/generate-guard`
/// writes for them, compiled target by target as SwiftPM does it.
///
/// SwiftPM itself would take minutes for it, as it first builds what else the package names.
struct OtherRuntime: Sendable {
    /// Holds `libRelux.so` and `Modules`.
    let directory: String
    /// The name of its guard.
    let guardSymbol: String

    /// In the order of their dependencies.
    private static let targets = ["ReluxWire", "Relux", "ReluxIoC", "ReluxPlugin"]

    static func build(in directory: String) async throws -> OtherRuntime {
        let files = FileManager.default
        for folder in ["Sources", "deploy", "Modules"] {
            try files.createDirectory(atPath: "\(directory)/\(folder)", withIntermediateDirectories: true)
        }
        for name in ["Package.swift", "deploy/generate-guard", "deploy/output"] + targets.map({ "Sources/\($0)" }) {
            try files.copyItem(atPath: "\(Built.repository)/\(name)", toPath: "\(directory)/\(name)")
        }
        try "enum OnlyInTheOtherBuild {}\n".write(
            toFile: "\(directory)/Sources/ReluxWire/OnlyInTheOtherBuild.swift", atomically: true, encoding: .utf8)
        let written = try await tool(["\(directory)/deploy/generate-guard"])
        for target in targets { try await compile(target, in: directory) }
        try await tool(
            ["swiftc", "-emit-library", "-o", "\(directory)/libRelux.so", "-Xlinker", "-soname", "-Xlinker", "libRelux.so"]
                + targets.map { "\(directory)/\($0).o" })
        return OtherRuntime(
            directory: directory, guardSymbol: written.stdout.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private static func compile(_ target: String, in directory: String) async throws {
        let folder = "\(directory)/Sources/\(target)"
        let sources = (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? [])
            .filter { $0.hasSuffix(".swift") }.sorted()
        let features = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
        try await tool(
            ["swiftc", "-c", "-wmo", "-Onone", "-parse-as-library", "-swift-version", "6", "-module-name", target,
             "-package-name", "relux_cluster", "-I", "\(directory)/Modules", "-emit-module", "-emit-module-path",
             "\(directory)/Modules/\(target).swiftmodule", "-o", "\(directory)/\(target).o"]
                + features.flatMap { ["-enable-upcoming-feature", $0] } + sources.map { "\(folder)/\($0)" })
    }

    @discardableResult
    private static func tool(_ arguments: [String]) async throws -> Outcome {
        let outcome = try await CLI.run("/usr/bin/env", arguments, environment: ProcessInfo.processInfo.environment, limit: .seconds(600))
        guard outcome.status == 0 else { throw HarnessError("\(outcome)") }
        return outcome
    }
}
