import Foundation
import NotesReluxInt
import ProfileReluxInt
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    /// Counter is taken out in the midst of its work. Alpha and Beta import it and wait for its return; the others never hear of it.
    @Suite struct Evict {
        private static let isFull = ProcessInfo.processInfo.environment["RELUX_TEST_FULL"] != nil
        private static let importers = DurablePlugins.publishers.map { "\($0)Orchestration" }
        private static let bystanders = Placement.infrastructure + ["Notes", "Profile"]
        /// Nobody waits for the end of such a handler.
        private static let endless = 3_600_000_000
        private static let held = 24
        /// How many of those that end at once are open at a time.
        private static let open = 8

        @Test(.enabled(if: isFull))
        func `what is under way to an evicted module is lost by name, its process ends, and nothing else is touched`() async throws {
            try await Self.play(hosts: [:]) { cluster, diary, others in
                let evicted = try await Self.evictUnderLoad(
                    cluster, diary, plan: ["ends      host Counter, at once"], said: "host Counter ends")
                try await offPool { try ProcessEnd.wait(for: evicted.module.pid, until: .now + watchdog) }
                try await others.answers(50)
                let back = try await Self.servesAnew(cluster, diary, ["module", "load", "Counter"], evicted)
                #expect(back.pid != evicted.module.pid && back.host == "Counter")
            }
        }

        @Test(.enabled(if: isFull))
        func `a module is evicted from a shared host, and its neighbours go on in the same process without a gap`() async throws {
            let pool = ["Counter", "AlphaOrchestration", "Notes"]
            try await Self.play(hosts: Dictionary(uniqueKeysWithValues: pool.map { ($0, "pool") })) { cluster, diary, others in
                let evicted = try await Self.evictUnderLoad(
                    cluster, diary, plan: ["stays     ", "AlphaOrchestration", "Notes", " in host pool"],
                    said: "host pool goes on with its other modules")
                try await others.answers(50)
                let back = try await Self.servesAnew(cluster, diary, ["module", "load", "Counter", "--host", "pool"], evicted)
                #expect(back.pid == evicted.module.pid && back.host == "pool")
            }
        }

        @Test func `what was lost is one number in the status and in the audit, also when a publisher and the broker are started again`() async throws {
            try await Cluster.play(
                modules: ["Counter"] + Self.importers, packed: try await DurablePlugins.shared(),
                inherited: ["E2E_DIARY": "@/diary"], settings: DurablePlugins.quick
            ) { cluster in
                let held = 3
                let add = try Load.Kind(
                    topic: Counting.topic, Counting.Effect.add(publisher: "endless", run: 0, number: 1, pause: Self.endless))
                let run = Counting.SeriesEffect.emit(run: 2, count: 1, pause: Self.endless)
                let loads = [Load(on: cluster, [add], publishers: 1, window: held, seed: 95, deadline: .seconds(300), limit: held)]
                    + (try Self.importers.map { name in
                        let kind = try Load.Kind(topic: Topic(stringLiteral: "\(name).Effect"), run)
                        return Load(on: cluster, [kind], publishers: 1, window: 1, seed: 96, deadline: .seconds(300), limit: 1)
                    })
                let all = UInt64(held + Self.importers.count)
                _ = try await cluster.client.status(when: "Counter to say what it has in flight") { status in
                    status.modules.contains { $0.id == "Counter" && $0.counters.inFlight == all }
                }
                let evicted = try await cluster.cli.relux(["module", "evict", "Counter", "--yes"])
                #expect(evicted.status == 0, "\(evicted)")
                for load in loads { _ = try await load.stop() }
                let line = "\(all) effects were lost with Counter, which is no member any more"
                let told = try await cluster.client.status(when: "what the journals say was lost") { $0.noteLines.contains(line) }

                // The next lives have it from journal and registry, and tell it again.
                let first = try #require(told.modules.first { $0.id.rawValue == Self.importers[0] })
                for pid in [first.pid, told.brokerPid] { kill(pid, SIGKILL) }
                _ = try await cluster.client.status(when: "the next broker and the next publisher") { status in
                    status.brokerPid != told.brokerPid && status.modules.contains { $0.id == first.id && $0.epoch > first.epoch && $0.pid > 0 }
                }
                let loaded = try await cluster.cli.relux(["module", "load", "Counter"])
                #expect(loaded.status == 0, "\(loaded)")
                for name in Self.importers { try await cluster.client.module(name, is: .ready) }
                #expect(try await cluster.client.module("Counter").counters.lost == all)
                let audit = try await cluster.cli("audit")
                #expect(audit.status == 0 && audit.stdout.contains("lost \(all)  BALANCED"), "\(audit)")
            }
        }

        @Test func `nobody can evict what is not there, and who tries is told what is`() async throws {
            try await Cluster.play(modules: Placement.infrastructure) { cluster in
                for arguments in [["--dry-run"], ["--yes"], []] {
                    let no = try await cluster.cli.relux(["module", "evict", "Nobody"] + arguments)
                    #expect(no.status == 3 && no.stdout.isEmpty, "\(no)")
                    #expect(no.stderr.contains("there is no module Nobody; there are: ErrorHandling, Navigation"), "\(no)")
                }
            }
        }

        // MARK: The acts

        private struct Evicted {
            /// As it was just before.
            var module: ClusterStatus.Module
            /// The effects that ended at once.
            var succeeded: Int
            var lost: Int
        }

        private static func play(hosts: [String: String], _ story: (Cluster, Diary, Load) async throws -> Void) async throws {
            let packed = try temporaryDirectory("rxe-evict")
            defer { try? FileManager.default.removeItem(atPath: packed) }
            for source in [try await PackedPlugins.shared(), try await DurablePlugins.shared()] {
                for module in try FileManager.default.contentsOfDirectory(atPath: source) where !module.hasPrefix(".") {
                    try FileManager.default.createSymbolicLink(atPath: "\(packed)/\(module)", withDestinationPath: "\(source)/\(module)")
                }
            }
            try await Cluster.play(
                modules: bystanders + ["Counter"] + importers, packed: packed, hosts: hosts, inherited: ["E2E_DIARY": "@/diary"],
                settings: DurablePlugins.quick
            ) { cluster in
                // Those keep the cluster busy through all of it.
                let kinds = [
                    try Load.Kind(Notes.Business.Effect.search(query: "bread")), try Load.Kind(Profile.Business.Effect.fetchProfile(userId: "u1")),
                ]
                let others = Load(on: cluster, kinds, publishers: 2, window: 4, seed: 91, deadline: .seconds(60))
                try await others.answers(50)
                let lives = try await lives(cluster)
                try await story(cluster, Diary(path: cluster.directory + "/diary"), others)
                try await others.answers(50)
                let tally = try await others.stop()
                #expect(tally.failure.isEmpty && tally.hung.isEmpty && tally.refused.isEmpty && tally.answered == tally.sent, "\(tally)")
                #expect(Set(tally.outcomes.keys) == ["Notes:failed", "Profile:succeeded"], "\(tally)")
                #expect(tally.outcomes.values.reduce(0, +) == tally.sent, "\(tally)")
                #expect(try await Self.lives(cluster) == lives)
                #expect(try FileManager.default.contentsOfDirectory(atPath: cluster.run.crashes).isEmpty)
            }
        }

        /// All but Counter's: the same before and after.
        private static func lives(_ cluster: Cluster) async throws -> [String] {
            try await cluster.client.status().modules.filter { $0.id != "Counter" }
                .map { "\($0.id) process \($0.pid) life \($0.epoch) restarts \($0.restarts) lost \($0.counters.lost)" }.sorted()
        }

        /// Asks first, which changes nothing, then does it; returns what Counter was.
        private static func evictUnderLoad(
            _ cluster: Cluster, _ diary: Diary, plan: [String], said: String
        ) async throws -> Evicted {
            let add = { try Load.Kind(topic: Counting.topic, Counting.Effect.add(publisher: $0, run: 0, number: 1, pause: $1)) }
            let quick = Load(on: cluster, [try add("quick", 0)], publishers: 2, window: open / 2, seed: 92, deadline: .seconds(300))
            try await quick.answers(50)
            let endless = Load(
                on: cluster, [try add("endless", endless)], publishers: 3, window: held / 3, seed: 93, deadline: .seconds(300), limit: held / 3)
            // A module that awaits: the first number of its second run is one of those that pause.
            let series = try importers.map { name in
                let run = Counting.SeriesEffect.emit(run: 2, count: 1, pause: Self.endless)
                let kind = try Load.Kind(topic: Topic(stringLiteral: "\(name).Effect"), run)
                return Load(on: cluster, [kind], publishers: 1, window: 1, seed: 94, deadline: .seconds(300), limit: 1)
            }
            let publishers = ["endless"] + DurablePlugins.publishers
            try await offPool {
                try poll(for: "all that never ends to be under way", watching: [diary.path]) {
                    try diary.lines().count { $0.what == "start" && publishers.contains($0.key.publisher) } == held + 2 ? true : nil
                }
            }
            _ = try await cluster.client.status(when: "Counter to say what it has in flight") { status in
                status.modules.contains { $0.id == "Counter" && $0.counters.inFlight >= held + 2 }
            }

            // A command that only asks, or has not said yes, changes nothing.
            let before = try await cluster.client.module("Counter")
            let planned = try await cluster.cli("module", "evict", "Counter", "--dry-run")
            #expect(planned.status == 0 && planned.lines.allSatisfy { $0.hasPrefix("PLAN  ") }, "\(planned)")
            let words = ["evict     Counter 1.0.0  ready  host \(before.host)", "in flight ", "relux audit"] + plan
            for text in words + ["waiting   \(importers.joined(separator: ", ")) until Counter returns"] {
                #expect(planned.stdout.contains(text), "\(text): \(planned)")
            }
            let unasked = try await cluster.cli("module", "evict", "Counter")
            #expect(unasked.status == 2 && unasked.stdout.isEmpty, "\(unasked)")
            for text in importers + ["--yes"] { #expect(unasked.stderr.contains(text), "\(text): \(unasked)") }
            try await quick.answers(50)
            let still = try await cluster.client.module("Counter")
            #expect(still.pid == before.pid && still.epoch == before.epoch && still.state.phase == .ready && still.counters.lost == 0)
            #expect(endless.tally.value.answered == 0 && series.allSatisfy { $0.tally.value.answered == 0 })

            let done = try await cluster.cli("module", "evict", "Counter", "--yes")
            #expect(done.status == 0, "\(done)")
            for text in ["Counter is evicted, it was ready", said, "waiting for its return: \(importers.joined(separator: ", "))", "relux audit"] {
                #expect(done.stdout.contains(text), "\(text): \(done)")
            }
            #expect(!(try await cluster.client.status()).modules.contains { $0.id == "Counter" })
            for name in importers { try await cluster.client.module(name, is: .waiting) }

            // Nobody waits for it any more: neither who asked through the ingress nor a handler in its midst.
            let ended = try await endless.stop()
            #expect(ended.outcomes == ["Counter:lost": held] && ended.hung.isEmpty && ended.failure.isEmpty, "\(ended)")
            for (load, name) in zip(series, importers) {
                let tally = try await load.stop()
                #expect(tally.outcomes == ["\(name):succeeded": 1] && tally.hung.isEmpty, "\(tally)")
            }
            let told = try diary.lines().filter { $0.what == "failed" }.map(\.key)
            #expect(Set(told) == Set(DurablePlugins.publishers.map { Diary.Key(publisher: $0, run: 2, number: 1) }) && told.count == 2, "\(told)")
            // An effect that comes later has no recipient; it is not lost.
            try await quick.tally.wait(for: "an effect that nobody handles") { $0.outcomes["unhandled"] != nil }
            let rest = try await quick.stop()
            #expect(rest.failure.isEmpty && rest.hung.isEmpty && rest.refused.isEmpty, "\(rest)")
            #expect(Set(rest.outcomes.keys).isSubset(of: ["Counter:succeeded", "Counter:lost", "unhandled"]), "\(rest)")
            #expect(rest.outcomes.values.reduce(0, +) == rest.sent, "\(rest)")
            let evicted = Evicted(module: before, succeeded: rest.count("Counter", "succeeded"), lost: rest.count("Counter", "lost"))
            try await lost(
                ["Cluster": held + evicted.lost].merging(importers.map { ($0, 1) }) { $1 }, succeeded: evicted.succeeded, in: cluster)
            return evicted
        }

        /// The audit names just these, by their publishers, and all else balances.
        private static func lost(_ lost: [String: Int], succeeded: Int, in cluster: Cluster) async throws {
            let audit = try await cluster.cli("audit", "--json")
            let json = try audit.json()
            #expect(audit.status == 0 && json["balanced"] == true && json["findings"] == .array([]), "\(audit)")
            let rows = (json["rows"] ?? .null).elements
            #expect(!rows.isEmpty && rows.allSatisfy { $0["dead"] == 0 && $0["refused"] == 0 }, "\(audit)")
            #expect(rows.allSatisfy { ($0["lost"] == 0) == ($0["recipient"]?.text != "Counter") }, "\(audit)")
            func number(_ value: JSONValue?) -> Int { if case .integer(let number)? = value { Int(number) } else { -1 } }
            var all = 0
            for row in rows where row["recipient"]?.text == "Counter" {
                let publisher = row["publisher"]?.text ?? ""
                let count = lost[publisher] ?? 0
                let kept = publisher == "Cluster" ? succeeded : 0
                let told = "told \(kept) succeeded and \(count) lost: \(row) of \(audit)"
                let (lost, succeeded) = (number(row["lost"]), number(row["succeeded"]))
                #expect(row["topic"]?.text == Counting.topic.rawValue && number(row["accepted"]) == lost + succeeded, "\(told)")
                // An effect between its end and its answer in that moment may be booked otherwise than its publisher was told.
                let between = publisher == "Cluster" ? open : 0
                #expect(abs(lost - count) <= between && abs(succeeded - kept) <= between, "\(told)")
                all += lost
            }
            #expect(Set(rows.filter { $0["recipient"]?.text == "Counter" }.compactMap { $0["publisher"]?.text }) == Set(lost.keys), "\(audit)")
            let shown = try await cluster.cli("audit")
            #expect(shown.status == 0 && shown.stdout.contains("lost \(all)  BALANCED"), "\(shown)")
            // The status has it from the same books.
            let line = "\(all) effects were lost with Counter, which is no member any more"
            _ = try await cluster.client.status(when: "what the journals say was lost") { $0.noteLines.contains(line) }
        }

        /// Loaded again, it handles what is sent now, and nothing of before.
        private static func servesAnew(
            _ cluster: Cluster, _ diary: Diary, _ load: [String], _ evicted: Evicted
        ) async throws -> ClusterStatus.Module {
            let handled = try diary.lines().filter { $0.what == "start" }
            let loaded = try await cluster.cli.relux(load)
            #expect(loaded.status == 0, "\(loaded)")
            let back = try await cluster.client.module("Counter", is: .ready)
            #expect(back.epoch > evicted.module.epoch && back.restarts == 0, "\(back)")
            for name in importers { try await cluster.client.module(name, is: .ready) }
            let writer = Writer.adding("later", on: cluster, window: 4, pause: 200)
            let drivers = DurablePlugins.publishers.map { Writer.series($0, on: cluster, count: 3, pause: 100) }
            for one in [writer] + drivers { try await one.answers(20) }
            for one in [writer] + drivers { try await one.stop() }

            let starts = try diary.lines().filter { $0.what == "start" }
            #expect(Set(starts.map(\.effect)).count == starts.count, "an effect was handled twice")
            let later = writer.seen.value.answers.count + drivers.reduce(0) { $0 + 3 * $1.seen.value.answers.count }
            #expect(starts.count == handled.count + later)
            #expect(starts.dropFirst(handled.count).allSatisfy { !["quick", "endless"].contains($0.key.publisher) })

            // A settled effect is in the state, once. A lost one had been begun, and may be in it: it is not begun again.
            let totals = try await Counting.totals(cluster)
            let told = evicted.succeeded + later
            let lost = held + importers.count + open
            #expect((told...told + lost).contains(totals.count), "\(told) settled, \(lost) lost, \(totals)")
            let audit = try await cluster.cli("audit")
            #expect(audit.status == 0, "\(audit)")
            return back
        }
    }
}
