import BusProbeKit
import Relux
@testable import ReluxBus
import ReluxTestKit
import Synchronization
import Testing

extension Conformance {
    /// Between processes a crash is a `kill -9`; in one process the host is stopped, and the broker says the same.
    @Suite struct Crashes {
        @Test(arguments: Medium.allCases)
        func `what pends on a killed recipient is lost by name, what is said meanwhile waits for its next life`(
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
                for answer in try await pending.values {
                    #expect(answer.statuses == ["Shop": .lost, "Till": .succeeded])
                    #expect(answer.codes == ["lost"] && answer.value(from: "Till") == 2)
                }
                async let meanwhile = world.sayAll(.shop, 20..<40, by: "Buyer")
                try await world.seen.wait(for: "the neighbour") { $0.numbers("Till").count == 40 }
                try world.start("h1")
                try await world.join("Shop", on: "h1", handles: [.shop: .note(then: .value(3))], isSerial: true)
                try await world.publish()
                for answer in try await meanwhile.values {
                    #expect(answer.value(from: "Shop") == 3 && answer.value(from: "Till") == 2)
                }
                try await world.seen.wait(for: "all of the next life") { $0.numbers("Shop").count >= 20 }
                #expect(world.seen.value.numbers("Shop") == Array(world.seen.value.numbers("Till").dropFirst(20)))
                #expect(try await world.say(.shop, by: "Buyer").value(from: "Shop") == 3)
            }
        }

        @Test(arguments: Medium.allCases)
        func `the next life of a killed publisher is heard from its first effect on, and its last one no more`(
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
                let numbers = world.seen.value.numbers("Shop")
                #expect(numbers.prefix(20).sorted() == Array(0..<20) && Array(numbers.dropFirst(20)) == Array(20..<40))
            }
        }

        @Test(arguments: Medium.allCases)
        func `what a killed publisher had asked for is finished, and nothing is kept for it for ever`(_ medium: Medium) async throws {
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
                while !host.endpoint.core.withLock({ $0.isSettled("Shop") }) { await Task.yield() }
                #expect(world.seen.value.numbers("Shop").sorted() == Array(0...20))
                asked.cancel()
            }
        }

        @Test(arguments: Medium.allCases)
        func `a recipient that is killed again and again under load leaves no await behind`(_ medium: Medium) async throws {
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
                for (number, answer) in try await answers.value {
                    #expect(answer.recipients == ["Shop", "Till"] && answer.value(from: "Till") == number + 1, "\(answer)")
                    let isRight = answer.statuses["Shop"] == .lost || answer.value(from: "Shop") == number + 1
                    #expect(isRight, "\(answer)")
                }
                // Each of its lives has handled an effect at most once; what was lost may have been handled before.
                let numbers = world.seen.value.numbers("Shop")
                #expect(Set(numbers).count == numbers.count)
            }
        }

        @Test(arguments: Medium.allCases)
        func `who waits through a killed module is told who was lost`(_ medium: Medium) async throws {
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
                #expect(try await answer.codes == ["lost"])
                #expect(try await answer.outcomes.first?.message?.contains("Last") == true)
            }
        }
    }
}
