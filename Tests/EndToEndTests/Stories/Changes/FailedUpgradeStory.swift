import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct FailedUpgrades {
        private static let isFull = ProcessInfo.processInfo.environment["RELUX_TEST_FULL"] != nil

        @Test(arguments: [
            (CounterVersions.crashing, "signal 4"), (CounterVersions.unreadable, "stored"), (CounterVersions.throwing, "not today"),
            (CounterVersions.breaking, "urgency"), (CounterVersions.tampered, "the manifest says"),
        ])
        func `a version that cannot take over leaves the old one serving, and says why`(_ version: String, _ why: String) async throws {
            try await CounterVersions.play(["Alpha"]) { cluster, diary in
                let series = Writer.series("Alpha", on: cluster, window: 2, count: 8, pause: 1000)
                let writer = Writer.adding("one", on: cluster, window: 4, pause: 1000)
                for one in [series, writer] { try await one.answers(2) }
                let handOvers = HandOvers(cluster: cluster)
                let before = try await cluster.client.module("Counter")
                let failure = try #require(await handOvers.failure { try await handOvers.upgrade(to: version) })
                #expect(failure.contains(why), "\(failure)")
                let after = try await handOvers.over()
                #expect(after.version == CounterVersions.first && after.pid == before.pid && after.restarts == 0)
                for one in [series, writer] { try await one.answers(5) }
                // The next attempt is not held up by this one.
                try await handOvers.upgrade(to: CounterVersions.second)
                for one in [series, writer] { try await one.answers(5) }
                for one in [series, writer] { try await one.stop() }
                let books = try Books(diary, writers: [writer], drivers: [series])
                #expect(books.isBalanced && books.reruns == 0, "\(books)")
                #expect(try await Counting.totals(cluster) == books.totals)
                _ = try await handOvers.audit()
            }
        }

        @Test func `killed in the middle of a hand-over, old, new, broker and supervisor lose nothing and leave one that serves`() async throws {
            let seed = UInt64.random(in: 1...(.max))
            print("seed \(seed)")
            var random = SeededRandom(seed: seed)
            try await CounterVersions.play(["Alpha"]) { cluster, diary in
                let series = Writer.series("Alpha", on: cluster, window: 2, count: 8, pause: 1000)
                let writers = ["one", "two"].map { Writer.adding($0, on: cluster, window: 4, pause: 1000) }
                for one in [series] + writers { try await one.answers(2) }
                let (handOvers, faults) = (HandOvers(cluster: cluster), try Faults(cluster, diary))
                var (done, undone) = (0, 0)
                // The cluster's end and beginning take long: only now and then.
                for round in 0..<(Self.isFull ? 100 : 13) {
                    // An effect that is hit five times alone would be given up: something settles between two deaths.
                    for writer in writers { try await writer.answers(10) }
                    let present = try await handOvers.over()
                    let isFirst = present.version == CounterVersions.first
                    let successor = present.host == "Counter" ? "Counter.2" : "Counter"
                    let target = round % 10 == 9 ? Faults.supervisor : [present.host.rawValue, successor, Faults.broker][round % 3]
                    let upgrade = Task {
                        await handOvers.failure { try await isFirst ? handOvers.upgrade(to: CounterVersions.second) : handOvers.rollback() }
                    }
                    // Its process comes first; from then on there are some tens of milliseconds.
                    if target != Faults.supervisor { try await appears(successor, cluster.run.path, unless: upgrade) }
                    try await Task.sleep(for: .milliseconds(Int64(random.below(150))))
                    guard let pid = Faults.pid(target, in: cluster.run.path) else {
                        // It was over before.
                        _ = await upgrade.value
                        continue
                    }
                    try await faults.kill(target, pid)
                    if target == Faults.supervisor {
                        // Whatever is answered is answered by another life of the cluster.
                        try await cluster.noProcessIsLeft()
                        try await cluster.up()
                    } else if await upgrade.value == nil {
                        done += 1
                    } else {
                        undone += 1
                    }
                    let module = try await handOvers.over()
                    #expect([CounterVersions.first, CounterVersions.second].contains(module.version))
                }
                for one in [series] + writers { try await one.stop() }
                let books = try Books(diary, writers: writers, drivers: [series])
                faults.printLog()
                print("    seed \(seed): \(done) hand-overs came about all the same, \(undone) did not; \(books)")
                #expect(books.isBalanced, "seed \(seed): \(books)")
                #expect(try await Counting.totals(cluster) == books.totals, "seed \(seed)")
                _ = try await handOvers.audit()
                let counters = cluster.processes.filter { $0.arguments.contains { $0.hasPrefix("Counter") && !$0.contains("/") } }
                #expect(counters.count == 1, "\(counters)")
            }
        }

        /// Returns when the process is there, or the hand-over is over.
        private func appears(_ host: String, _ run: String, unless upgrade: Task<String?, Never>) async throws {
            let isOver = Watched(false)
            let watch = Task {
                _ = await upgrade.value
                isOver.update { $0 = true }
            }
            defer { watch.cancel() }
            while Faults.pid(host, in: run) == nil, !isOver.value { try await Task.sleep(for: .milliseconds(5)) }
        }
    }
}
