import Foundation
import ReluxTestKit
import Testing

extension EndToEnd {
    @Suite struct PublisherKills {
        @Test func `a publisher killed again and again emits its series once, with the broker and the supervisor killed between`() async throws {
            let seed = UInt64.random(in: 1...(.max))
            print("seed \(seed)")
            var random = SeededRandom(seed: seed)
            try await DurablePlugins.play(["Alpha"]) { cluster, diary in
                let series = Writer.series("Alpha", on: cluster, count: 10, pause: 3000)
                try await series.answers(5)
                let faults = try Faults(cluster, diary)
                for number in 1...40 {
                    let pid = try await faults.life(of: "AlphaOrchestration")
                    try await series.answers(1)
                    try await faults.handlers.isBusy(pid)
                    try await Task.sleep(for: .microseconds(Int64(random.below(20_000))))
                    try await faults.kill("AlphaOrchestration", pid)
                    if number == 15 {
                        try await faults.kill(Faults.broker, try await faults.life(of: Faults.broker))
                    } else if number == 30 {
                        try await faults.kill(Faults.supervisor, try await faults.life(of: Faults.supervisor))
                        try await cluster.noProcessIsLeft()
                        faults.noProcessIsLeft()
                        try await cluster.up()
                    }
                }
                try await series.stop()
                let books = try Books(diary, drivers: [series])
                faults.printLog()
                faults.printTable()
                print("    \(books)")
                #expect(books.isBalanced, "seed \(seed): \(books)")
                #expect(try await Counting.totals(cluster) == books.totals, "seed \(seed): a re-run emitted twice, or not at all")
            }
        }
    }
}
