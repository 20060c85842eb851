import BusProbeKit
import Relux
@testable import ReluxBus
import ReluxTestKit
import Synchronization
import Testing

extension Conformance {
    @Suite struct Membership {
        @Test(arguments: Medium.allCases)
        func `recipients are those of the moment when the effect was accepted`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h3")
                try world.start(here: "h2")
                try await world.join("Shop", on: "h1", handles: [.shop: .pass(gate: "end", then: .succeed)])
                try await world.join("Buyer", on: "h2", emits: [.shop])
                try await world.publish()
                async let first = world.say(.shop, by: "Buyer")
                try await world.seen.wait(for: "the handler") { $0.waiting["end"] == 1 }
                try await world.join("Late", on: "h3", handles: [.shop: .succeed])
                try await world.publish()
                try await world.open("end", on: "h1")
                #expect(try await first.recipients == ["Shop"])
                #expect(try await world.say(.shop, by: "Buyer").recipients == ["Shop", "Late"])
            }
        }

        @Test(arguments: Medium.allCases)
        func `what pends on a removed module is lost, by name, and it is no recipient any more`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Shop", on: "h1", handles: [.shop: .pass(gate: "never", then: .succeed)])
                try await world.join("Till", on: "h2", handles: [.shop: .value(2)])
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                async let pending = world.say(.shop, by: "Buyer")
                try await world.seen.wait(for: "the handler") { $0.waiting["never"] == 1 }
                try await world.publish(without: ["Shop"])
                let answer = try await pending
                #expect(answer.statuses == ["Shop": .lost, "Till": .succeeded])
                #expect(try await world.say(.shop, by: "Buyer").recipients == ["Till"])
            }
        }

        @Test(arguments: Medium.allCases, [false, true])
        func `two modules that hear each other boot in either order`(_ medium: Medium, _ isReversed: Bool) async throws {
            try await over(medium) { world in
                for name in isReversed ? ["h2", "h1"] : ["h1", "h2"] {
                    if name == "h2" { try world.start(here: name) } else { try world.start(name) }
                    try await world.join(
                        name == "h1" ? "Left" : "Right", on: name, handles: [.shop: .number(plus: 1)], emits: [.shop])
                    try await world.publish()
                }
                for number in 0..<10 {
                    for speaker in ["Left", "Right"] as [ModuleID] {
                        let answer = try await world.say(.shop, number, by: speaker)
                        #expect(answer.value(from: "Left") == number + 1 && answer.value(from: "Right") == number + 1)
                    }
                }
            }
        }

        @Test(arguments: Medium.allCases, [false, true])
        func `two modules that await each other from their first breath boot in either order`(
            _ medium: Medium, _ isReversed: Bool
        ) async throws {
            try await over(medium) { world in
                // Both are members from the start, so that the first one speaks to one that has no process yet.
                let members: [(name: String, id: ModuleID, other: ModuleID)] = [("h1", "Left", "Right"), ("h2", "Right", "Left")]
                for member in members { world.declare(member.id, handles: [.shop]) }
                var first: Task<[Int: Answer], any Error>?
                for member in isReversed ? members.reversed() : members {
                    if member.name == "h2" { try world.start(here: member.name) } else { try world.start(member.name) }
                    try await world.join(member.id, on: member.name, handles: [.shop: .note(then: .value(1))], emits: [.shop])
                    try await world.publish()
                    guard first == nil else { continue }
                    first = Task { try await world.sayAll(.shop, 0..<20, by: member.id) }
                    try await world.seen.wait(for: "its own share") { $0.numbers(member.id).count == 20 }
                }
                let answers = try #require(try await first?.value)
                #expect(answers.values.allSatisfy { $0.statuses == ["Left": .succeeded, "Right": .succeeded] })
                try await world.seen.wait(for: "both shares") { $0.numbers("Left").count >= 20 && $0.numbers("Right").count >= 20 }
                let (left, right) = (try await world.told().numbers("Left"), try await world.told().numbers("Right"))
                #expect(left.sorted() == Array(0..<20) && right.sorted() == left.sorted())
            }
        }

        // Between processes it makes no sense: what is handed over never leaves the one process.
        @Test(arguments: [Medium.inMemory, .zeroMQ])
        func `what was said for a module before it came into the speaker's own process reaches it, in order and once`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                let host = try world.start(here: "h1")
                try await world.join("Buyer", on: "h1", emits: [.shop])
                world.declare("Late", handles: [.shop])
                try await world.publish()
                var early: [Task<Bool, any Error>] = []
                for number in 1...20 {
                    early.append(Task { try await world.say(.shop, number, by: "Buyer").isSuccess })
                    while host.exchange.counters()["Buyer"]!.emitted < number { await Task.yield() }
                }
                try await world.join("Late", on: "h1", handles: [.shop: .note(then: .succeed)], isSerial: true)
                try await world.publish()
                for task in early { #expect(try await task.value) }
                #expect(try await world.say(.shop, 21, by: "Buyer").isSuccess)
                #expect(try await world.told().numbers("Late") == Array(1...21))
                while !host.endpoint.endpoint.withLock({ $0.core.isSettled("Buyer") && $0.core.backlog.bytes.isEmpty }) { await Task.yield() }
            }
        }
    }
}
