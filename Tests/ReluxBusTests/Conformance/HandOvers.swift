import BusProbeKit
import Relux
@testable import ReluxBus
import ReluxLedger
import ReluxTestKit
import Synchronization
import Testing

extension Conformance {
    /// Modules that go from host to host while others speak to them and they to others.
    @Suite struct HandOvers {
        private let script: [Domain: Script] = [.shop: .note(then: .number(plus: 1))]

        /// Four lanes say one effect after the other, each when the one before has settled, until the body is over.
        private func underLoad(
            _ world: World, by id: ModuleID, _ body: () async throws -> Void
        ) async throws -> [Int: Answer] {
            let isOver = Watched(false)
            let answers = Task {
                try await withThrowingTaskGroup(of: [Int: Answer].self) { group in
                    for lane in 0..<4 {
                        group.addTask {
                            var answers: [Int: Answer] = [:]
                            while !isOver.value {
                                let number = lane * 1_000_000 + answers.count
                                answers[number] = try await world.say(.shop, number, by: id)
                            }
                            return answers
                        }
                    }
                    return try await group.reduce(into: [Int: Answer]()) { $0.merge($1) { first, _ in first } }
                }
            }
            do {
                try await body()
            } catch {
                isOver.update { $0 = true }
                throw error
            }
            isOver.update { $0 = true }
            return try await answers.value
        }

        @Test(arguments: Medium.allCases, [true, false])
        func `a recipient that goes to and fro under load handles everything once, in order`(
            _ medium: Medium, _ announces: Bool
        ) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Shop", on: "h1", handles: script)
                try await world.join("Till", on: "h2", handles: script)
                try await world.join("Buyer", on: "h3", emits: [.shop])
                try await world.publish()
                let all = try await underLoad(world, by: "Buyer") {
                    // To a host that has another member already, back, and to the speaker's own.
                    for name in ["h2", "h1", "h3", "h1", "h2", "h3", "h2", "h1"] {
                        let before = world.seen.value.numbers("Shop").count
                        try await world.seen.wait(for: "load at this life") { $0.numbers("Shop").count > before + 50 }
                        try await world.handOver("Shop", to: name, announces: announces)
                    }
                }
                for (number, answer) in all {
                    #expect(answer.value(from: "Shop") == number + 1 && answer.value(from: "Till") == number + 1, "\(answer)")
                }
                let numbers = try await Dictionary(grouping: world.told().numbers("Shop")) { $0 / 1_000_000 }
                for (lane, numbers) in numbers { #expect(numbers == Array(lane * 1_000_000..<lane * 1_000_000 + numbers.count), "lane \(lane)") }
                #expect(Set(numbers.values.joined()) == Set(all.keys))
                try await expectBooks(world, accepted: all.count)
            }
        }

        @Test(arguments: Medium.allCases)
        func `a publisher that goes to and fro has everything handled once that it has said`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Middle", on: "h1", handles: [.till: .note(then: .ask(.shop))], emits: [.shop])
                try await world.join("Shop", on: "h2", handles: script)
                try await world.join("Buyer", on: "h3", emits: [.till])
                try await world.publish()
                let isOver = Watched(false)
                let asked = Task {
                    var count = 0
                    while !isOver.value {
                        let answer = try await world.say(.till, count, by: "Buyer")
                        #expect(answer.value(from: "Middle") == count + 1, "\(answer)")
                        count += 1
                    }
                    return count
                }
                for name in ["h2", "h1", "h3", "h1"] {
                    let before = world.seen.value.numbers("Shop").count
                    try await world.seen.wait(for: "load at this life") { $0.numbers("Shop").count > before + 20 }
                    try await world.handOver("Middle", to: name)
                }
                isOver.update { $0 = true }
                let count = try await asked.value
                #expect(try await world.told().numbers("Shop") == Array(0..<count))
                #expect(try await world.told().numbers("Middle") == Array(0..<count))
            }
        }

        @Test(arguments: Medium.allCases)
        func `a snapshot's owner goes elsewhere, and who observes it sees the next value and none that is older`(_ medium: Medium) async throws {
            try await over(medium) { world in
                try world.start("h1", "h2")
                try world.start(here: "h3")
                try await world.join("Owner", on: "h1", provides: true)
                try await world.join("Watcher", on: "h3", observes: true)
                try await world.publish()
                try await world.show(1, by: "Owner")
                try await world.seen.wait(for: "the first value") { $0.observed["Watcher"]?.last == 1 }
                try await world.handOver("Owner", to: "h2")
                try await world.show(2, by: "Owner")
                try await world.seen.wait(for: "the next value") { $0.observed["Watcher"]?.last == 2 }
                #expect(world.seen.value.stale.isEmpty)
            }
        }

        private func expectBooks(_ world: World, accepted: Int) async throws {
            for (recipient, book) in try await world.settledLedger(of: "Buyer").books[Domain.shop.topic] ?? [:] {
                #expect(book.accepted == UInt64(accepted) && book.succeeded == book.accepted, "\(recipient): \(book)")
            }
        }
    }
}
