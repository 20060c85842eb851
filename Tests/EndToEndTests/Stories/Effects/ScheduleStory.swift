import Foundation
import Glibc
import Relux
import ReluxControl
import ReluxJournal
import ReluxLedger
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Schedules {
        private static let topic: Topic = "Ticker.Business.Effect"

        /// The diary of the module in `Fixtures/Ticker.swift.txt`.
        private struct Ticks {
            struct Line: Hashable {
                let due: Int64
                let missed: Int64
                /// The same each time the same effect is handled.
                let token: String
            }
            let file: String

            func lines(of schedule: String) -> [Line] {
                let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
                return text.split(separator: "\n").compactMap { line in
                    let words = line.split(separator: " ")
                    guard words.count == 4, words[0] == schedule, let due = Int64(words[1]), let missed = Int64(words[2]) else { return nil }
                    return Line(due: due, missed: missed, token: String(words[3]))
                }
            }

            /// Returns when there are that many more ticks.
            func more(_ count: Int, of schedule: String = "beat") async throws {
                let wanted = lines(of: schedule).count + count
                try await offPool {
                    try poll(
                        for: "\(count) more ticks of \(schedule)", watching: [URL(fileURLWithPath: file).deletingLastPathComponent().path],
                        last: { "\(lines(of: schedule).count) of \(wanted)" }
                    ) { lines(of: schedule).count >= wanted ? true : nil }
                }
            }
        }

        private static func play(_ story: (Cluster, Ticks, [String]) async throws -> Void) async throws {
            try await Cluster.play(
                modules: ["Counter"], packed: try await DurablePlugins.shared(), inherited: ["E2E_TICKS": "@/ticks/diary", "E2E_DIARY": "@/diary"],
                settings: DurablePlugins.quick
            ) { cluster in
                try FileManager.default.createDirectory(atPath: cluster.directory + "/ticks", withIntermediateDirectories: true)
                let builds = try await ["one", "two"].asyncMap { version in
                    let forge = Forge(for: cluster, version: version)
                    return try forge.pack(
                        [try await forge.swift("Ticker", as: "TickerReluxImpl")],
                        ModuleDeclaration(id: "Ticker", version: "1.0.0", kind: .domain, handles: [topic], emits: [topic]))
                }
                let outcome = try await cluster.cli("module", "load", builds[0])
                #expect(outcome.status == 0, "\(outcome)")
                let ticks = Ticks(file: cluster.directory + "/ticks/diary")
                try await ticks.more(10)
                try await story(cluster, ticks, builds)
            }
        }

        /// Returns when all that the module has said is settled; of what goes on, when the last tick of that schedule is in the diary.
        private static func settled(_ cluster: Cluster, _ schedule: String? = nil, _ ticks: Ticks? = nil) async throws {
            let journal = cluster.run.journal(of: "Ticker")
            try await offPool {
                try poll(for: "what Ticker has said to be settled", watching: [journal], last: { "" }) {
                    let ledger = try LedgerReader(directory: journal, module: "Ticker", environment: .live()).ledger()
                    guard let schedule else { return ledger.isSettled ? true : nil }
                    guard let record = ledger.schedules[schedule], record.isPaused else { return nil }
                    return ticks?.lines(of: schedule).contains { $0.due == record.last } == true ? true : nil
                }
            }
        }

        @Test func `each tick comes once, whatever is killed, frozen, upgraded or rolled back`() async throws {
            try await Self.play { cluster, ticks, builds in
                for _ in 0..<4 {
                    kill(try await cluster.client.module("Ticker", is: .ready).pid, SIGKILL)
                    try await ticks.more(10)
                }
                let frozen = Freeze(try await cluster.client.module("Ticker", is: .ready).pid)
                try await Task.sleep(for: .milliseconds(700))
                frozen.thaw()
                try await ticks.more(10)
                for round in 0..<3 {
                    let upgraded = try await cluster.cli("module", "upgrade", "Ticker", builds[1])
                    #expect(upgraded.status == 0, "\(upgraded)")
                    try await ticks.more(5)
                    if round == 1 { kill(try await cluster.client.module("Ticker", is: .ready).pid, SIGKILL) }
                    let back = try await cluster.cli("module", "rollback", "Ticker")
                    #expect(back.status == 0, "\(back)")
                    try await ticks.more(5)
                }
                let broker = try await cluster.client.status().brokerPid
                kill(broker, SIGKILL)
                _ = try await cluster.client.status(when: "another broker") { $0.brokerPid != broker }
                try await ticks.more(10)
                for schedule in ["beat", "lamp"] { #expect(try await cluster.cli("schedule", "pause", "Ticker", schedule).status == 0) }
                try await Self.settled(cluster)
                #expect(try await cluster.cli("audit").status == 0)

                let beats = ticks.lines(of: "beat")
                let dues = Set(beats.map(\.due)).sorted()
                #expect(Dictionary(grouping: Set(beats), by: \.due).allSatisfy { $0.value.count == 1 }, "a tick came twice")
                #expect(zip(dues, dues.dropFirst()).allSatisfy { $1 - $0 == 50 }, "a tick is missing")
                let lamps = Set(ticks.lines(of: "lamp")).sorted { $0.due < $1.due }
                #expect(Set(lamps.map(\.due)).count == lamps.count, "a tick came twice")
                #expect(zip(lamps, lamps.dropFirst()).allSatisfy { $1.due - $0.due == 70 * ($1.missed + 1) }, "a tick is not accounted for")
                print("    \(beats.count) beats, \(lamps.count) lamps, \(lamps.reduce(0) { $0 + $1.missed }) of them stood for")
            }
        }

        @Test func `schedules are listed, paused over a death, fired by hand and resumed, and mistakes are named`() async throws {
            try await Self.play { cluster, ticks, _ in
                let listed = try await cluster.cli("schedule", "ls").lines
                #expect(listed[0].split(separator: " ").map(String.init) == ["MODULE", "SCHEDULE", "RULE", "LAST", "EFFECT", "NEXT"])
                #expect(listed[1].contains("every 50ms, missed: catchUp") && listed[1].contains("Ticker#"), "\(listed)")
                #expect(listed[2].contains("every 70ms, jitter 20ms"), "\(listed)")
                #expect(listed[3].contains("cron 0 0 1 1 *, missed: skip"), "\(listed)")

                let paused = try await cluster.cli("schedule", "pause", "Ticker", "beat")
                #expect(paused.stdout == "paused    Ticker beat\n", "\(paused)")
                #expect(try await cluster.cli("schedule", "pause", "Ticker", "beat").stdout == "paused    Ticker beat  already\n")
                #expect(try await cluster.cli("schedule", "ls", "--filter", "state=paused", "-o", "name").lines == ["beat"])
                try await Self.settled(cluster, "beat", ticks)
                let count = Set(ticks.lines(of: "beat")).count
                let pid = try await cluster.client.module("Ticker", is: .ready).pid
                kill(pid, SIGKILL)
                try await ticks.more(10, of: "lamp")
                #expect(Set(ticks.lines(of: "beat")).count == count)

                let fired = try await cluster.cli("schedule", "fire", "Ticker", "beat")
                #expect(fired.stdout.hasPrefix("fired     Ticker#") && fired.stdout.hasSuffix("  Ticker beat\n"), "\(fired)")
                try await ticks.more(Set(ticks.lines(of: "beat")).count == count ? 1 : 0)
                #expect(Set(ticks.lines(of: "beat")).count == count + 1)
                let last = try #require(ticks.lines(of: "beat").last)
                #expect(try await cluster.cli("schedule", "resume", "Ticker", "beat").stdout == "resumed   Ticker beat\n")
                #expect(try await cluster.cli("schedule", "resume", "Ticker", "beat").stdout == "running   Ticker beat  already\n")
                try await ticks.more(5)
                // Ticks that came due while it was paused are left out.
                let next = ticks.lines(of: "beat").filter { $0.due % 50 == 0 && $0.due > last.due }.map(\.due).min()
                #expect(try #require(next) - last.due < 60_000)

                let wrong = try await cluster.cli("schedule", "fire", "Ticker", "baet")
                #expect(wrong.status == 3 && wrong.stderr.contains("Ticker has no schedule \"baet\"; it has beat, lamp, yearly"), "\(wrong)")
                let dry = try await cluster.cli("schedule", "fire", "Ticker", "baet", "--dry-run")
                #expect(dry.status == 3 && dry.stderr.contains("beat"), "\(dry)")
                let nobody = try await cluster.cli("schedule", "fire", "Tiker", "beat")
                #expect(nobody.status == 3 && nobody.stderr.contains("Ticker"), "\(nobody)")
            }
        }
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
