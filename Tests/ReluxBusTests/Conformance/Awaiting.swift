import BusProbeKit
import Relux
import ReluxTestKit
import Testing

extension Conformance {
    @Suite struct Awaiting {
        @Test(arguments: Medium.allCases)
        func `an awaited effect brings its value back`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Shop", on: "h1", handles: [.shop: .number(times: 2)])
                try await world.join("Buyer", on: "h2", emits: [.shop])
                try await world.publish()
                #expect(try await world.say(.shop, 21, by: "Buyer").value(from: "Shop") == 42)
            }
        }

        @Test(arguments: Medium.allCases)
        func `a failure keeps the successes beside it`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Shop", on: "h1", handles: [.shop: .value(1)])
                try await world.join("Till", on: "h2", handles: [.shop: .fail(code: "empty")])
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                let answer = try await world.say(.shop, by: "Buyer")
                #expect(!answer.isSuccess)
                #expect(answer.value(from: "Shop") == 1)
                #expect(answer.codes == ["empty"])
            }
        }

        @Test(arguments: Medium.allCases)
        func `an effect without recipients is a success that says so`(_ medium: Medium) async throws {
            try await over(medium) { world in
                // Alone in its process, and told so from outside.
                try world.start("h1")
                try await world.join("Buyer", on: "h1", emits: [.shop])
                try await world.publish()
                let answer = try await world.say(.shop, by: "Buyer")
                #expect(answer.isSuccess && answer.isUnhandled)
            }
        }

        @Test(arguments: Medium.allCases)
        func `an effect whose type the recipient did not bring is settled as failed`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Shop", on: "h1", handles: [.shop: .succeed], bringsTypes: false)
                try await world.join("Buyer", on: "h2", emits: [.shop])
                try await world.publish()
                #expect(try await world.say(.shop, by: "Buyer").codes == ["coding"])
            }
        }

        @Test(arguments: Medium.allCases)
        func `the deadline names who has not answered`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Shop", on: "h1", handles: [.shop: .value(1)])
                try await world.join("Till", on: "h2", handles: [.shop: .hang])
                try await world.join("Buyer", on: "h3", emits: [.shop], deadline: .milliseconds(700))
                try await world.publish()
                #expect(try await world.say(.shop, by: "Buyer").statuses["Till"] == .unanswered)
            }
        }

        @Test(arguments: [Medium.inMemory, .processes])
        func `a recipient that is frozen past the deadline is named, and handles the effect once it goes on`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Frozen", on: "h1", handles: [.shop: .note(then: .succeed)])
                try await world.join("Quick", on: "h2", handles: [.shop: .value(1)])
                try await world.join("Patient", on: "h3", emits: [.shop])
                try await world.join("Hasty", on: "h3", emits: [.shop], deadline: .milliseconds(300))
                try await world.publish()
                #expect(try await world.say(.shop, 1, by: "Patient").isSuccess)
                world.freeze("h1")
                #expect(try await world.say(.shop, 2, by: "Hasty").statuses["Frozen"] == .unanswered)
                async let patient = world.say(.shop, 3, by: "Patient")
                world.thaw("h1")
                #expect(try await patient.isSuccess)
                try await world.seen.wait(for: "all three") { $0.numbers("Frozen").count >= 3 }
                #expect(try await world.told().numbers("Frozen").sorted() == [1, 2, 3])
            }
        }

        @Test(arguments: Medium.allCases)
        func `a nested await gets what is left of the deadline`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                // By itself it would wait for a minute.
                try await world.join("Middle", on: "h1", handles: [.shop: .note(then: .tell(.ask(.bank)))], emits: [.bank])
                try await world.join("Last", on: "h2", handles: [.bank: .note(then: .hang)])
                try await world.join("Buyer", on: "h3", emits: [.shop], deadline: .seconds(3))
                try await world.publish()
                let answer = try await world.say(.shop, by: "Buyer")
                // Both end within a moment: Middle's own failure may come just before its silence counts.
                #expect(answer.recipients == ["Middle"] && answer.codes == ["unanswered"])
                try await world.seen.wait(for: "the end of the nested await") { $0.answered["Middle"] != nil }
                try await world.seen.wait(for: "what came") { $0.came["Middle"] != nil && $0.came["Last"] != nil }
                let seen = try await world.told()
                #expect(seen.answered["Middle"]?.map(\.statuses) == [["Last": .unanswered]])
                let first = try #require(seen.came["Middle"]?.first?.remainingMilliseconds)
                let second = try #require(seen.came["Last"]?.first?.remainingMilliseconds)
                #expect(first <= 3000 && second <= first)
            }
        }

        @Test(arguments: Medium.allCases)
        func `modules that answer each other for ever stop at the hop limit`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Left", on: "h1", handles: [.shop: .ask(.bank)], emits: [.bank])
                try await world.join("Right", on: "h2", handles: [.bank: .note(then: .ask(.shop))], emits: [.shop])
                try await world.publish()
                let answer = try await world.say(.shop, by: "Right")
                #expect(answer.codes == ["hops"])
                #expect(answer.outcomes.allSatisfy { $0.message?.contains("Left#") == true && $0.message?.contains("Right#") == true })
                try await world.seen.wait(for: "the last hop") { $0.numbers("Right").count >= 16 }
                #expect(try await world.told().numbers("Right").count == 16)
            }
        }

        @Test(arguments: Medium.allCases)
        func `modules that answer each other a moment later go on past the hop limit`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Left", on: "h1", handles: [.shop: .later(.bank)], emits: [.bank])
                try await world.join("Right", on: "h2", handles: [.bank: .note(then: .later(.shop))], emits: [.shop])
                try await world.publish()
                _ = try await world.say(.shop, by: "Right")
                try await world.seen.wait(for: "more than the limit") { $0.numbers("Right").count >= 40 }
            }
        }

        @Test(arguments: Medium.allCases)
        func `a serial module that would wait for itself is told the cycle`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try world.start(here: "h2")
                try await world.join("Serial", on: "h1", handles: [.shop: .ask(.shop)], emits: [.shop], isSerial: true)
                try await world.join("Buyer", on: "h2", emits: [.shop])
                try await world.publish()
                #expect(try await world.say(.shop, by: "Buyer").codes == ["cycle"])
            }
        }

        @Test(arguments: Medium.allCases)
        func `a serial module that would wait for itself through another is told the cycle`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Serial", on: "h1", handles: [.shop: .ask(.bank)], emits: [.bank], isSerial: true)
                try await world.join("Middle", on: "h2", handles: [.bank: .ask(.shop)], emits: [.shop])
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                let answer = try await world.say(.shop, by: "Buyer")
                #expect(answer.codes == ["cycle"])
                for id in ["Buyer#", "Serial#", "Middle#"] {
                    #expect(answer.outcomes.first?.message?.contains(id) == true, "\(answer)")
                }
                // It goes on, and so does who closed the cycle.
                #expect(try await world.say(.shop, by: "Buyer").codes == ["cycle"])
            }
        }
    }
}
