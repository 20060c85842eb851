import Foundation
import Relux
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct DurableDown {
        @Test func `a counter keeps its value over down and up, and what was parked is settled then`() async throws {
            let settings = DurablePlugins.quick + ["  stop:", "    drain: 500ms", "    term: 500ms"]
            try await DurablePlugins.play([], settings: settings) { cluster, diary in
                let writer = Writer.adding("one", on: cluster, pause: 1000)
                try await writer.answers(200)
                try await writer.stop()
                let before = try Books(diary, writers: [writer]).totals
                try await cluster.end()
                try await cluster.up()
                #expect(try await Counting.totals(cluster) == before)

                // Parked: accepted while the counter does not run, and still so when all goes down.
                let frozen = Freeze(try await cluster.client.module("Counter").pid)
                var parked = before
                for number in 1001...1010 {
                    let payload = ByteString(
                        try CBOR.encode(Counting.Effect.add(publisher: "two", run: 0, number: number, pause: 500)))
                    let answer = try await cluster.client.talk {
                        try Client.emit(Counting.topic, payload, "two", .milliseconds(50), $0)
                    }
                    #expect(answer.outcomes.map(\.status) == [.unanswered], "\(answer)")
                    parked.count += 1
                    parked.sum += number
                }
                try await cluster.end()
                frozen.thaw()
                try await cluster.up()
                let ended = try await offPool {
                    try poll(for: "the handlers of what was parked", watching: [diary.path], last: { "\((try? diary.lines().count) ?? 0) lines" }) {
                        let numbers = try diary.lines().filter { $0.what == "end" && $0.key.publisher == "two" }.map(\.key.number)
                        return numbers.count >= 10 ? numbers : nil
                    }
                }
                #expect(ended.sorted() == Array(1001...1010))
                #expect(try await Counting.totals(cluster) == parked)

                // Settled for good: another life does not handle them again.
                try await cluster.end()
                try await cluster.up()
                #expect(try await Counting.totals(cluster) == parked)
                #expect(try diary.lines().count { $0.what == "start" } == parked.count)
            }
        }
    }
}
