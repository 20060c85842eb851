import BusProbeKit
import Relux
@testable import ReluxBus
import ReluxControl
import ReluxLedger
import ReluxTestKit
import Testing

extension Conformance {
    /// `transient` and `machine` mean the same over each medium.
    @Suite struct Durabilities {
        @Test(arguments: Medium.allCases)
        func `a transient effect is awaited as any other, and no journal knows of it`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Shop", on: "h1", handles: [.news: .number(times: 2), .shop: .succeed])
                try await world.join("Buyer", on: "h2", handles: [.news: .number(plus: 1)], emits: [.news, .shop])
                try await world.publish()
                // Behind the first answer everybody is heard.
                _ = try await world.say(.shop, by: "Buyer")
                let answer = try await world.say(.news, 21, by: "Buyer")
                #expect(answer.value(from: "Shop") == 42 && answer.value(from: "Buyer") == 22)
                let ledger = try await world.settledLedger(of: "Buyer")
                #expect(ledger.books[Domain.news.topic] == nil && ledger.streams[Domain.news.topic] == nil)
                #expect(ledger.books[Domain.shop.topic]?["Shop"]?.accepted == 1)
                let stream = StreamID(publisher: "Buyer", topic: Domain.news.topic)
                #expect(try world.ledger(of: "Shop").cursors[stream] == nil && ledger.cursors[stream] == nil)
                #expect(try await world.counters(of: "h1").missed == 0)
            }
        }

        @Test(arguments: Medium.allCases)
        func `a transient effect that pends on a process that dies is lost with it, the next life does not get it`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                let script: [Domain: Script] = [.news: .note(then: .pass(gate: "never", then: .succeed)), .shop: .note(then: .value(3))]
                try await world.join("Shop", on: "h1", handles: script)
                try await world.join("Buyer", on: "h2", emits: [.news, .shop])
                try await world.publish()
                _ = try await world.say(.shop, 1, by: "Buyer")
                async let pending = world.say(.news, 2, by: "Buyer")
                try await world.seen.wait(for: "the handler") { $0.waiting["never"] == 1 }
                try await world.kill("h1")
                #expect(try await pending.statuses == ["Shop": .lost])
                // Nobody is there: nobody will hear it. What is durable waits for the next life.
                #expect(try await world.say(.news, 3, by: "Buyer").statuses == ["Shop": .lost])
                async let durable = world.say(.shop, 4, by: "Buyer")
                try world.start("h1")
                try await world.join("Shop", on: "h1", handles: script)
                try await world.publish()
                #expect(try await durable.value(from: "Shop") == 3)
                let told = try await world.told()
                #expect(told.numbers("Shop") == [1, 2, 4], "\(told.came)")
            }
        }

        @Test(arguments: Medium.allCases)
        func `what a handler of a transient effect says is kept as it is declared, and nothing of the cause stays`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Middle", on: "h1", handles: [.news: .ask(.bank), .shop: .succeed], emits: [.bank])
                try await world.join("Buyer", on: "h2", handles: [.bank: .number(plus: 1)], emits: [.news, .shop])
                try await world.publish()
                _ = try await world.say(.shop, by: "Buyer")
                for number in 0..<10 { #expect(try await world.say(.news, number, by: "Buyer").value(from: "Middle") == number + 1) }
                let ledger = try await world.settledLedger(of: "Middle")
                #expect(ledger.books[Domain.bank.topic]?["Buyer"]?.succeeded == 10)
                #expect(ledger.causes.isEmpty)
            }
        }

        @Test(arguments: Medium.allCases)
        func `a recipient that cannot keep up misses what is transient, and the books of what is durable balance`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2", queuedFrameLimit: 10)
                try await world.join("Shop", on: "h1", handles: [.news: .note(then: .succeed), .shop: .note(then: .succeed)])
                try await world.join("Buyer", on: "h2", emits: [.news, .shop], deadline: .milliseconds(200))
                try await world.publish()
                _ = try await world.say(.shop, 1_000_000, by: "Buyer")
                world.freeze("h1")
                // More than any queue on the way takes.
                let count = 3000
                for start in stride(from: 0, to: count, by: 100) {
                    _ = try await world.sayAll(.news, start..<(start + 100), padding: 6000, by: "Buyer")
                }
                world.thaw("h1")
                var number = count
                repeat {
                    _ = try await world.say(.news, number, by: "Buyer")
                    number += 1
                    // The durable one may come at any time: it is repaired.
                } while !world.seen.value.numbers("Shop").contains { (count..<1_000_000).contains($0) }
                let handled = try await world.told().numbers("Shop").filter { $0 < count }
                let missed = Int(try await world.counters(of: "h1").missed)
                #expect(Set(handled).count == handled.count)
                // Sockets of one process have nobody who could be stopped: there it may keep up after all.
                #expect(missed > 0 || medium == .zeroMQ, "\(handled.count) of \(count) handled, \(missed) missed, \(number) said")
                #expect(handled.count + missed >= count && handled.count + missed <= number, "\(handled.count) of \(count) handled, \(missed) missed, \(number) said")
                #expect(try await world.settledLedger(of: "Buyer").books[Domain.news.topic] == nil)
            }
        }

        @Test(arguments: Medium.allCases)
        func `machine effects come in order, once, and are settled in both journals`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Shop", on: "h1", handles: [.vault: .note(then: .number(plus: 1))], isSerial: true)
                try await world.join("Buyer", on: "h2", handles: [.vault: .number(plus: 2)], emits: [.vault])
                try await world.publish()
                let answers = try await world.sayAll(.vault, 0..<300, by: "Buyer")
                for (number, answer) in answers {
                    #expect(answer.value(from: "Shop") == number + 1 && answer.value(from: "Buyer") == number + 2, "\(answer)")
                }
                #expect(try await world.told().numbers("Shop").count == 300)
                let ledger = try await world.settledLedger(of: "Buyer")
                #expect(ledger.books[Domain.vault.topic]?["Shop"]?.succeeded == 300)
                #expect(try world.ledger(of: "Shop").cursors[StreamID(publisher: "Buyer", topic: Domain.vault.topic)] != nil)
            }
        }

        @Test(arguments: Medium.allCases)
        func `machine effects wait for a killed recipient as others do`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                let script: [Domain: Script] = [.vault: .note(then: .number(plus: 1))]
                try await world.join("Shop", on: "h1", handles: script)
                try await world.join("Buyer", on: "h2", emits: [.vault])
                try await world.publish()
                async let answers = world.sayAll(.vault, 0..<2000, by: "Buyer")
                try await world.seen.wait(for: "load") { $0.numbers("Shop").count > 50 }
                try await world.kill("h1")
                try world.start("h1")
                try await world.join("Shop", on: "h1", handles: script)
                try await world.publish()
                for (number, answer) in try await answers { #expect(answer.value(from: "Shop") == number + 1, "\(answer)") }
                #expect(try await world.settledLedger(of: "Buyer").books[Domain.vault.topic]?["Shop"]?.succeeded == 2000)
            }
        }
    }
}
