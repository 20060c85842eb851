import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct HostCrash {
        /// A process that dies stays down until it is told to come back. A backoff would not do: its delay may be nothing, however long it may be.
        static let noReturn = ["supervisor:", "  intensity: 0"]

        @Test(arguments: [("Notes", UInt64(11)), ("Profile", 12), ("SessionOrchestration", 13)])
        func `a host killed under load comes back, and every awaited effect is settled, none lost`(
            _ victim: String, _ seed: UInt64
        ) async throws {
            try await Cluster.play { cluster in
                let load = Load(on: cluster, try Load.mixed(), seed: seed)
                try await load.answers(200)
                let before = try await cluster.client.module(victim)
                // It dies with something in hand, whatever it was about to settle.
                kill(before.pid, SIGSTOP)
                try await Self.somethingIsInFlight(to: victim, in: cluster)
                kill(before.pid, SIGKILL)
                _ = try await cluster.client.status(when: "a new life of \(victim)") { status in
                    status.modules.contains { $0.id == before.id && $0.epoch > before.epoch && $0.state.phase == .ready }
                }
                try await load.answers(200)
                let tally = try await load.stop()
                #expect(tally.failure.isEmpty && tally.hung.isEmpty && tally.refused.isEmpty, "\(tally)")
                #expect(tally.answered == tally.sent, "\(tally)")
                let statuses = Set(tally.outcomes.keys.compactMap { $0.split(separator: ":").last.map(String.init) })
                #expect(statuses.isSubset(of: ["succeeded", "failed"]), "\(tally)")

                let after = try await cluster.client.module(victim)
                #expect(after.restarts == before.restarts + 1 && after.pid != before.pid)
                #expect(after.counters.lost == 0, "\(after.counters) \(tally)")
                let shown = try await cluster.cli("module", "show", victim)
                #expect(shown.stdout.contains("restarts 1") && shown.stdout.contains("lost 0"), "\(shown)")

                let others = try await cluster.client.status().modules.filter { $0.id != before.id }
                #expect(others.allSatisfy { $0.restarts == 0 && $0.epoch == Epoch(rawValue: 1) && $0.counters.lost == 0 })
                try await Self.checkReport(cluster, before)
            }
        }

        private static func somethingIsInFlight(to recipient: String, in cluster: Cluster) async throws {
            for _ in 1...100 {
                let audit = try await cluster.cli("audit", "--json")
                let isOpen = (try audit.json()["rows"] ?? .null).elements.contains { row in
                    guard row["recipient"]?.text == recipient, case .integer(let open)? = row["open"] else { return false }
                    return open > 0
                }
                if isOpen { return }
            }
            throw HarnessError("a hundred looks at the audit have found nothing in flight to \(recipient)")
        }

        /// Signal, modules, and what was in flight by its publishers' words.
        static func checkReport(_ cluster: Cluster, _ victim: ClusterStatus.Module) async throws {
            let path = "\(cluster.run.crashes)/\(victim.host)-\(victim.pid)"
            let report = try await offPool {
                try poll(for: "the whole report \(path)", watching: [cluster.run.crashes]) {
                    let text = String(decoding: FileManager.default.contents(atPath: path + ".txt") ?? Data(), as: UTF8.self)
                    let json = try? JSONValue(
                        parsing: String(decoding: FileManager.default.contents(atPath: path + ".json") ?? Data(), as: UTF8.self))
                    guard case .integer(let count)? = json?["effectsInFlightCount"], count > 0 else { return String?.none }
                    return text
                }
            }
            #expect(report.contains("status     signal 9 (SIGKILL)\n"), "\(report)")
            #expect(report.contains("modules    \(victim.id)\n"), "\(report)")
            #expect(report.contains("in flight  ") && report.contains("Cluster#"), "\(report)")
        }

        @Test func `a file is synced in another process, and one that was saved while that was dead in its next life`() async throws {
            let modules = Placement.infrastructure + ["Auth", "Notes", "Files", "Sync", "DataOrchestration"]
            try await Cluster.play(modules: modules, settings: Self.noReturn) { cluster in
                let cli = cluster.cli
                let registered = try await cli(
                    "effect", "send", "Auth.Business.Effect.register", #"{"name": "anna"}"#, "--secret", "password", "--json",
                    input: "Vermeer-1665\n")
                #expect(registered.status == 0, "\(registered)")
                let outcomes = (try registered.json()["outcomes"] ?? .null).elements
                let user = try #require(outcomes.first { $0["recipient"]?.text == "Auth" }?["value"]?.text)
                // Files that wait are sent with the notes.
                func synced() async throws -> [String] {
                    let sent = try await cli(
                        "effect", "send", "Notes.Business.Effect.sync", #"{"context": {"isAuthenticated": true, "userId": "\#(user)"}}"#)
                    #expect(sent.status == 0, "\(sent)")
                    let name = user.utf8.map { String($0, radix: 16) }.joined()
                    let remote = try Data(contentsOf: URL(fileURLWithPath: cluster.run.state + "/Sync/remote/user-\(name).json"))
                    return try JSONValue(parsing: String(decoding: remote, as: UTF8.self)).elements.compactMap { $0["id"]?.text }
                }

                let first = try await cli("effect", "send", "Files.Business.Effect.save", #"{"name": "first.txt", "text": "a text"}"#)
                #expect(first.status == 0, "\(first)")
                #expect(try await synced() == ["first.txt"])

                let before = try await cluster.client.module("Sync")
                #expect(try await cluster.client.module("Files").pid != before.pid)
                kill(before.pid, SIGKILL)
                try await cluster.client.module("Sync", is: .quarantined)
                let second = try await cli(
                    "effect", "send", "Files.Business.Effect.save", #"{"name": "second.txt", "text": "another"}"#, "--deadline", "1s")
                // Nobody waits for Sync, which is known to be absent.
                #expect(second.status == 0, "\(second)")
                let read = try await cli("effect", "send", "Files.Business.Effect.read", #"{"name": "second.txt"}"#)
                #expect(read.status == 0 && read.stdout.contains("another"), "\(read)")
                let restart = try await cli("module", "restart", "Sync")
                #expect(restart.status == 0, "\(restart)")
                #expect(try await synced() == ["first.txt", "second.txt"])
                let after = try await cluster.client.module("Sync", is: .ready)
                #expect(after.epoch > before.epoch && after.counters.lost == 0)
            }
        }

        @Test func `what is sent while the recipient is down is handled when it is back`() async throws {
            try await Cluster.play(settings: Self.noReturn) { cluster in
                let others = try Load.mixed().filter { !$0.topic.rawValue.hasPrefix("Notes") }
                let load = Load(on: cluster, others, seed: 21)
                try await load.answers(100)
                let before = try await cluster.client.module("Notes")
                kill(before.pid, SIGKILL)
                try await cluster.client.module("Notes", is: .quarantined)
                let late = Load(on: cluster, [try Load.mixed()[0]], publishers: 2, window: 32, seed: 22, deadline: .seconds(60), everyone: true)
                try await late.tally.wait(for: "64 effects to be sent") { $0.sent >= 64 }
                try await load.answers(100)
                let restart = try await cluster.cli("module", "restart", "Notes")
                #expect(restart.status == 0, "\(restart)")
                let tally = try await late.stop()
                #expect(tally.hung.isEmpty && tally.count("Notes", "lost") == 0 && tally.count("Notes", "unanswered") == 0)
                #expect(tally.count("Notes", "failed") == tally.sent, "no notes are open, so each search fails: \(tally)")
                let rest = try await load.stop()
                #expect(rest.hung.isEmpty && rest.answered == rest.sent, "\(rest)")
                #expect(!rest.outcomes.keys.contains { $0.hasSuffix(":lost") }, "\(rest)")
                #expect(try await cluster.client.module("Notes").epoch > before.epoch)
            }
        }
    }
}
