import Foundation
import ReluxControl
import ReluxTestKit
import Testing

extension EndToEnd {
    @Suite struct Chaos {
        /// How often three hundred faults come, besides the first three hundred: `RELUX_CHAOS_TIMES`, else enough for ten thousand in a full run.
        private static let times: Int = {
            let environment = ProcessInfo.processInfo.environment
            return environment["RELUX_CHAOS_TIMES"].flatMap { Int($0) } ?? (environment["RELUX_TEST_FULL"] != nil ? 36 : 1)
        }()

        /// Queues that are full at once, besides restarts without end.
        private static let settings =
            DurablePlugins.quick + ["bus:", "  patience: 1ms", "  queue-mebibytes: 1", "  queue-frames: 4"]
        /// Hardly any of a small disk is kept, and none is held back: sources go on until there is no page left.
        private static let small = ["journal:", "  reserve-mebibytes: 0", "  retention-mebibytes: 2", "  retention-age: 0s"]
        private static let counter = Faults.anyHost(of: "Counter")

        /// All roles, so that each is killed at least twenty times.
        private static func shares(_ times: Int, fillsDisk: Bool) -> [FaultPlan.Share] {
            let hosts = [counter] + DurablePlugins.publishers.map { "\($0)Orchestration" }
            return hosts.flatMap { host in
                [.init(kind: .kill, target: host, count: 42 * times), .init(kind: .freeze, target: host, count: 22 * times)]
            } + [
                .init(kind: .kill, target: Faults.broker, count: 34 * times), .init(kind: .freeze, target: Faults.broker, count: 20 * times),
                .init(kind: .kill, target: Faults.supervisor, count: 20 * min(times, 10)),
                .init(kind: .freeze, target: Faults.supervisor, count: 16 * times),
                .init(kind: .upgrade, target: "Counter", count: 20 * times),
                .init(kind: .vanish, target: counter, count: 8 * times), .init(kind: .vanish, target: "AlphaOrchestration", count: 4 * times),
                .init(kind: .vanish, target: Faults.broker, count: 8 * times), .init(kind: .vanish, target: Faults.supervisor, count: 4 * times),
                .init(kind: .crowd, target: counter, count: 8 * times), .init(kind: .crowd, target: "AlphaOrchestration", count: 4 * times),
                .init(kind: .crowd, target: Faults.broker, count: 8 * times),
                .init(kind: .restore, target: counter, count: 8 * times), .init(kind: .restore, target: "BetaOrchestration", count: 6 * times),
            ] + (fillsDisk ? [.init(kind: .fill, target: Faults.disk, count: 20 * times)] : [])
        }

        /// The same for all runs of this process.
        private static let seed = ChaosRun.seed()

        private static func plan(_ times: Int, fillsDisk: Bool) -> FaultPlan {
            // Something has to be under way at the first fault: with the broker gone first nobody would say anything, and nothing could be lost.
            FaultPlan(seed: seed, shares(times, fillsDisk: fillsDisk), opening: (.kill, counter))
        }

        @Test(arguments: times == 1 ? [1] : [1, times])
        func `whatever is killed, frozen, upgraded, deleted, crowded or without room, nothing is lost, nothing is repeated and the order is kept`(_ times: Int)
            async throws
        { try await Self.play(times, repairs: true) }

        /// The control: seed, plan, load, settings and the hosts' program are those of the run of three hundred faults. Its first hundred lose enough.
        @Test func `the same run without repair loses what was accepted`() async throws { try await Self.play(1, repairs: false) }

