import Foundation
import ReluxTestKit

/// The reports of a cluster's start, written down by a plugin; a second one contributes an action that can be held. Both are built and
/// packed once per test process.
struct Witness: Sendable {
    let path: String

    /// Plays a story in a cluster of all plugins, the orchestrator of the start and the witness.
    static func play(
        environment: [String: String] = [:], settings: [String] = [], waitsUntilReady: Bool = true,
        _ story: (Cluster, Witness) async throws -> Void
    ) async throws {
        try await Cluster.play(
            modules: Placement.modules + ["StartupOrchestration", "Stepper", "Witness"], packed: try await shared(),
            environment: environment.merging(["E2E_WITNESS": "@/witness"]) { $1 }, settings: settings, waitsUntilReady: waitsUntilReady
        ) { try await story($0, Witness(path: $0.directory + "/witness")) }
    }

    var lines: [String] { lines(of: "") }

    /// The end of another file's name that the plugins write: `.looks` for a monitor's actions, `.seen` for an observed progress.
    func lines(of suffix: String) -> [String] {
        ((try? String(contentsOfFile: path + suffix, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    /// All lines, once one of them is as wanted.
    @discardableResult
    func wait(for what: String, of suffix: String = "", until isWanted: @escaping @Sendable (String) -> Bool) async throws -> [String] {
        try await wait(for: what, of: suffix) { $0.contains(where: isWanted) }
    }

    /// The same of all lines together.
    @discardableResult
    func wait(for what: String, of suffix: String = "", when isWanted: @escaping @Sendable ([String]) -> Bool) async throws -> [String] {
        try await offPool {
            try poll(for: what, watching: [URL(fileURLWithPath: path).deletingLastPathComponent().path], last: { "\(lines(of: suffix))" }) {
                let lines = lines(of: suffix)
                return isWanted(lines) ? lines : nil
            }
        }
    }

    /// Holds the stepper's gate (`.gate`) or its action (`.step`), or makes the witness's wait due (`.wait`), until ``release(_:)``.
    func hold(_ suffix: String) throws { try "".write(toFile: path + suffix, atomically: false, encoding: .utf8) }
    func release(_ suffix: String) throws { try FileManager.default.removeItem(atPath: path + suffix) }

    // MARK: Packing

    private static let folder = SharedFolder()

    static func shared() async throws -> String {
        try await folder.path { try await pack() }
    }

    private static func pack() async throws -> String {
        let others = try await PackedPlugins.shared()
        let directory = try SharedFolder.make("rxe-witness")
        let packed = directory + "/packed"
        let workshop = try PluginWorkshop(in: directory + "/workshop", packed: packed)
        for name in ["Stepper", "Witness"] {
            let fixture = "\(Built.repository)/Tests/EndToEndTests/Fixtures/\(name).swift.txt"
            try await workshop.build("\(name)ReluxImpl", ["Module.swift": try String(contentsOfFile: fixture, encoding: .utf8)])
            try await workshop.pack("\(name)ReluxImpl")
        }
        for module in try FileManager.default.contentsOfDirectory(atPath: others) where !module.hasPrefix(".") {
            try FileManager.default.createSymbolicLink(atPath: "\(packed)/\(module)", withDestinationPath: "\(others)/\(module)")
        }
        return packed
    }
}
