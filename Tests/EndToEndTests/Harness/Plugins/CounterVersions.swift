import Foundation
import ReluxTestKit

/// Builds of Counter that really differ, packed beside those of ``DurablePlugins`` once per test process.
enum CounterVersions {
    struct Version: Sendable {
        let number: String
        /// The version of what its state stores, and the older ones that it can tell it in.
        var stored: UInt32 = 2
        var older: [UInt32] = []
        /// The version that it can read besides its own.
        var migrates: UInt32 = 1
        /// Done before the module is made.
        var broken = ""
    }

    static let first = "1.0.0"
    /// Another state in another shape; the way back is there.
    static let second = "2.0.0"
    /// Ends the process when it is made.
    static let crashing = "2.1.0"
    /// Can be made, and not with what the first or second has stored.
    static let unreadable = "2.2.0"
    /// Throws when it is made.
    static let throwing = "2.3.0"
    /// Takes over from the second one, with no way back.
    static let last = "3.0.0"
    /// Has lost a case of its interface.
    static let breaking = "4.0.0"

    /// A copy of the second one in which somebody has changed a byte of the library.
    static let tampered = "2.4.0"

    private static let later = [
        Version(number: second, older: [1]),
        Version(number: crashing, broken: "fatalError(\"this build never runs\")"),
        Version(number: unreadable, stored: 3, migrates: 0),
        Version(number: throwing, broken: "throw Relux.Failure(domain: \"counter\", code: \"broken\", message: \"not today\")"),
        Version(number: last, stored: 2),
    ]

    /// The packed directory of a version, as the cluster names it.
    static func directory(_ version: String, in cluster: Cluster) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(cluster.packed)/Counter")
        guard let name = names.first(where: { $0.hasPrefix("\(version)-") }) else { throw HarnessError("no Counter \(version) among \(names)") }
        return "\(cluster.packed)/Counter/\(name)"
    }

    /// A cluster with the first version, as ``DurablePlugins`` plays it.
    static func play(
        _ publishers: [String], hosts: [String: String] = [:], settings: [String] = DurablePlugins.quick, host: String? = nil,
        waitsUntilReady: Bool = true, _ story: (Cluster, Diary) async throws -> Void
    ) async throws {
        try await DurablePlugins.play(
            publishers, packed: try await shared(), hosts: hosts, settings: settings, host: host, waitsUntilReady: waitsUntilReady, story)
    }

    private static func shared() async throws -> String {
        try await folder.path { try await pack() }
    }

    private static let folder = SharedFolder()

    private static func pack() async throws -> String {
        let durable = try await DurablePlugins.shared()
        let directory = try SharedFolder.make("rxe-versions")
        let packed = directory + "/packed"
        try FileManager.default.copyItem(atPath: durable, toPath: packed)
        let current = "\(packed)/Counter/current"
        let first = try FileManager.default.destinationOfSymbolicLink(atPath: current)
        // The interface's library is the same file for all, so that they may share a process with the publishers.
        let workshop = try PluginWorkshop(in: directory + "/workshop", packed: packed)
        for name in ["libCounterReluxInt.so", "Modules/CounterReluxInt.swiftmodule"] {
            try FileManager.default.copyItem(atPath: "\(DurablePlugins.workshop(of: durable))/\(name)", toPath: "\(directory)/workshop/\(name)")
        }
        for version in later { try await pack(version, workshop) }
        let other = try PluginWorkshop(in: directory + "/breaking", packed: packed)
        let interface = try DurablePlugins.fixture("CounterInterface")
            .replacingOccurrences(of: "number: Int, pause: Int", with: "number: Int, pause: Int, urgency: Int")
        try await other.build("CounterReluxInt", ["Effect.swift": interface])
        try await pack(
            Version(number: breaking), other,
            rewriting: { $0.replacingOccurrences(of: "let number, let pause)", with: "let number, let pause, _)")
                .replacingOccurrences(of: "let number, _)", with: "let number, _, _)") })
        try FileManager.default.removeItem(atPath: current)
        try FileManager.default.createSymbolicLink(atPath: current, withDestinationPath: first)
        try tamper(in: "\(packed)/Counter")
        return packed
    }

    private static func tamper(in folder: String) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        guard let name = names.first(where: { $0.hasPrefix("\(second)-") }) else { throw HarnessError("no Counter \(second) among \(names)") }
        let copy = "\(folder)/\(tampered)-tampered"
        try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: copy)
        let library = copy + "/libCounterReluxImpl.so"
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: library)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: library))
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: URL(fileURLWithPath: library))
    }

    private static func pack(_ version: Version, _ workshop: PluginWorkshop, rewriting: (String) -> String = { $0 }) async throws {
        let text = try DurablePlugins.fixture("CounterNext")
            .replacingOccurrences(of: "VERSION", with: version.number)
            .replacingOccurrences(of: "STORED", with: "\(version.stored)")
            .replacingOccurrences(of: "OLDER", with: version.older.map { "\($0)" }.joined(separator: ", "))
            .replacingOccurrences(of: "MIGRATES", with: "\(version.migrates)")
            .replacingOccurrences(of: "BROKEN", with: version.broken)
        try await workshop.build(
            "CounterReluxImpl", linking: ["CounterReluxInt"],
            ["Diary.swift": try DurablePlugins.fixture("Diary"), "Module.swift": rewriting(text)])
        try await workshop.pack("CounterReluxImpl")
    }
}
