import BusProbeKit
import Relux
@testable import ReluxBus
import ReluxLedger
import ReluxTestKit
import Synchronization
import Testing

extension Conformance {
    /// Between processes a crash is a `kill -9`; in one process the host is cut off.
    ///
    /// Journals are what survives: nothing that one has is lost, and nothing is handled again once its settlement is in one.
    @Suite struct Crashes {
        @Test(arguments: Medium.allCases)
        func `what pends on a killed recipient waits for its next life, with what is said meanwhile, and nobody waits in vain`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Shop", on: "h1", handles: [.shop: .pass(gate: "never", then: .value(1))])
                try await world.join("Till", on: "h2", handles: [.shop: .note(then: .value(2))], isSerial: true)
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                async let pending = world.sayAll(.shop, 0..<20, by: "Buyer")
                try await world.seen.wait(for: "handlers that wait") { $0.waiting["never"] == 20 }
                try await world.seen.wait(for: "the neighbour") { $0.numbers("Till").count == 20 }
                try await world.kill("h1")
                async let meanwhile = world.sayAll(.shop, 20..<40, by: "Buyer")
                try await world.seen.wait(for: "the neighbour") { $0.numbers("Till").count == 40 }
                try world.start("h1")
                try await world.join("Shop", on: "h1", handles: [.shop: .note(then: .value(3))], isSerial: true)
                try await world.publish()
                for answer in Array(try await pending.values) + Array(try await meanwhile.values) {
                    #expect(answer.value(from: "Shop") == 3 && answer.value(from: "Till") == 2, "\(answer)")
                }
                try await world.seen.wait(for: "all of the next life") { $0.numbers("Shop").count >= 40 }
                #expect(try await world.told().numbers("Shop") == world.told().numbers("Till"))
                #expect(try await world.say(.shop, by: "Buyer").value(from: "Shop") == 3)
            }
        }

        @Test(arguments: Medium.allCases)
        func `what a recipient had settled before it was killed is not handled again`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                let script: [Domain: Script] = [.shop: .note(then: .number(plus: 1))]
                try await world.join("Shop", on: "h1", handles: script)
                try await world.join("Buyer", on: "h2", emits: [.shop])
                try await world.publish()
                for life in 0..<3 {
                    for (number, answer) in try await world.sayAll(.shop, life * 20..<(life + 1) * 20, by: "Buyer") {
                        #expect(answer.value(from: "Shop") == number + 1)
                    }
                    try await world.kill("h1")
                    try world.start("h1")
                    try await world.join("Shop", on: "h1", handles: script)
                    try await world.publish()
                }
                #expect(try await world.say(.shop, 60, by: "Buyer").value(from: "Shop") == 61)
                #expect(try await world.told().numbers("Shop").sorted() == Array(0...60))
                expectBooks(try await world.settledLedger(of: "Buyer"), accepted: 61)
            }
        }

        @Test(arguments: Medium.allCases)
        func `the next life of a killed publisher goes on with its streams, and its last one is heard no more`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Buyer", on: "h1", emits: [.shop])
                try await world.join("Shop", on: "h2", handles: [.shop: .note(then: .number(plus: 1))], isSerial: true)
                try await world.publish()
                _ = try await world.sayAll(.shop, 0..<20, by: "Buyer")
                try await world.kill("h1")
                try world.start("h1")
                try await world.join("Buyer", on: "h1", emits: [.shop])
                try await world.publish()
                for number in 20..<40 { #expect(try await world.say(.shop, number, by: "Buyer").value(from: "Shop") == number + 1) }
                let numbers = try await world.told().numbers("Shop")
                #expect(numbers.prefix(20).sorted() == Array(0..<20) && Array(numbers.dropFirst(20)) == Array(20..<40))
                #expect(try world.ledger(of: "Buyer").streams[Domain.shop.topic]?.head == Epoch(2).start + 20)
            }
        }

        @Test(arguments: Medium.allCases)
        func `what a killed publisher had asked for is finished once, and its next life takes the answers`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                let host = try world.start(here: "h2")
                try await world.join("Buyer", on: "h1", emits: [.shop])
                try await world.join("Shop", on: "h2", handles: [.shop: .pass(gate: "end", then: .note(then: .number()))])
                try await world.publish()
                let asked = Task { try await world.sayAll(.shop, 0..<20, by: "Buyer") }
                try await world.seen.wait(for: "the handlers") { $0.waiting["end"] == 20 }
                try await world.kill("h1")
                try await world.open("end", on: "h2")
                try await world.seen.wait(for: "their ends") { $0.numbers("Shop").count == 20 }
                try world.start("h1")
                try await world.join("Buyer", on: "h1", emits: [.shop])
                try await world.publish()
                #expect(try await world.say(.shop, 20, by: "Buyer").value(from: "Shop") == 20)
                while !host.endpoint.endpoint.withLock({ $0.core.isSettled("Shop") }) { await Task.yield() }
                #expect(try await world.told().numbers("Shop").sorted() == Array(0...20))
                expectBooks(try await world.settledLedger(of: "Buyer"), accepted: 21)
                asked.cancel()
            }
        }

        @Test(arguments: Medium.allCases)
        func `a recipient that is killed again and again under load loses nothing, and handles nothing after it has settled it`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                let script: [Domain: Script] = [.shop: .note(then: .number(plus: 1))]
                try await world.join("Shop", on: "h1", handles: script)
                try await world.join("Till", on: "h2", handles: script)
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                let isOver = Watched(false)
                let answers = Task {
                    try await withThrowingTaskGroup(of: [Int: Answer].self) { group in
                        for lane in 0..<4 {
                            group.addTask {
                                var answers: [Int: Answer] = [:]
                                while !isOver.value {
                                    let number = lane * 1_000_000 + answers.count
                                    answers[number] = try await world.say(.shop, number, by: "Buyer")
                                }
                                return answers
                            }
                        }
                        return try await group.reduce(into: [Int: Answer]()) { $0.merge($1) { first, _ in first } }
                    }
                }
                for _ in 0..<5 {
                    let before = world.seen.value.numbers("Shop").count
                    try await world.seen.wait(for: "load at this life") { $0.numbers("Shop").count > before + 50 }
                    try await world.kill("h1")
                    try world.start("h1")
                    try await world.join("Shop", on: "h1", handles: script)
                    try await world.publish()
                }
                isOver.update { $0 = true }
                let all = try await answers.value
                for (number, answer) in all {
                    #expect(answer.value(from: "Shop") == number + 1 && answer.value(from: "Till") == number + 1, "\(answer)")
                }
                // A lane says its next effect when the last one is settled: what came again after that would come too late.
                let numbers = try await Dictionary(grouping: world.told().numbers("Shop")) { $0 / 1_000_000 }
                for (lane, numbers) in numbers { #expect(numbers == numbers.sorted(), "lane \(lane)") }
                #expect(Set(numbers.values.joined()) == Set(all.keys))
                #expect(try await world.told().numbers("Till").sorted() == all.keys.sorted())
                expectBooks(try await world.settledLedger(of: "Buyer"), accepted: all.count)
            }
        }

        @Test(arguments: Medium.allCases)
        func `what a publisher that is killed again and again has said is handled once, all of it that its journal has`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                let host = try world.start(here: "h2")
                try await world.join("Shop", on: "h2", handles: [.shop: .note(then: .number())], isSerial: true)
                var asked: [Task<Void, Never>] = []
                for life in 0..<5 {
                    try world.start("h1")
                    try await world.join("Buyer", on: "h1", emits: [.shop])
                    try await world.publish()
                    let before = world.seen.value.numbers("Shop").count
                    asked.append(Task { _ = try? await world.sayAll(.shop, life * 500..<(life + 1) * 500, by: "Buyer") })
                    try await world.seen.wait(for: "load of this life") { $0.numbers("Shop").count > before + 50 }
                    try await world.kill("h1")
                }
                for task in asked { task.cancel() }
                try world.start("h1")
                try await world.join("Buyer", on: "h1", emits: [.shop])
                try await world.publish()
                // Behind all of them on their stream.
                #expect(try await world.say(.shop, 1_000_000, by: "Buyer").value(from: "Shop") == 1_000_000)
                while !host.endpoint.endpoint.withLock({ $0.core.isSettled("Shop") }) { await Task.yield() }
                let numbers = try await world.told().numbers("Shop")
                #expect(Set(numbers).count == numbers.count)
                expectBooks(try await world.settledLedger(of: "Buyer"), accepted: numbers.count)
            }
        }

        @Test(arguments: Medium.allCases)
        func `who waits through a killed module gets the answer of its next life`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Middle", on: "h1", handles: [.shop: .ask(.bank)], emits: [.bank])
                try await world.join("Last", on: "h2", handles: [.bank: .pass(gate: "never", then: .succeed)])
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                async let answer = world.say(.shop, by: "Buyer")
                try await world.seen.wait(for: "the last one") { $0.waiting["never"] == 1 }
                try await world.kill("h2")
                try world.start("h2")
                try await world.join("Last", on: "h2", handles: [.bank: .value(7)])
                try await world.publish()
                #expect(try await answer.value(from: "Middle") == 7)
            }
        }

        @Test(arguments: Medium.allCases)
        func `a handler that was killed while it waited runs again, and what it had asked is not asked twice`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Middle", on: "h1", handles: [.shop: .note(then: .ask(.bank))], emits: [.bank])
                try await world.join("Last", on: "h2", handles: [.bank: .note(then: .pass(gate: "end", then: .number(plus: 1)))])
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                async let answer = world.say(.shop, 5, by: "Buyer")
                try await world.seen.wait(for: "the last one") { $0.waiting["end"] == 1 }
                try await world.kill("h1")
                try await world.open("end", on: "h2")
                try world.start("h1")
                try await world.join("Middle", on: "h1", handles: [.shop: .note(then: .ask(.bank))], emits: [.bank])
                try await world.publish()
                #expect(try await answer.value(from: "Middle") == 6)
                let seen = try await world.told()
                #expect(seen.numbers("Middle") == [5, 5] && seen.numbers("Last") == [5])
            }
        }

        @Test(arguments: Medium.allCases)
        func `what waits for a killed module is lost by name when it is removed`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Shop", on: "h1", handles: [.shop: .pass(gate: "never", then: .succeed)])
                try await world.join("Till", on: "h2", handles: [.shop: .value(2)])
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                async let pending = world.say(.shop, by: "Buyer")
                try await world.seen.wait(for: "the handler") { $0.waiting["never"] == 1 }
                try await world.kill("h1")
                async let meanwhile = world.say(.shop, by: "Buyer")
                try await world.publish(without: ["Shop"])
                #expect(try await pending.statuses == ["Shop": .lost, "Till": .succeeded])
                let late = try await meanwhile.statuses
                #expect(late["Shop"] ?? .lost == .lost && late["Till"] == .succeeded)
                #expect(try await world.say(.shop, by: "Buyer").recipients == ["Till"])
            }
        }

        /// All that the publisher has said was handled; nothing is lost or open.
        private func expectBooks(_ ledger: Ledger, accepted: Int, _ location: SourceLocation = #_sourceLocation) {
            for (recipient, book) in ledger.books[Domain.shop.topic] ?? [:] {
                #expect(book.accepted == UInt64(accepted) && book.succeeded == book.accepted, "\(recipient): \(book)", sourceLocation: location)
            }
            #expect(ledger.isSettled && ledger.books[Domain.shop.topic] != nil, sourceLocation: location)
        }
    }
}
