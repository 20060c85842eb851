import Glibc
import Relux
import ReluxControl
@testable import ReluxHost
import ReluxTestKit
import Synchronization
import Testing

/// Orders to serve that overtake each other, or come from a broker that was away.
@Suite(.timeLimit(.minutes(2))) struct StrayOrderTests {
    @Test func `another attempt at the same host ends what it was in the one before, without a word of it`() async throws {
        try await HandOverBench.play { bench in
            try await bench.standBy("new", Tallying.second)
            try await bench.handOver(from: "old")
            try await bench.serve(at: "new")
            try await bench.broker.module("Shop", in: "new", is: .waiting)
            try await bench.serve(at: "new")
            try await bench.open("Shop", at: "new", waits: 2)
            #expect(try await bench.buy(4) == 4)
            // Each word that it stands by would be answered with another epoch.
            #expect(bench.broker.heard.value.phases("new", "Shop").count { $0 == .standby } == 1)
        }
    }

    @Test func `of attempts that wait for a journal the last one ordered counts, and makes the module, once`() async throws {
        let made = Mutex(0)
        let second = Tallying.box("2.0.0") {
            made.withLock { $0 += 1 }
            let state = SecondTally()
            return Tallying(states: [state], sagas: [Telling { await state.stored.total }])
        }
        try await HandOverBench.play { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", second)
            try await bench.handOver(from: "old")
            let lock = open(bench.run.journal(of: "Shop") + "/lock", O_RDWR)
            defer { close(lock) }
            try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
            for count in 1...3 {
                try await bench.serve(at: "new")
                try await bench.broker.module("Shop", in: "new", is: .recovering, count: count)
            }
            #expect(made.withLock { $0 } == 0)
            flock(lock, LOCK_UN)
            try await bench.open("Shop", at: "new")
            #expect(made.withLock { $0 } == 1)
            #expect(await bench.runtime(of: "new")?.machine.modules["Shop"]?.life.membership?.epoch == Epoch(4))
            #expect(try await bench.buy(4) == 7)
            #expect(bench.broker.heard.value.refusals("new") == [])
        }
    }

    @Test func `a welcome under the epoch that was handed over opens nothing and refuses nothing`() async throws {
        try await HandOverBench.play { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Tallying.second)
            try await bench.handOver(from: "old")
            bench.welcome("old", under: Epoch(1))
            try await bench.broker.module("Shop", in: "old", is: .standby, count: 2)
            #expect(bench.broker.heard.value.refusals("old") == [])
            #expect(bench.broker.heard.value.phases("old", "Shop").count { $0 == .recovering } == 1)
            try await bench.serve(at: "new")
            try await bench.open("Shop", at: "new")
            #expect(try await bench.buy(4) == 7)
        }
    }
}
