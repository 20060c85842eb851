import Foundation

/// The orchestrators of a pipeline and of a monitor in one process, with the stepper and the witness, who contribute to both, in two others. Built
/// and packed once per test process.
enum Runners {
    static let later = "1.1.0"

    /// Plays a story in a cluster of these four.
    static func play(_ story: (Cluster, Witness) async throws -> Void) async throws {
        try await Cluster.play(
            modules: ["Stepper", "Witness", "Pipes", "Watch"], packed: try await shared(), hosts: ["Pipes": "runners", "Watch": "runners"],
            environment: ["E2E_WITNESS": "@/witness"]
        ) { try await story($0, Witness(path: $0.directory + "/witness")) }
    }

    /// The packed directory of the pipeline's later version.
    static func laterPipes(_ cluster: Cluster) throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(cluster.packed)/Pipes")
        guard let name = names.first(where: { $0.hasPrefix("\(later)-") }) else { throw HarnessError("no Pipes \(later) among \(names)") }
        return "\(cluster.packed)/Pipes/\(name)"
    }

    private static let folder = SharedFolder()

    private static func shared() async throws -> String {
        try await folder.path { try await pack() }
    }

    private static func pack() async throws -> String {
        let others = try await Witness.shared()
        let directory = try SharedFolder.make("rxe-runners")
        let packed = directory + "/packed"
        let workshop = try PluginWorkshop(in: directory + "/workshop", packed: packed)
        let fixture = try String(contentsOfFile: "\(Built.repository)/Tests/EndToEndTests/Fixtures/Runner.swift.txt", encoding: .utf8)
        // A machine that is busy must not make the answers of others late.
        let patient = "OrchestratorSettings(gateLimit: .seconds(60))"
        // The one that is packed last is what the configuration means.
        for (name, version, orchestrator) in [
            ("Pipes", later, "PipelineOrchestrator(\(patient))"), ("Pipes", "1.0.0", "PipelineOrchestrator(\(patient))"),
            ("Watch", "1.0.0", "MonitorOrchestrator(interval: .milliseconds(10), \(patient))"),
        ] {
            let text = fixture.replacingOccurrences(of: "NAME", with: name).replacingOccurrences(of: "VERSION", with: version)
                .replacingOccurrences(of: "ORCHESTRATOR", with: orchestrator)
            try await workshop.build("\(name)ReluxImpl", ["Module.swift": text])
            try await workshop.pack("\(name)ReluxImpl")
        }
        for module in ["Stepper", "Witness"] {
            try FileManager.default.createSymbolicLink(atPath: "\(packed)/\(module)", withDestinationPath: "\(others)/\(module)")
        }
        return packed
    }
}