        private static func play(_ times: Int, repairs: Bool) async throws {
            ChaosRun.isTold(of: seed)
            var disk: SmallDisk?
            defer { disk?.unmount() }
            let settings = settings + small
            let host = Built.path("relux-host-unrepaired")
            try await CounterVersions.play(DurablePlugins.publishers, settings: settings, host: host, waitsUntilReady: false) { cluster, diary in
                // The diary is on another disk: it is the test's.
                disk = SmallDisk.mounted(on: cluster.run.path, megabytes: 96 + 12 * times, for: "faults of a full disk")
                let whole = plan(times, fillsDisk: disk != nil)
                let plan = repairs ? whole : whole.first(100)
                try await cluster.up()
                let run = try await ChaosRun(cluster, diary, plan, disk: disk, repairs: repairs)
                // The difference of the two clusters: from the first fault on, whoever starts again asks for nothing. The run waits for less then.
                if !repairs { try "".write(toFile: cluster.directory + "/unrepaired", atomically: true, encoding: .utf8) }
                var isGood = false
                // The disk goes with the story.
                defer { if !isGood { keep(cluster) } }
                try await run.play()
                let books = try await run.books()
                run.faults.printLog()
                run.printTable(books, settings)
                #expect(books.isBalanced == repairs, "seed \(seed): \(books)")
                #expect(books.lost.isEmpty == repairs, "seed \(seed): \(books)")
                #expect(books.repeated.isEmpty, "seed \(seed): \(books)")
                isGood = books.isBalanced == repairs

                let faults = run.faults
                #expect(faults.all.count == plan.steps.count)
                guard repairs else { return }
                #expect(faults.all.count >= min(10_000, 300 * times))
                for role in [counter, "AlphaOrchestration", "BetaOrchestration", Faults.broker, Faults.supervisor] {
                    #expect(faults.count(.kill, role) >= 20, "\(role)")
                }
                #expect(faults.count(.restore) > 0 && faults.count(.vanish) > 0 && faults.count(.crowd) > 0)
                let handOvers = run.upgrades.seen.value
                #expect(handOvers.done + handOvers.calledOff.values.reduce(0, +) == faults.count(.upgrade), "\(run.upgrades)")
                let programs = cluster.processes.filter { $0.host != nil }.map(\.executable)
                #expect(!programs.isEmpty && programs.allSatisfy { host.hasSuffix("/\($0)") }, "\(programs)")
                isGood = try await isWhole(cluster, run, books) && isGood
            }
        }

        /// Whether all else holds that is true of a run in which nothing is lost.
        private static func isWhole(_ cluster: Cluster, _ run: ChaosRun, _ books: Books) async throws -> Bool {
            let totals = try await Counting.totals(cluster)
            #expect(totals == books.totals, "seed \(seed): the state is not what was settled")
            let audit = try await cluster.cli("audit")
            #expect(audit.status == 0, "seed \(seed): \(audit)")

            let faults = run.faults
            #expect(faults.insideAwait * 3 >= faults.all.count, "\(faults.insideAwait) of \(faults.all.count)")
            let handOvers = run.upgrades.seen.value
            // Every one of them was answered, unless there was nobody, because another supervisor came just then, or the broker still had it in
            // work when the client's time was over, which a busy machine makes happen.
            let unanswered: Set<String> = ["cluster.unreachable", "cluster.down", "cluster.unfinished"]
            #expect(handOvers.calledOff.keys.allSatisfy { $0.hasPrefix("refused.") || unanswered.contains($0) }, "\(run.upgrades)")
            #expect(handOvers.done > 0, "\(run.upgrades)")
            let left = try await cluster.client.status(when: "all to be ready") { $0.modules.allSatisfy { $0.state.phase == .ready } }
            #expect(left.modules.count == 3)
            return totals == books.totals && audit.status == 0
        }

        /// For whoever looks into it: journals, logs and the diary, beside the cluster's directory.
        private static func keep(_ cluster: Cluster) {
            let kept = cluster.directory + "-kept"
            for name in ["run/journals", "run/logs", "run/state", "run/registry", "diary"] {
                let target = "\(kept)/\(name)"
                try? FileManager.default.createDirectory(
                    atPath: URL(fileURLWithPath: target).deletingLastPathComponent().path, withIntermediateDirectories: true)
                try? FileManager.default.copyItem(atPath: "\(cluster.directory)/\(name)", toPath: target)
            }
            print("kept: \(kept)")
        }
    }
}
