import BusProbeKit
import Relux
@testable import ReluxBus
import ReluxControl
import ReluxLedger
import ReluxTestKit
import Synchronization
import Testing

extension Conformance {
    @Suite struct Load {
        @Test(arguments: Medium.allCases)
        func `two hundred concurrent awaits from A to B and back to A, four in flight`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                // From A's handler to B's, and from there to another one of A's: each gives its slot back while it waits.
                try await world.join(
                    "A", on: "h2", handles: [.till: .ask(.shop), .bank: .number(plus: 1)], emits: [.till, .shop],
                    runningLimit: 4)
                try await world.join("B", on: "h1", handles: [.shop: .ask(.bank)], emits: [.bank], runningLimit: 4)
                try await world.publish()
                let answers = try await world.sayAll(.till, 0..<200, by: "A")
                #expect(answers.count == 200)
                for (number, answer) in answers { #expect(answer.isSuccess && answer.value(from: "A") == number + 1, "\(answer)") }
            }
        }

        @Test(arguments: Medium.allCases)
        func `four in flight are four that run: the fifth waits until one has ended`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("B", on: "h1", handles: [.shop: .pass(gate: "end", then: .note(then: .succeed))], runningLimit: 4)
                try await world.join("A", on: "h2", emits: [.shop])
                try await world.publish()
                async let answers = world.sayAll(.shop, 0..<20, by: "A")
                try await world.seen.wait(for: "four handlers") { $0.waiting["end"] == 4 }
                #expect(world.seen.value.numbers("B").isEmpty)
                try await world.open("end", on: "h1")
                #expect(try await answers.values.allSatisfy(\.isSuccess))
                try await world.seen.wait(for: "all of them") { $0.numbers("B").count == 20 }
            }
        }

        @Test(arguments: Medium.allCases)
        func `five thousand awaits, fifty at a time, each bring their own value back`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Shop", on: "h1", handles: [.shop: .number(times: 2)])
                try await world.join("Buyer", on: "h2", emits: [.shop])
                try await world.publish()
                let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
                    for lane in 0..<50 {
                        group.addTask {
                            var wrong = 0
                            for number in lane * 100..<(lane + 1) * 100
                            where try await world.say(.shop, number, by: "Buyer").value(from: "Shop") != number * 2 { wrong += 1 }
                            return wrong
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(wrong == 0)
            }
        }

        @Test(arguments: [Medium.inMemory, .processes])
        func `a frozen recipient slows nobody else, and afterwards gets everything in order`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                // A short queue, so that frames for the frozen one are dropped and have to be repaired.
                try world.start(here: "h3", queuedFrameLimit: 100)
                let script = Script.note(then: .succeed)
                try await world.join("Frozen", on: "h1", handles: [.shop: script], isSerial: true)
                try await world.join("Quick", on: "h2", handles: [.shop: script], isSerial: true)
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                #expect(try await world.say(.shop, 0, by: "Buyer").isSuccess)
                world.freeze("h1")
                async let waiting = world.sayAll(.shop, 1..<2001, padding: 3000, by: "Buyer")
                // The other one hears all of it meanwhile.
                try await world.seen.wait(for: "all of it at the quick one") { $0.numbers("Quick").count == 2001 }
                #expect(world.seen.value.numbers("Frozen") == [0])
                world.thaw("h1")
                #expect(try await waiting.values.allSatisfy(\.isSuccess))
                try await world.seen.wait(for: "all of it at the frozen one") { $0.numbers("Frozen").count >= 2001 }
                #expect(try await world.told().numbers("Frozen") == world.told().numbers("Quick"))
                guard medium == .processes else { return }
                let counters = try await world.counters(of: "h1")
                #expect(counters.repaired > 0, "\(counters)")
            }
        }

        @Test func `a source waits while the queue is over its limit`() async throws {
            try await over(.inMemory) { world in
                try world.start("h1")
                let host = try world.start(here: "h2", queuedByteLimit: 1000)
                try await world.join("Shop", on: "h1", handles: [.shop: .value(1)])
                try await world.join("Buyer", on: "h2", emits: [.shop])
                try await world.publish()
                #expect(try await world.say(.shop, by: "Buyer").isSuccess)
                world.freeze("h2")
                async let waiting = world.sayAll(.shop, 0..<50, by: "Buyer")
                while host.endpoint.intake.withLock({ $0.waiting }) < 30 { await Task.yield() }
                world.thaw("h2")
                #expect(try await waiting.values.allSatisfy(\.isSuccess))
                #expect(host.endpoint.intake.withLock { $0.waiting } == 0)
            }
        }

        @Test(arguments: Medium.allCases)
        func `a source is refused when too much is unsettled at a recipient until its deadline`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                let host = try world.start(here: "h2", unsettledByteLimit: 2000)
                try await world.join("Shop", on: "h1", handles: [.shop: .pass(gate: "end", then: .succeed)])
                try await world.join("Buyer", on: "h2", emits: [.shop], deadline: .milliseconds(600))
                try await world.publish()
                let answers = try await world.sayAll(.shop, 0..<100, by: "Buyer")
                let refused = try await world.say(.shop, by: "Buyer")
                #expect(refused.statuses == ["Shop": .refused])
                #expect(refused.codes == ["overloaded"])
                #expect(!answers.values.contains { $0.isSuccess })
                try await world.open("end", on: "h1")
                while host.endpoint.intake.withLock({ !$0.overloaded.isEmpty }) { await Task.yield() }
                // The pending effects have gone; one more may still be slower than the short deadline.
                #expect(try await world.say(.shop, by: "Buyer").codes.contains("overloaded") == false)
                // A refused effect is in no book.
                let accepted = answers.values.count { !$0.codes.contains("overloaded") } + 1
                let book = try #require(try await world.settledLedger(of: "Buyer").books[Domain.shop.topic]?["Shop"])
                #expect(book.accepted == UInt64(accepted) && book.succeeded == book.accepted, "\(book)")
            }
        }
    }
}
