import Foundation
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Upgrades {
        private static let isFull = ProcessInfo.processInfo.environment["RELUX_TEST_FULL"] != nil

        @Test func `upgrades to and fro between two builds under constant load lose nothing, repeat nothing and keep the order`() async throws {
            let count = Self.isFull ? 200 : 40
            try await CounterVersions.play(DurablePlugins.publishers) { cluster, diary in
                let series = DurablePlugins.publishers.map { Writer.series($0, on: cluster, window: 2, count: 8, pause: 1000) }
                let writers = ["one", "two"].map { Writer.adding($0, on: cluster, window: 4, pause: 1000) }
                for one in series + writers { try await one.answers(2) }
                let handOvers = HandOvers(cluster: cluster)
                var pauses: [Double] = []
                for number in 1...count {
                    let version = number % 2 == 1 ? CounterVersions.second : CounterVersions.first
                    let lines = try await number % 2 == 0 ? handOvers.rollback() : handOvers.upgrade(to: version)
                    pauses.append(try #require(HandOvers.pause(in: lines), "\(lines)"))
                    #expect(try await cluster.client.module("Counter").version == version)
                    try await writers[number % 2].answers(5)
                }
                for one in series + writers { try await one.stop() }
                let books = try Books(diary, writers: writers, drivers: series)
                print("    \(count) upgrades: \(books)")
                print("    pause by the broker's clock: \(HandOvers.figures(pauses))")
                print("    from a handler's start to the next one's: \(HandOvers.figures(try HandOvers.pauses(in: diary)))")
                #expect(books.isBalanced, "\(books)")
                #expect(books.reruns == 0)
                #expect(try await Counting.totals(cluster) == books.totals)
                print("    " + (try await handOvers.audit()).stdout.replacingOccurrences(of: "\n", with: "\n    "))
                let module = try await cluster.client.module("Counter")
                #expect(module.restarts == 0)
                #expect(cluster.processes.count == 2 + 3, "\(cluster.processes)")
            }
        }

        /// A suspended virtual machine, or one that is starved: each limit of a start, of a hand-over and of silence is shorter than this.
        @Test(.enabled(if: isFull))
        func `a machine that stands still in the midst of upgrades loses nothing, kills nobody else and refuses nothing`() async throws {
            try await CounterVersions.play(DurablePlugins.publishers) { cluster, diary in
                let series = DurablePlugins.publishers.map { Writer.series($0, on: cluster, window: 2, count: 8, pause: 1000) }
                for one in series { try await one.answers(2) }
                let handOvers = HandOvers(cluster: cluster)
                let counter = try await cluster.client.module("Counter").pid
                let others = Set(cluster.processes.filter { $0.pid != counter }.map(\.life))
                var caught = 0
                for number in 1...4 {
                    let version = number % 2 == 1 ? CounterVersions.second : CounterVersions.first
                    async let upgrade = number % 2 == 1 ? handOvers.upgrade(to: version) : handOvers.rollback()
                    let status = try await cluster.client.status(when: "an upgrade under way") { status in
                        status.modules.contains { $0.id == "Counter" && ($0.handover != nil || $0.version == version) }
                    }
                    if status.modules.contains(where: { $0.handover != nil }) { caught += 1 }
                    let frozen = cluster.processes.map { Freeze($0.pid) }
                    try await Task.sleep(for: .seconds(32))
                    for process in frozen { process.thaw() }
                    let lines = try await upgrade
                    #expect(HandOvers.pause(in: lines) != nil, "\(lines)")
                    for one in series { try await one.answers(2) }
                }
                for one in series { try await one.stop() }
                #expect(caught > 0, "each upgrade was over before the machine stood still")
                let books = try Books(diary, drivers: series)
                #expect(books.isBalanced && books.reruns == 0, "\(books)")
                #expect(others.isSubset(of: cluster.processes.map(\.life)), "\(cluster.processes)")
                _ = try await handOvers.audit()
            }
        }

        @Test func `a module is upgraded out of a shared host, and its neighbours do not notice`() async throws {
            let hosts = ["Counter": "pool", "AlphaOrchestration": "pool", "BetaOrchestration": "pool"]
            try await CounterVersions.play(DurablePlugins.publishers, hosts: hosts) { cluster, diary in
                let series = DurablePlugins.publishers.map { Writer.series($0, on: cluster, window: 2, count: 8, pause: 1000) }
                for one in series { try await one.answers(2) }
                let handOvers = HandOvers(cluster: cluster)
                let pool = try await cluster.client.module("Counter").pid
                try await handOvers.upgrade(to: CounterVersions.second)
                let counter = try await handOvers.over()
                #expect(counter.pid != pool && counter.host == "Counter" && counter.version == CounterVersions.second)
                for one in series { try await one.answers(2) }
                for name in DurablePlugins.publishers {
                    let neighbour = try await cluster.client.module("\(name)Orchestration", is: .ready)
                    #expect(neighbour.pid == pool && neighbour.restarts == 0 && neighbour.host == "pool")
                }
                for one in series { try await one.stop() }
                let books = try Books(diary, drivers: series)
                #expect(books.isBalanced, "\(books)")
                #expect(try await Counting.totals(cluster) == books.totals)
                _ = try await handOvers.audit()
            }
        }

        @Test func `a module moves into another's host and back to a process of its own under load`() async throws {
            try await CounterVersions.play(DurablePlugins.publishers) { cluster, diary in
                let series = DurablePlugins.publishers.map { Writer.series($0, on: cluster, window: 2, count: 8, pause: 1000) }
                for one in series { try await one.answers(2) }
                let handOvers = HandOvers(cluster: cluster)
                let pids = try await cluster.client.status().modules.reduce(into: [:]) { $0[$1.id.rawValue] = $1.pid }
                for round in 0..<3 {
                    try await handOvers.move(to: "AlphaOrchestration")
                    let shared = try await handOvers.over()
                    #expect(shared.host == "AlphaOrchestration" && shared.pid == pids["AlphaOrchestration"], "round \(round)")
                    for one in series { try await one.answers(2) }
                    try await handOvers.move(to: nil)
                    let alone = try await handOvers.over()
                    #expect(alone.host == "Counter" && alone.pid != pids["AlphaOrchestration"], "round \(round)")
                    for one in series { try await one.answers(2) }
                }
                for one in series { try await one.stop() }
                let books = try Books(diary, drivers: series)
                #expect(books.isBalanced && books.reruns == 0, "\(books)")
                #expect(try await Counting.totals(cluster) == books.totals)
                for name in DurablePlugins.publishers {
                    let other = try await cluster.client.module("\(name)Orchestration")
                    #expect(other.pid == pids[other.id.rawValue] && other.restarts == 0)
                }
                _ = try await handOvers.audit()
            }
        }

        @Test func `a version that can tell its state in the older shape is rolled back, one that cannot says so`() async throws {
            try await CounterVersions.play([]) { cluster, diary in
                let writer = Writer.adding("one", on: cluster, window: 4, pause: 1000)
                try await writer.answers(10)
                let handOvers = HandOvers(cluster: cluster)
                #expect(await handOvers.failure { try await handOvers.rollback() }?.contains("no upgrade of it is remembered") == true)
                try await handOvers.upgrade(to: CounterVersions.second)
                try await writer.answers(10)
                let plan = try await handOvers.rollback(dryRun: true)
                #expect(plan.contains { $0.contains(CounterVersions.first) }, "\(plan)")
                try await handOvers.rollback()
                #expect(try await handOvers.over().version == CounterVersions.first)
                try await writer.answers(10)
                try await handOvers.upgrade(to: CounterVersions.last)
                try await writer.answers(10)
                let refusal = try #require(await handOvers.failure { try await handOvers.rollback() })
                #expect(refusal.contains("no way back") && refusal.contains("Counter.Business.Total"), "\(refusal)")
                let module = try await handOvers.over()
                #expect(module.version == CounterVersions.last)
                try await writer.stop()
                let books = try Books(diary, writers: [writer])
                #expect(books.isBalanced && books.reruns == 0, "\(books)")
                #expect(try await Counting.totals(cluster) == books.totals)
            }
        }

        @Test func `what an upgrade has made serves after down and up as well`() async throws {
            try await CounterVersions.play([]) { cluster, diary in
                let writer = Writer.adding("one", on: cluster, window: 4, pause: 1000)
                try await writer.answers(10)
                try await HandOvers(cluster: cluster).upgrade(to: CounterVersions.second)
                try await writer.answers(10)
                try await writer.stop()
                let totals = try Books(diary, writers: [writer]).totals
                try await cluster.end()
                try await cluster.up()
                #expect(try await cluster.client.module("Counter", is: .ready).version == CounterVersions.second)
                #expect(try await Counting.totals(cluster) == totals)
            }
        }
    }
}
