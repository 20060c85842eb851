import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Refusals {
        @Test func `what a module says and nobody gets is in status, log, doctor, tap, trace and audit, also after a kill`() async throws {
            try await Cluster.play { cluster in
                let (cli, client) = (cluster.cli, cluster.client)
                let workshop = try PluginWorkshop(cluster)
                let fixture = "\(Built.repository)/Tests/EndToEndTests/Fixtures/Forgetful.swift.txt"
                try await workshop.build("ForgetfulOrchestration", ["Forgetful.swift": try String(contentsOfFile: fixture, encoding: .utf8)])
                try await workshop.pack("ForgetfulOrchestration")
                let loaded = try await cli("module", "load", "ForgetfulOrchestration")
                #expect(loaded.status == 0, "\(loaded)")
                let before = try await client.module("ForgetfulOrchestration", is: .ready)

                let sent = try await cli("effect", "send", "ForgetfulOrchestration.Effect.run", "--trace")
                #expect(sent.status == 0, "\(sent)")
                #expect(sent.stdout.contains("└─ ✗ ForgetfulOrchestration.Told.told  ForgetfulOrchestration"), "\(sent)")
                #expect(sent.stdout.contains("refused undeclared  Forgetful.swift:"), "\(sent)")
                _ = try await cli("effect", "send", "ForgetfulOrchestration.Effect.stray")
                let counted = try await client.status(when: "both refusals") { status in
                    status.modules.contains { $0.id == "ForgetfulOrchestration" && $0.counters.refused == 2 }
                }
                let refusals = counted.modules.first { $0.id == "ForgetfulOrchestration" }?.counters.refusals ?? []
                #expect(Set(refusals.map(\.reason)) == ["undeclared", "noNode"], "\(refusals)")
                #expect(refusals.allSatisfy { $0.site.hasPrefix("ForgetfulOrchestration/Forgetful.swift:") }, "\(refusals)")

                let shown = try await cli("module", "show", "ForgetfulOrchestration")
                #expect(shown.stdout.contains("undeclared  ForgetfulOrchestration.Told.told  at ForgetfulOrchestration/Forgetful.swift:"), "\(shown)")
                let doctor = try await cli("doctor")
                #expect(doctor.stdout.contains("ForgetfulOrchestration: ForgetfulOrchestration.Told.told was refused 1 time (undeclared)"), "\(doctor)")
                let log = try await cli("logs", "ForgetfulOrchestration")
                #expect(
                    log.stdout.contains("ForgetfulOrchestration: ForgetfulOrchestration.Told.told was not accepted (undeclared) at ForgetfulOrchestration/Forgetful.swift:"),
                    "\(log)")
                try await stated("never accepted 2 (noNode 1, undeclared 1)", cli)

                // The books outlive the process.
                Glibc.kill(before.pid, SIGKILL)
                _ = try await client.status(when: "a new life of it") { status in
                    status.modules.contains { $0.id == "ForgetfulOrchestration" && $0.epoch > before.epoch && $0.state.phase == .ready }
                }
                try await stated("never accepted 2 (noNode 1, undeclared 1)", cli)
            }
        }

        private func stated(_ line: String, _ cli: CLI) async throws {
            let audit = try await cli("audit")
            #expect(audit.status == 0 && audit.stdout.contains(line) && audit.stdout.contains("BALANCED"), "\(audit)")
        }
    }
}
