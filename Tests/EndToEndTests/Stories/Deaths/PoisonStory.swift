import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct PoisonedModule {
        @Test func `an effect that kills its module is given up after five deaths, what ran beside it is settled, and the books balance`()
            async throws
        {
            // The default intensity: ten deaths within a minute would be quarantine, were they the module's.
            let quick = ["supervisor:", "  backoff:", "    base: 10ms", "    cap: 50ms"]
            try await Cluster.play(settings: quick) { cluster in
                try await Poison.load(into: cluster)
                let before = try await cluster.client.module("Poison", is: .ready)
                let beside = Load(on: cluster, [try Poison.linger()], publishers: 2, window: 8, seed: 71, deadline: .seconds(60))
                // All modules have something to do; more of it only makes the audits longer.
                let others = Load(on: cluster, try Load.mixed(), publishers: 1, window: 2, seed: 72, deadline: .seconds(60))
                try await beside.answers(20)

                let hemlock = Load(
                    on: cluster, [try Poison.drink("hemlock")], publishers: 1, window: 1, seed: 73, deadline: .seconds(60), limit: 1)
                try await hemlock.tally.wait(for: "the dead letter") { $0.answered == 1 }
                #expect(try await hemlock.stop().count("Poison", "deadLettered") == 1, "\(hemlock.tally.value)")
                let back = try await cluster.client.module("Poison", is: .ready)
                #expect(back.restarts > 0 && back.restarts <= 5 && back.epoch > before.epoch, "\(back)")
                try await beside.answers(20)
                try await Self.balances(cluster, "under load")

                for load in [beside, others] {
                    let tally = try await load.stop()
                    #expect(tally.hung.isEmpty && tally.answered == tally.sent && tally.failure.isEmpty, "\(tally)")
                    #expect(!tally.outcomes.keys.contains { $0.hasSuffix(":lost") || $0.hasSuffix(":unanswered") }, "\(tally)")
                }
                let tally = beside.tally.value
                #expect(tally.outcomes == ["Poison:succeeded": tally.sent], "\(tally)")
                try await Self.balances(cluster, "at rest")

                let letter = try await Self.letter(of: cluster)
                let next = try await Self.isDealtWith(letter, in: cluster)

                // The journals' account does not depend on a cluster, nor on one life of it.
                try await cluster.end()
                try await Self.balances(cluster, "without a cluster")
                #expect(try await cluster.cli("dlq", "ls", "--all", "-o", "name").lines == [letter, next])
                try await cluster.up()
                #expect(try await cluster.cli("dlq", "ls", "-o", "name").lines.isEmpty)
            }
        }

        @Test func `in a shared host an effect that kills it is given up, and nothing that a neighbour was handling`() async throws {
            let quick = ["supervisor:", "  backoff:", "    base: 10ms", "    cap: 50ms"]
            try await Cluster.play(settings: quick) { cluster in
                try await Poison.loadBesideBystander(into: cluster)
                let linger = try Load.Kind(topic: Poison.bystanderTopic, case: "linger")
                let beside = Load(on: cluster, [linger], publishers: 2, window: 4, seed: 81, deadline: .seconds(120))
                try await beside.answers(8)
                let hemlock = Load(
                    on: cluster, [try Poison.drink("hemlock")], publishers: 1, window: 1, seed: 82, deadline: .seconds(120), limit: 1)
                try await hemlock.tally.wait(for: "the dead letter") { $0.answered == 1 }
                #expect(try await hemlock.stop().count("Poison", "deadLettered") == 1, "\(hemlock.tally.value)")
                try await beside.answers(8)
                let tally = try await beside.stop()
                #expect(tally.outcomes == ["Bystander:succeeded": tally.sent] && tally.hung.isEmpty, "\(tally)")
                for name in ["Poison", "Bystander"] {
                    let module = try await cluster.client.module(name, is: .ready)
                    #expect(module.restarts <= 5, "\(module)")
                }
                #expect(try await cluster.cli("dlq", "ls", "-o", "name").lines.count == 1)
                try await Self.balances(cluster, "at rest")
            }
        }

        @Test func `handlers that never end do not keep their module from serving after a death`() async throws {
            let quick = ["supervisor:", "  backoff:", "    base: 10ms", "    cap: 50ms"]
            try await Cluster.play(settings: quick) { cluster in
                try await Poison.load(into: cluster)
                let sleepers = Load(
                    on: cluster, [try Poison.drink("poppy")], publishers: 1, window: 2, seed: 91, deadline: .seconds(1), limit: 2)
                // Nobody is answered; they go on all the same.
                try await sleepers.tally.wait(for: "the end of the waits") { $0.answered == 2 }
                #expect(try await sleepers.stop().count("Poison", "unanswered") == 2, "\(sleepers.tally.value)")
                for life in 1...2 {
                    let before = try await cluster.client.module("Poison", is: .ready)
                    kill(before.pid, SIGKILL)
                    _ = try await cluster.client.status(when: "life \(life) of Poison") { status in
                        status.modules.contains { $0.id == "Poison" && $0.epoch > before.epoch && $0.state.phase == .ready }
                    }
                    let load = Load(on: cluster, [try Poison.linger()], publishers: 1, window: 4, seed: UInt64(91 + life), deadline: .seconds(60))
                    try await load.answers(8)
                    let tally = try await load.stop()
                    #expect(tally.outcomes == ["Poison:succeeded": tally.sent] && tally.hung.isEmpty, "\(tally)")
                    let report = try await cluster.cli("audit", "--json").json()
                    #expect(report["balanced"] == true, "\(report)")
                }
                // An effect that does kill is found out all the same, and they are not taken for it.
                let hemlock = Load(
                    on: cluster, [try Poison.drink("hemlock")], publishers: 1, window: 1, seed: 94, deadline: .seconds(60), limit: 1)
                try await hemlock.tally.wait(for: "the dead letter") { $0.answered == 1 }
                #expect(try await hemlock.stop().count("Poison", "deadLettered") == 1, "\(hemlock.tally.value)")
                let letters = try await cluster.cli("dlq", "ls", "--json")
                #expect(letters.stdout.contains("hemlock") && !letters.stdout.contains("poppy"), "\(letters)")
            }
        }

        private static func balances(_ cluster: Cluster, _ when: String) async throws {
            let audit = try await cluster.cli("audit", "--json")
            #expect(audit.status == 0, "\(when): \(audit)")
            let json = try audit.json()
            #expect(json["balanced"] == true && json["findings"] == .array([]), "\(when): \(audit)")
        }

        /// The one letter, shown with its cause.
        private static func letter(of cluster: Cluster) async throws -> String {
            let list = try await cluster.cli("dlq", "ls", "-o", "name")
            #expect(list.lines.count == 1, "\(list)")
            let id = try #require(list.lines.first)
            let shown = try await cluster.cli("dlq", "show", id)
            #expect(shown.status == 0, "\(shown)")
            for text in [
                "module   Poison", "Poison.Business.Effect.drink", #"{"drink":{"text":"hemlock"}}"#, "state    open", "deaths   5",
                "its handler has ended the process 5 times", "Poison.Business.Flow.apply", "Program crashed",
                "Fatal error: that was hemlock",
            ] {
                #expect(shown.stdout.contains(text), "\(text): \(shown)")
            }
            return id
        }

        /// How many crash reports name one of the effects as the one to blame.
        private static func charges(in cluster: Cluster, to effects: [String]) async throws -> Int {
            let names = try FileManager.default.contentsOfDirectory(atPath: cluster.run.crashes).filter { $0.hasSuffix(".txt") }
            return names.count { name in
                let text = (try? String(contentsOfFile: "\(cluster.run.crashes)/\(name)", encoding: .utf8)) ?? ""
                return effects.contains { text.contains("charged to \($0), ") }
            }
        }

        /// The retry dies as often again, under a new id; that one is dropped. Returns it.
        private static func isDealtWith(_ id: String, in cluster: Cluster) async throws -> String {
            let asked = try await cluster.cli("dlq", "retry", id, "--dry-run")
            #expect(asked.status == 0 && asked.stdout.contains("PLAN"), "\(asked)")
            let retried = try await cluster.cli("dlq", "retry", id, "--deadline", "60s")
            #expect(retried.status == 1 && retried.stdout.contains("deadLettered"), "\(retried)")
            let list = try await cluster.cli("dlq", "ls", "-o", "name")
            #expect(list.lines.count == 1 && list.lines != [id], "\(list)")
            let next = try #require(list.lines.first)
            let module = try await cluster.client.module("Poison", is: .ready)
            #expect(module.restarts >= 6 && module.restarts <= 10, "\(module)")
            #expect(try await charges(in: cluster, to: [id, next]) >= 8, "all but the first death with each of them")
            let dropped = try await cluster.cli("dlq", "drop", next, "--yes")
            #expect(dropped.status == 0, "\(dropped)")
            #expect(try await cluster.cli("dlq", "ls", "-o", "name").lines.isEmpty)
            let again = try await cluster.cli("dlq", "retry", id)
            #expect(again.status == 6 && again.stderr.contains("retried before"), "\(again)")
            try await balances(cluster, "after the drop")
            return next
        }
    }
}
