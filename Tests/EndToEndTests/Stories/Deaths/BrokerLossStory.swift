import Foundation
import Glibc
import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct BrokerLoss {
        @Test func `while the broker is gone awaits between modules go on, and it returns with members and epochs`() async throws {
            try await Cluster.play { cluster in
                let progress = try await Self.startPump(in: cluster)
                // Beside an await after the other, so with little in flight: each of these makes some twenty effects.
                let load = Load(on: cluster, try Load.mixed(), window: 4, seed: 71)
                try await load.answers(100)
                try await Self.settles(100, progress)
                let before = try await cluster.client.status()

                // A supervisor that stands still starts no other one for now.
                kill(before.supervisorPid, SIGSTOP)
                kill(before.brokerPid, SIGKILL)
                try await Self.settles(500, progress)
                #expect(!ProcessTable.isAlive(before.brokerPid))
                kill(before.supervisorPid, SIGCONT)

                let after = try await cluster.client.status(when: "another broker with all modules") { status in
                    status.brokerPid != before.brokerPid && status.phase == .open
                        && status.modules.allSatisfy { $0.state.phase == .ready }
                }
                #expect(after.modules.map(\.id) == before.modules.map(\.id))
                #expect(after.modules.map(\.epoch) == before.modules.map(\.epoch))
                #expect(after.modules.map(\.pid) == before.modules.map(\.pid))
                #expect(after.modules.map(\.restarts) == before.modules.map(\.restarts))
                #expect(
                    after.picture.members.filter { $0.module != "Cluster" }
                        == before.picture.members.filter { $0.module != "Cluster" })
                try await load.answers(200)
                try await Self.settles(100, progress)
                let tally = try await load.stop()
                #expect(tally.failure.isEmpty && tally.hung.isEmpty && tally.answered == tally.sent, "\(tally)")
                #expect(!tally.outcomes.keys.contains { $0.hasSuffix(":lost") || $0.hasSuffix(":unanswered") }, "\(tally)")
                #expect(!FileManager.default.fileExists(atPath: progress + ".failed"))
            }
        }

        @Test func `a broker that is killed again and again under load loses no module`() async throws {
            try await Cluster.play { cluster in
                let load = Load(on: cluster, try Load.mixed(), seed: 72)
                var last = try await cluster.client.status()
                let first = last
                for _ in 0..<4 {
                    try await load.answers(50)
                    kill(last.brokerPid, SIGKILL)
                    let dead = last.brokerPid
                    last = try await cluster.client.status(when: "another broker") { $0.brokerPid != dead }
                }
                let tally = try await load.stop()
                #expect(tally.failure.isEmpty && tally.hung.isEmpty && tally.answered == tally.sent, "\(tally)")
                let after = try await cluster.client.status()
                #expect(after.modules.map(\.epoch) == first.modules.map(\.epoch))
                #expect(after.modules.map(\.pid) == first.modules.map(\.pid))
                #expect(after.modules.allSatisfy { $0.state.phase == .ready })
            }
        }

        @Test func `hosts with nothing to say are known to the next broker as well`() async throws {
            try await Cluster.play { cluster in
                let load = Load(on: cluster, [try Load.mixed()[0]], publishers: 1, seed: 73)
                try await load.answers(50)
                let before = try await cluster.client.status()
                kill(before.brokerPid, SIGKILL)
                _ = try await cluster.client.status(when: "all hosts to be known again") { status in
                    // Only a host that has spoken since can be asked for the modules of another life.
                    status.brokerPid != before.brokerPid && status.modules.allSatisfy { $0.state.phase == .ready }
                }
                for module in before.modules {
                    let lines = try await cluster.cli("module", "why-not", module.id.rawValue)
                    #expect(!lines.stdout.contains("has not come back"), "\(lines)")
                }
                #expect(try await load.stop().hung.isEmpty)
            }
        }

        /// An orchestrator of its own that awaits Notes without a pause; returns the file with its progress.
        static func startPump(in cluster: Cluster) async throws -> String {
            let forge = Forge(for: cluster)
            let library = try await forge.swift("Pump", as: "PumpOrchestration", interfaces: ["NotesReluxInt", "NotesModels"])
            let packed = try forge.pack(
                [library, Built.path("libNotesReluxInt.so"), Built.path("libNotesModels.so")],
                ModuleDeclaration(
                    id: "PumpOrchestration", version: "1.0.0", kind: .orchestrator, handles: ["PumpOrchestration.Effect"],
                    emits: ["Notes.Business.Effect"]))
            let outcome = try await cluster.cli("module", "load", packed)
            guard outcome.status == 0 else { throw HarnessError("the pump was not loaded\n\(outcome)") }
            try await cluster.client.module("PumpOrchestration", is: .ready)
            let progress = cluster.directory + "/progress"
            let start = Load(
                on: cluster, [try .init(topic: "PumpOrchestration.Effect", payload: ["run": ["progress": progress]])],
                publishers: 1, window: 1, seed: 0,
                // Every await below inherits what is left of it.
                deadline: .seconds(600), limit: 1)
            try await settles(1, progress)
            start.abandon()
            return progress
        }

        /// Returns when the pump has had this number of further effects settled.
        static func settles(_ count: Int, _ progress: String) async throws {
            @Sendable func done() -> Int { (try? String(contentsOfFile: progress, encoding: .utf8)).flatMap { Int($0) } ?? 0 }
            let wanted = done() + count
            let folder = URL(fileURLWithPath: progress).deletingLastPathComponent().path
            try await offPool {
                try poll(for: "\(count) more effects to be settled", watching: [folder], last: { "\(done())" }) {
                    if let failure = try? String(contentsOfFile: progress + ".failed", encoding: .utf8) { throw HarnessError(failure) }
                    return done() >= wanted ? true : nil
                }
            }
        }
    }
}
