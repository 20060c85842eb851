import Foundation
import ReluxBus
import ReluxTestKit
import Testing

extension EndToEnd {
    @Suite struct Chaos {
        /// So many times three hundred faults: `RELUX_CHAOS_TIMES`, else enough for ten thousand in a full run.
        private static let times: Int = {
            let environment = ProcessInfo.processInfo.environment
            return environment["RELUX_CHAOS_TIMES"].flatMap { Int($0) } ?? (environment["RELUX_TEST_FULL"] != nil ? 36 : 1)
        }()

        /// Queues that are full at once, besides restarts without end.
        private static let settings =
            DurablePlugins.quick + ["bus:", "  patience: 1ms", "  queue-mebibytes: 1", "  queue-frames: 4"]
        /// Of a small disk, hardly any is kept, and none is held back: sources go on until there is no page left.
        private static let small = ["journal:", "  reserve-mebibytes: 0", "  retention-mebibytes: 2", "  retention-age: 0s"]
        private static let counter = Faults.anyHost(of: "Counter")

        /// Of all roles, so that each is killed at least twenty times.
        private static func shares(_ times: Int, fillsDisk: Bool) -> [FaultPlan.Share] {
            let hosts = [counter] + DurablePlugins.publishers.map { "\($0)Orchestration" }
            return hosts.flatMap { host in
                [.init(kind: .kill, target: host, count: 42 * times), .init(kind: .freeze, target: host, count: 22 * times)]
            } + [
                .init(kind: .kill, target: Faults.broker, count: 34 * times), .init(kind: .freeze, target: Faults.broker, count: 20 * times),
                .init(kind: .kill, target: Faults.supervisor, count: 20 * min(times, 10)),
                .init(kind: .freeze, target: Faults.supervisor, count: 16 * times),
                .init(kind: .upgrade, target: "Counter", count: 20 * times),
            ] + (fillsDisk ? [.init(kind: .fill, target: Faults.disk, count: 20 * times)] : [])
        }

        @Test func `whatever is killed, frozen, upgraded or without room, nothing is lost, nothing is repeated and the order is kept`()
            async throws
        {
            let seed = ChaosRun.seed()
            ChaosRun.isTold(of: seed)
            var disk: SmallDisk?
            defer { disk?.unmount() }
            try await CounterVersions.play(DurablePlugins.publishers, settings: Self.settings + Self.small, waitsUntilReady: false) { cluster, diary in
                // The diary is on another disk: it is the test's.
                disk = SmallDisk.mounted(on: cluster.run.path, megabytes: 96 + 12 * Self.times, for: "faults of a full disk")
                let plan = FaultPlan(seed: seed, Self.shares(Self.times, fillsDisk: disk != nil))
                try await cluster.up()
                let run = try await ChaosRun(cluster, diary, plan, disk: disk)
                var isGood = false
                // The disk goes with the story.
                defer { if !isGood { Self.keep(cluster) } }
                try await run.play()
                let books = try await run.books()
                run.faults.printLog()
                run.printTable(books, Self.settings + Self.small)
                #expect(books.isBalanced, "seed \(seed): \(books)")
                let totals = try await Counting.totals(cluster)
                #expect(totals == books.totals, "seed \(seed): the state is not what was settled")
                let audit = try await cluster.cli("audit")
                #expect(audit.status == 0, "seed \(seed): \(audit)")
                isGood = books.isBalanced && totals == books.totals && audit.status == 0

                let faults = run.faults
                #expect(faults.all.count == plan.steps.count && faults.all.count >= min(10_000, 300 * Self.times))
                #expect(faults.insideAwait * 3 >= faults.all.count, "\(faults.insideAwait) of \(faults.all.count)")
                for role in [Self.counter, "AlphaOrchestration", "BetaOrchestration", Faults.broker, Faults.supervisor] {
                    #expect(faults.count(.kill, role) >= 20, "\(role)")
                }
                let handOvers = run.upgrades.seen.value
                #expect(handOvers.done > 0 && handOvers.done + handOvers.calledOff.values.reduce(0, +) == faults.count(.upgrade), "\(run.upgrades)")
                // Every one of them was answered, unless there was nobody: another supervisor came just then.
                #expect(handOvers.calledOff.keys.allSatisfy { $0.hasPrefix("refused.") || $0 == "cluster.unreachable" }, "\(run.upgrades)")
                let left = try await cluster.client.status(when: "all to be ready") { $0.modules.allSatisfy { $0.state.phase == .ready } }
                #expect(left.modules.count == 3)
            }
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

        private static let controlSeed = ChaosRun.seed()

        @Test(arguments: [true, false])
        func `the same faults are survived with repair and not without it`(_ repairs: Bool) async throws {
            let seed = Self.controlSeed
            ChaosRun.isTold(of: seed)
            let plan = FaultPlan(
                seed: seed,
                [
                    .init(kind: .kill, target: "Counter", count: 7), .init(kind: .freeze, target: "Counter", count: 4),
                    .init(kind: .kill, target: Faults.broker, count: 2),
                    // Something has to be under way: with the broker gone first nobody would say anything, and nothing could be lost.
                ], aimed: 0, opening: (.kill, "Counter"))
            let host = Built.path("relux-host-unrepaired")
            try await DurablePlugins.play(DurablePlugins.publishers, settings: Self.settings, host: host) { cluster, diary in
                let run = try await ChaosRun(cluster, diary, plan)
                // From here on whoever starts again asks for nothing.
                if !repairs { try "".write(toFile: cluster.directory + "/unrepaired", atomically: true, encoding: .utf8) }
                try await run.play(isMerciful: repairs)
                let books = repairs ? try await run.books() : try await run.booksAfterSilence(of: .seconds(5))
                run.printTable(books, Self.settings)
                #expect(books.isBalanced == repairs, "seed \(seed): \(books)")
                #expect(books.lost.isEmpty == repairs, "seed \(seed): \(books)")
                #expect(books.repeated.isEmpty, "seed \(seed): \(books)")
            }
        }
    }
}
