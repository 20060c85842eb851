import Foundation
import ReluxControl
import ReluxTestKit
import Testing

extension EndToEnd {
    @Suite struct CounterKills {
        @Test func `a counter killed a hundred times under load ends at exactly the number of accepted effects`() async throws {
            let seed = UInt64.random(in: 1...(.max))
            print("seed \(seed)")
            var random = SeededRandom(seed: seed)
            try await DurablePlugins.play([]) { cluster, diary in
                let writers = ["one", "two"].map { Writer.adding($0, on: cluster, pause: 8000) }
                for writer in writers { try await writer.answers(50) }
                let faults = try Faults(cluster, diary)
                for number in 1...100 {
                    let pid = try await faults.life(of: "Counter")
                    if number % 3 == 0 {
                        // At any moment of its life, its start included.
                        try await Task.sleep(for: .milliseconds(Int64(random.below(300))))
                    } else {
                        // No effect may kill it five times alone: something settles between two deaths of this kind.
                        try await writers[number % 2].answers(1)
                        try await faults.handlers.isBusy(pid)
                        try await Task.sleep(for: .microseconds(Int64(random.below(5000))))
                    }
                    try await faults.kill("Counter", pid)
                }
                for writer in writers { try await writer.stop() }
                let books = try Books(diary, writers: writers)
                faults.printLog()
                faults.printTable()
                print("    \(books)")
                #expect(books.isBalanced, "seed \(seed): \(books)")
                let totals = try await Counting.totals(cluster)
                #expect(totals == books.totals, "seed \(seed)")
                #expect(books.totals.count == writers.reduce(0) { $0 + $1.seen.value.sent })
                #expect(faults.insideAwait * 3 >= faults.count(.kill))
                let restarts = try await cluster.client.module("Counter").restarts
                #expect(restarts == 100)
            }
        }
    }
}
