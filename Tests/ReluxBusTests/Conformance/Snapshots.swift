import BusProbeKit
import Relux
import ReluxControl
import ReluxTestKit
import Testing

extension Conformance {
    /// Scenarios 33 to 37: owner and observers are in hosts of their own. Between them only the latest value travels, so a test
    /// that counts values lets each arrive before it shows the next.
    @Suite struct Snapshots {
        /// The owner is elsewhere, the observers named are elsewhere too but for `Here`.
        private func world(_ medium: Medium, _ body: (World) async throws -> Void) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try await world.join("Owner", on: "h1", provides: true)
                try await world.publish()
                try await body(world)
            }
        }

        private func observe(_ world: World, _ id: ModuleID, on name: String) async throws {
            if id == "Here" { try world.start(here: name) } else { try world.start(name) }
            try await world.join(id, on: name, observes: true)
            try await world.publish()
        }

        private func shown(_ world: World, _ id: ModuleID, _ number: Int) async throws {
            try await world.seen.wait(for: "\(id) to see \(number)") { $0.observed[id]?.last == number }
        }

        @Test(arguments: Medium.allCases)
        func `Given a late relay, when it joins, then its first value is the current one and the following have no gap by sequence`(
            _ medium: Medium
        ) async throws {
            try await world(medium) { world in
                // The owner's process says what it shows in its own time; whoever is there before has seen it all.
                try await observe(world, "Before", on: "h3")
                for number in 1...41 { try await world.show(number, by: "Owner") }
                try await shown(world, "Before", 41)
                try await observe(world, "Here", on: "h2")
                try await shown(world, "Here", 41)
                for number in 42...60 {
                    try await world.show(number, by: "Owner")
                    try await shown(world, "Here", number)
                }
                #expect(world.seen.value.observed["Here"] == Array(41...60))
                #expect(try await world.look(by: "Here") == .init(number: 60, isStale: false))
            }
        }

        @Test(arguments: Medium.allCases)
        func `a relay that falls behind ends with the latest value, and never goes back`(_ medium: Medium) async throws {
            try await world(medium) { world in
                try await observe(world, "Here", on: "h2")
                try await shown(world, "Here", 0)
                for number in 1...200 { try await world.show(number, by: "Owner") }
                try await shown(world, "Here", 200)
                let values = try #require(world.seen.value.observed["Here"])
                #expect(values == values.sorted() && Set(values).count == values.count)
            }
        }

        @Test(arguments: Medium.allCases)
        func `Given two equal consecutive states, when published, then relays see one value`(_ medium: Medium) async throws {
            try await world(medium) { world in
                try await observe(world, "Here", on: "h2")
                try await shown(world, "Here", 0)
                for number in [1, 1, 1, 2, 2, 3] {
                    try await world.show(number, by: "Owner")
                    try await shown(world, "Here", number)
                }
                #expect(world.seen.value.observed["Here"] == [0, 1, 2, 3])
            }
        }

        @Test(arguments: Medium.allCases)
        func `Given two relays on one snapshot, when it changes, then both see every change`(_ medium: Medium) async throws {
            try await world(medium) { world in
                try await observe(world, "Here", on: "h2")
                try await observe(world, "There", on: "h3")
                for number in 0...5 {
                    if number > 0 { try await world.show(number, by: "Owner") }
                    try await shown(world, "Here", number)
                    try await shown(world, "There", number)
                }
                #expect(world.seen.value.observed == ["Here": Array(0...5), "There": Array(0...5)])
            }
        }

        @Test(arguments: Medium.allCases)
        func `Given the owner dies, when a relay is read, then it returns the last value marked stale`(
            _ medium: Medium
        ) async throws {
            try await world(medium) { world in
                try await observe(world, "Here", on: "h2")
                try await world.show(9, by: "Owner")
                try await shown(world, "Here", 9)
                #expect(try await world.look(by: "Here") == .init(number: 9, isStale: false))
                try await world.kill("h1")
                try await world.seen.wait(for: "the word that the owner is gone") { $0.stale["h2"] == 1 }
                #expect(try await world.look(by: "Here") == .init(number: 9, isStale: true))

                // The owner's next life begins with what it has.
                try world.start("h1")
                try await world.join("Owner", on: "h1", provides: true)
                try await world.publish()
                try await shown(world, "Here", 0)
                #expect(try await world.look(by: "Here") == .init(number: 0, isStale: false))
            }
        }

        @Test(arguments: Medium.allCases)
        func `Given a snapshot type nobody provides, when getRelay is asked, then the answer is none, not a crash`(
            _ medium: Medium
        ) async throws {
            try await over(medium) { world in
                try world.start("h1")
                try await world.join("Mute", on: "h1", handles: [.shop: .succeed])
                try world.start(here: "h2")
                try await world.join("Here", on: "h2", emits: [.shop], observes: true)
                try await world.publish()
                #expect(try await world.say(.shop, by: "Here").isSuccess)
                #expect(try await world.look(by: "Here") == nil)
            }
        }
    }
}
