import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

/// Recipients that are known to be absent: what is sent is answered without them, and kept for them.
extension EndToEnd {
    @Suite struct Absent {
        private static let absent = "DataOrchestration"
        private static let why = "imports SyncReluxInt, which no module provides; load Sync"

        @Test(arguments: [Placement.ownHosts, .sharedDomains])
        func `a module that waits for another which nobody loads holds nobody up, and handles what was kept when that is loaded`(
            _ placement: Placement
        ) async throws {
            try await Cluster.play(placement) { cluster in
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                for module in [Self.absent, "Sync"] {
                    let unloaded = try await cluster.cli("module", "unload", module, "--yes")
                    #expect(unloaded.status == 0, "\(unloaded)")
                }
                _ = try await cluster.cli("module", "load", Self.absent, "--timeout", "500ms")
                let waiting = try await cluster.client.module(Self.absent, is: .waiting)
                let root = try await register("bob", in: cluster, why: Self.why)

                // The kept effects are handled by the very life that waited.
                let loaded = try await cluster.cli("module", "load", "Sync")
                #expect(loaded.status == 0, "\(loaded)")
                let ready = try await cluster.client.module(Self.absent, is: .ready)
                #expect(ready.epoch == waiting.epoch && ready.pid == waiting.pid)
                let synced = try await tap.effect("synced") { $0.caseName == "synced" && $0.root == root }
                #expect(synced.module == "Notes")
                try await balance(cluster)
                try await tap.end()
            }
        }

