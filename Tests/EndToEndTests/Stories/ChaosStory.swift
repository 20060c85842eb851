import Foundation
import Glibc
import ReluxBus
import ReluxTestKit
import Testing

extension EndToEnd {
    @Suite struct Chaos {
        private static let isFull = ProcessInfo.processInfo.environment["RELUX_TEST_FULL"] != nil
        private static let hosts = ["Counter", "AlphaOrchestration", "BetaOrchestration"]

        @Test func `killed and frozen at random, hosts and broker lose nothing, repeat nothing and keep the order`() async throws {
            let seed = UInt64.random(in: 1...(.max))
            print("seed \(seed)")
            var random = SeededRandom(seed: seed)
            try await DurablePlugins.play(DurablePlugins.publishers) { cluster, diary in
                let series = DurablePlugins.publishers.map { Writer.series($0, on: cluster, window: 2, count: 8, pause: 5000) }
                for one in series { try await one.answers(2) }
                let faults = Faults(cluster, diary)
                let clock = ContinuousClock()
                let end = clock.now + (Self.isFull ? .seconds(240) : .seconds(25))
                // Of each writer's answers at the target's last death: an effect that is hit five times alone would be given up.
                var progress: [String: Int] = [:]
                while clock.now < end || Self.isFull && !Self.isEnough(faults) {
                    try await Task.sleep(for: .milliseconds(Int64(random.below(200))))
                    let targets = Self.hosts + [Faults.broker] + (Self.isFull ? [Faults.supervisor] : [])
                    let target = targets[random.below(targets.count)]
                    guard let pid = faults.pid(target), target != Faults.supervisor || random.below(3) == 0 else { continue }
                    if target != Faults.supervisor, random.below(3) == 0 {
                        let freeze = faults.freeze(target, pid)
                        try await Task.sleep(for: .milliseconds(Int64(20 + random.below(400))))
                        freeze.thaw()
                        faults.thawed(target, pid)
                        continue
                    }
                    let answers = series.reduce(0) { $0 + $1.seen.value.answers.count }
                    guard answers > progress[target] ?? -1 else { continue }
                    progress[target] = answers
                    try await faults.kill(target, pid)
                    if target == Faults.supervisor {
                        try await cluster.noProcessIsLeft()
                        try await cluster.up()
                    }
                }
                for one in series { try await one.stop() }
                let books = try Books(diary, drivers: series)
                faults.printLog()
                print("    seed \(seed): \(faults.all.count) faults; \(books)")
                #expect(books.isBalanced, "seed \(seed): \(books)")
                #expect(try await Counting.totals(cluster) == books.totals, "seed \(seed)")
                // A third of the long run; what so few faults hit is chance.
                #expect(faults.all.count(where: \.isInsideAwait) * 6 >= faults.count("kill"))
                let left = try await cluster.client.status()
                #expect(left.modules.allSatisfy { $0.state.phase == .ready }, "\(Client.text(left))")
            }
        }

        private static func isEnough(_ faults: Faults) -> Bool {
            (hosts + [Faults.broker, Faults.supervisor]).allSatisfy { faults.count("kill", $0) >= 20 }
        }
    }
}
