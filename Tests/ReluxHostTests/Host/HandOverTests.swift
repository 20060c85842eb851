import BusProbeKit
import Glibc
import Relux
import ReluxControl
@testable import ReluxHost
import ReluxPlugin
import ReluxTestKit
import Synchronization
import Testing

/// Hosts obey the orders of a hand-over; see Tests/Model/handover.pml for why they come in this order.
@Suite(.timeLimit(.minutes(2))) struct HandOverTests {
    private func play(_ first: PluginBox = Tallying.first, _ body: (HandOverBench) async throws -> Void) async throws {
        try await HandOverBench.play(first, body)
    }

    private func shapes(_ bench: HandOverBench, _ host: HostID) -> [StoredShape]? {
        bench.broker.heard.value.said.reversed().lazy
            .compactMap { entry in if entry.host == host, case .stored("Shop", _, let shapes) = entry.message { shapes } else { nil } }.first
    }

    @Test func `a later build takes over, with the state migrated, and gives it back in the shape that the older one reads`() async throws {
        try await play { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Tallying.second)
            #expect(bench.broker.heard.value.phases("new", "Shop") == [.standby])
            #expect(try await bench.buy(4) == 7)
            try await bench.handOver(from: "old")
            try await bench.serve(at: "new")
            try await bench.open("Shop", at: "new")
            #expect(try await bench.buy(5) == 12)
            #expect(shapes(bench, "old") == [StoredShape(name: "Tally", version: 1)])
            #expect(shapes(bench, "new") == [StoredShape(name: "Tally", version: 2, backTo: [1])])
            try await bench.handOver(from: "new", older: ["Tally": 1], count: 2)
            try await bench.serve(at: "old")
            try await bench.open("Shop", at: "old", count: 2)
            #expect(try await bench.buy(8) == 20)
            #expect(bench.broker.heard.value.refusals("old") + bench.broker.heard.value.refusals("new") == [])
        }
    }

    @Test func `what is said while nobody serves is answered by the successor`() async throws {
        try await play { bench in
            try await bench.standBy("new", Tallying.second)
            try await bench.handOver(from: "old")
            async let answer = bench.buy(6)
            try await bench.serve(at: "new")
            try await bench.open("Shop", at: "new")
            #expect(try await answer == 6)
        }
    }

    @Test func `a successor whose journal is still locked waits for it and is not refused`() async throws {
        try await play { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Tallying.second)
            try await bench.handOver(from: "old")
            let lock = open(bench.run.journal(of: "Shop") + "/lock", O_RDWR)
            defer { close(lock) }
            try #require(flock(lock, LOCK_EX | LOCK_NB) == 0)
            try await bench.serve(at: "new")
            try await bench.broker.module("Shop", in: "new", is: .recovering)
            #expect(!bench.broker.heard.value.phases("new", "Shop").contains(.waiting))
            flock(lock, LOCK_UN)
            try await bench.open("Shop", at: "new")
            #expect(try await bench.buy(4) == 7)
            #expect(bench.broker.heard.value.refusals("new") == [])
        }
    }

    @Test func `a successor that a broker which was away takes over says nothing before it is opened`() async throws {
        try await play { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Tallying.second)
            try await bench.handOver(from: "old")
            // As if its hello had named the epoch of an order to serve that could not be followed yet.
            try await bench.adopt(at: "new")
            try await bench.broker.module("Shop", in: "new", is: .waiting)
            #expect(await bench.isHeld("Shop", at: "new") == true)
            try await bench.open("Shop", at: "new")
            // The order to open is queued, and not carried out yet when the host says ready.
            while await bench.isHeld("Shop", at: "new") == true { await Task.yield() }
            #expect(try await bench.buy(4) == 7)
        }
    }

    @Test func `a successor that cannot be made is refused and stands by, and the old one serves again with all that it had`() async throws {
        struct Broken: Error {}
        try await play { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Tallying.box("2.0.0") { throw Broken() })
            try await bench.handOver(from: "old")
            try await bench.serve(at: "new")
            try await bench.broker.heard.wait(for: "its refusal") { $0.refusals("new") == ["host.module"] }
            try await bench.serve(at: "old")
            try await bench.open("Shop", at: "old", count: 2)
            #expect(try await bench.buy(4) == 7)
            bench.broker.tell("new", .drain(module: "Shop"))
            #expect(try await bench.ended("new") == .done)
        }
    }

    @Test func `a successor that reads no such state is refused with both versions, and leaves the journal as it was`() async throws {
        try await play(Tallying.second) { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Tallying.first)
            // Nobody has asked for the older version.
            try await bench.handOver(from: "old")
            try await bench.serve(at: "new")
            try await bench.broker.heard.wait(for: "its refusal") { $0.refusals("new") == ["host.module"] }
            let message = bench.broker.heard.value.said.lazy.compactMap { if case .refused(_, _, let text) = $0.message { text } else { nil } }.first
            #expect(message?.contains("version 2") == true && message?.contains("up to 1") == true)
            try await bench.serve(at: "old")
            try await bench.open("Shop", at: "old", count: 2)
            #expect(try await bench.buy(4) == 7)
        }
    }

    @Test func `a state that has no way back is said before anybody else serves, and the same process goes on`() async throws {
        try await play(Tallying.second) { bench in
            #expect(try await bench.buy(3) == 3)
            try await bench.standBy("new", Tallying.first)
            try await bench.handOver(from: "old", older: ["Tally": 1])
            #expect(bench.broker.heard.value.refusals("old") == ["host.noWayBack"])
            try await bench.serve(at: "old")
            try await bench.open("Shop", at: "old", count: 2)
            #expect(try await bench.buy(4) == 7)
        }
    }

    @Test func `orders that come again change nothing`() async throws {
        try await play { bench in
            try await bench.standBy("new", Tallying.second)
            bench.broker.tell("new", .standby(module: "Shop"))
            try await bench.broker.module("Shop", in: "new", is: .standby, count: 2)
            try await bench.handOver(from: "old")
            try await bench.handOver(from: "old", count: 2)
            try await bench.serve(at: "new")
            bench.broker.tell("new", .serve(module: "Shop", epoch: Epoch(2)))
            try await bench.open("Shop", at: "new")
            #expect(try await bench.buy(3) == 3)
            #expect(bench.broker.heard.value.phases("new", "Shop").count { $0 == .recovering } <= 2)
        }
    }

    @Test func `a host in standby that is told to let go ends, and was no failure`() async throws {
        try await play { bench in
            try await bench.standBy("new", Tallying.second)
            bench.broker.tell("new", .drain(module: "Shop"))
            try await bench.broker.heard.wait(for: "its leave") { heard in
                heard.said.contains { if $0.host == "new", case .left("Shop") = $0.message { true } else { false } }
            }
            #expect(try await bench.ended("new") == .done)
            #expect(try await bench.buy(3) == 3)
        }
    }

    @Test(arguments: [(HostOrder.nameTaken, HostEnd.turnedAway), ("declaration-differs", .refused)])
    func `a host that is not let in says whether another try would help`(_ code: String, _ end: HostEnd) async throws {
        try await play { bench in
            try await bench.start("new", Tallying.second)
            bench.broker.tell("new", .refuse(module: "Shop", code: code, message: "not now"))
            bench.broker.tell("new", .stop)
            #expect(try await bench.ended("new") == end)
            try await bench.start("idle", Tallying.second)
            bench.broker.tell("idle", .stop)
            #expect(try await bench.ended("idle") == .done)
        }
    }

    @Test func `a host that is turned away says so, whatever it refused beside that`() async throws {
        try await play { bench in
            try await bench.start("new", Tallying.second)
            bench.broker.tell("new", .welcome(epochs: [:], picture: ClusterPicture(version: 99, members: [], hosts: [])))
            bench.broker.tell("new", .load(directory: "nowhere/Ghost/1.0.0-x"))
            try await bench.broker.heard.wait(for: "its refusal") { !$0.refusals("new").isEmpty }
            bench.broker.tell("new", .refuse(module: "Shop", code: HostOrder.nameTaken, message: "not now"))
            bench.broker.tell("new", .refusalNoted(module: "Ghost"))
            #expect(try await bench.ended("new") == .turnedAway)
        }
    }

    @Test func `a host that refuses its module ends when the broker has noted why, also a broker that was away when it was said`() async throws {
        struct Broken: Error {}
        try await play { bench in
            try await bench.handOver(from: "old")
            try await bench.start("new", Tallying.box("2.0.0") { throw Broken() })
            bench.broker.tell("new", .welcome(epochs: ["Shop": Epoch(2)], picture: ClusterPicture(version: 99, members: [], hosts: [])))
            try await bench.broker.heard.wait(for: "its refusal") { $0.refusals("new") == ["host.module"] }
            // A broker that was not sure yet who speaks has dropped it: it is said again unasked.
            try await bench.broker.heard.wait(for: "its refusal once more") { $0.refusals("new").count >= 2 }
            // It is there, and has nothing else to say.
            try await bench.broker.heard.wait(for: "its pong") { heard in
                heard.said.contains { if $0.host == "new", case .pong = $0.message { true } else { false } }
            }
            bench.broker.tell("new", .introduce)
            try await bench.broker.heard.wait(for: "its refusal again") { $0.refusals("new").count >= 3 }
            bench.broker.tell("new", .refusalNoted(module: "Shop"))
            #expect(try await bench.ended("new") == .refused)
        }
    }

    @Test func `a refusal that no broker notes does not keep its process for ever`() async throws {
        struct Broken: Error {}
        try await play { bench in
            try await bench.handOver(from: "old")
            try await bench.start("new", Tallying.box("2.0.0") { throw Broken() }, refusalLimit: .milliseconds(50))
            bench.broker.tell("new", .welcome(epochs: ["Shop": Epoch(2)], picture: ClusterPicture(version: 99, members: [], hosts: [])))
            try await bench.broker.heard.wait(for: "its refusal") { $0.refusals("new").first == "host.module" }
            #expect(try await bench.ended("new") == .refused)
        }
    }
}