        @Test func `a module for which effects wait is taken out only after a yes, and who does it reads how many are lost`() async throws {
            try await Cluster.play { cluster in
                for module in [Self.absent, "Sync"] { #expect(try await cluster.cli("module", "unload", module, "--yes").status == 0) }
                _ = try await cluster.cli("module", "load", Self.absent, "--timeout", "500ms")
                try await cluster.client.module(Self.absent, is: .waiting)
                for _ in 0..<2 { #expect(try await cluster.cli("effect", "send", "Notes.Business.Effect.close").status == 0) }
                let lost = "2 effects that wait for \(Self.absent) (2 Cluster Notes.Business.Effect)"
                for command in ["unload", "evict"] {
                    let unasked = try await cluster.cli("module", command, Self.absent)
                    #expect(unasked.status == 2 && unasked.stderr.contains(lost) && unasked.stderr.contains("say --yes"), "\(unasked)")
                }
                try await cluster.client.module(Self.absent, is: .waiting)
                let done = try await cluster.cli("module", "unload", Self.absent, "--yes")
                #expect(done.status == 0 && done.stdout.contains("2 effects were lost with it so far; all of them: relux audit"), "\(done)")
                let audit = try await cluster.cli("audit")
                #expect(audit.status == 0 && audit.stdout.contains("lost 2  BALANCED"), "\(audit)")
            }
        }

        @Test func `a module that the file names without one that it needs holds nobody up from the start on`() async throws {
            try await Cluster.play(modules: Placement.modules.filter { $0 != "Sync" }, waitsUntilReady: false) { cluster in
                // The start does not wait for it either.
                let up = try await cluster.cli("up", "--timeout", "1h")
                #expect(up.status == 1 && up.stderr.contains("\(Self.absent): it is waiting: \(Self.why)"), "\(up)")
                try await cluster.client.module(Self.absent, is: .waiting)
                _ = try await cluster.client.status(when: "an open ingress") { $0.phase == .open }
                _ = try await register("bob", in: cluster, why: Self.why)

                // For people: with the tree, and at their wish with everybody.
                let search = ["effect", "send", "Notes.Business.Effect.close"]
                let traced = try await cluster.cli.relux(search + ["--trace"])
                #expect(traced.status == 0, "\(traced)")
                #expect(traced.stdout.contains("  \(Self.absent)  parked  \(Self.why); the effect is kept until \(Self.absent) is back\n"), "\(traced)")
                #expect(traced.stdout.contains("‖ \(Self.absent) parked"), "\(traced)")
                let patient = try await cluster.cli.relux(search + ["--everyone", "--deadline", "300ms", "--json"])
                #expect(patient.status == 5, "\(patient)")
                let outcomes = (try patient.json()["outcomes"] ?? .null).elements
                let silent = outcomes.filter { $0["status"]?.text == "unanswered" }
                #expect(silent.compactMap { $0["recipient"]?.text } == [Self.absent] && silent[0]["message"]?.text?.contains(Self.why) == true, "\(patient)")
            }
        }

        @Test func `a quarantined module holds nobody up, and handles what was kept when it is started again`() async throws {
            try await Cluster.play(settings: ["supervisor:", "  intensity: 1", "  backoff:", "    base: 10ms", "    cap: 50ms"]) { cluster in
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                var dead: Set<Int32> = []
                for _ in 1...2 {
                    let status = try await cluster.client.status(when: "another life") { [dead] status in
                        status.modules.contains { $0.id.rawValue == Self.absent && $0.state.phase == .ready && !dead.contains($0.pid) }
                    }
                    let pid = try #require(status.modules.first { $0.id.rawValue == Self.absent }).pid
                    dead.insert(pid)
                    kill(pid, SIGKILL)
                }
                try await cluster.client.module(Self.absent, is: .quarantined)
                let root = try await register("eve", in: cluster, why: "it is quarantined")
                let restarted = try await cluster.cli("module", "restart", Self.absent)
                #expect(restarted.status == 0, "\(restarted)")
                _ = try await tap.effect("synced") { $0.caseName == "synced" && $0.root == root }
                try await balance(cluster)
                try await tap.end()
            }
        }

        @Test func `a member that is refused at the next start keeps the barrier shut with its reason, and whoever asks is told at once`() async throws {
            try await Cluster.play(modules: Placement.modules + ["StartupOrchestration"]) { cluster in
                try await cluster.end()
                let folder = "\(cluster.packed)/Settings"
                let shared = try FileManager.default.destinationOfSymbolicLink(atPath: folder)
                try FileManager.default.removeItem(atPath: folder)
                try FileManager.default.copyItem(atPath: shared, toPath: folder)
                let library = "\(folder)/current/libSettingsReluxImpl.so"
                var bytes = try Data(contentsOf: URL(fileURLWithPath: library))
                bytes[bytes.endIndex - 1] ^= 1
                try bytes.write(to: URL(fileURLWithPath: library))

                let up = try await cluster.cli("up", "--timeout", "1h")
                #expect(up.status != 0 && up.stderr.contains("Settings: refused: loader.hash"), "\(up)")
                let text = "Settings has not said what it contributes and is absent: it is refused"
                _ = try await cluster.client.status(when: "the barrier to name Settings as absent") { status in
                    status.barriers.contains { $0.isStuck && $0.text.contains(text) && $0.text.contains("relux module unload Settings") }
                }
                let user = try await cluster.cli("effect", "send", "Notes.Business.Effect.list")
                #expect(user.status != 0 && user.stderr.contains(text), "\(user)")
            }
        }

        /// Registers and logs in; who is absent hears of both, itself and through Auth, which awaits what it tells. Returns the effect's id.
        private func register(_ name: String, in cluster: Cluster, why: String) async throws -> String {
            let sent = try await cluster.cli(
                "effect", "send", "Auth.Business.Effect.register", #"{"name": "\#(name)"}"#, "--secret", "password", "--json",
                input: "Vermeer-1665\n")
            #expect(sent.status == 0, "\(sent)")
            let result = try sent.json()
            #expect(result["succeeded"] == .bool(true), "\(sent)")
            let outcomes = Dictionary(
                uniqueKeysWithValues: (result["outcomes"] ?? .null).elements.map { ($0["recipient"]?.text ?? "", $0) })
            #expect(outcomes["Auth"]?["status"]?.text == "succeeded" && outcomes["Auth"]?["value"]?.text != nil, "\(sent)")
            #expect(outcomes[Self.absent]?["status"]?.text == "parked", "\(sent)")
            let message = outcomes[Self.absent]?["message"]?.text ?? ""
            #expect(message.contains(why) && message.contains("kept until \(Self.absent) is back"), "\(sent)")
            return try #require(result["id"]?.text)
        }

        /// Nothing that was kept is missing, and nothing is kept any more.
        private func balance(_ cluster: Cluster) async throws {
            var audit = try await cluster.cli("audit", "--json")
            let clock = ContinuousClock()
            let end = clock.now + watchdog
            while try audit.json()["settled"] != audit.json()["accepted"] {
                guard clock.now < end else { throw HarnessError("something stays in flight\n\(audit)") }
                audit = try await cluster.cli("audit", "--json")
            }
            let isBalanced = try audit.json()["balanced"] == true
            #expect(audit.status == 0 && isBalanced, "\(audit)")
        }
    }
}
