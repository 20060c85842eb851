import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

/// The whole command against a broker and a host on real sockets.
@Suite struct TapCommandTests {
    private func cluster(_ scratch: TemporaryDirectory, _ members: [ClusterPicture.Member] = []) throws -> (broker: FakeBroker, host: FakeHost) {
        let run = RunDirectory(path: scratch.path)
        try run.create()
        let host = try FakeHost(directory: run, topic: "Auth.Business.Effect", publisher: "Auth") { sequence in
            let password = CBORValue.tagged(SealedBytes.tag, .bytes(Array("pa55word".utf8)))
            let fields = CBORValue.map([.init(.text("password"), password), .init(.text("email"), .text("a\u{1b}[2J"))])
            return EffectRecord(
                position: sequence, sequence: sequence, caseName: sequence.isMultiple(of: 2) ? "login" : "logout",
                ancestry: [EffectID(module: "Session", position: 7)], site: CallSite(file: "AuthReluxImpl/Auth+Saga.swift", line: 41),
                wallTimeMilliseconds: 1_700_000_000_114, payload: CBORValue.map([.init(.text("login"), fields)]).encoded()[...])
        }
        let known = host.host
        let broker = try FakeBroker(run: scratch.path) { _ in
            var status = Demo.status
            status.picture.hosts = [known]
            status.picture.members = members
            return .status(status)
        }
        return (broker, host)
    }

    @Test func `tap prints the number of effects that it was told and ends with what it saw`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let cluster = try cluster(scratch)
        let console = TestConsole()
        #expect(console.run(["tap", "Auth.Business.Effect.login", "-n", "2", "--timeout", "30s", "--run", scratch.path]) == .ok)
        let lines = console.out.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(
            lines.allSatisfy {
                $0.hasSuffix(
                    "  Auth.Business.Effect.login(email: \"a\\u{1b}[2J\", password: •••)  Auth  Auth+Saga.swift:41  <- Session#7")
            })
        #expect(console.talk.contains("shown 2  dropped 0"))
        withExtendedLifetime(cluster) {}
    }

    @Test func `tap as JSON prints one object per line and no secret`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let cluster = try cluster(scratch)
        let console = TestConsole()
        #expect(console.run(["tap", "--json", "-q", "-n", "3", "--timeout", "30s", "--run", scratch.path]) == .ok)
        let objects = try console.out.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(objects.count == 3)
        #expect(objects.allSatisfy { $0["schema"] == "relux.tap.effect/1" && $0["cause"] == "Session#7" })
        #expect(!console.out.contains("pa55word"))
        #expect(console.talk.isEmpty)
        withExtendedLifetime(cluster) {}
    }

    @Test func `a tap that does not see enough in time ends with 5`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let cluster = try cluster(scratch)
        let console = TestConsole()
        #expect(console.run(["tap", "Notes.**", "-n", "1", "--timeout", "300ms", "--run", scratch.path]) == .timeout)
        #expect(console.out.isEmpty)
        #expect(console.talk.contains("seen 0  shown 0  dropped 0"))
        withExtendedLifetime(cluster) {}
    }

    @Test func `who is known to be absent is shown as parked, beside the effect, in JSON and in the tree`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let absent = ClusterPicture.Member(
            module: "Notes", epoch: Epoch(1), handles: ["Auth.Business.Effect"], emits: [], provides: [], observes: [], host: nil,
            absence: "it is quarantined")
        let cluster = try cluster(scratch, [absent])
        let console = TestConsole()
        #expect(console.run(["tap", "-n", "1", "--timeout", "30s", "--tree", "Session#7", "--run", scratch.path]) == .ok)
        let lines = console.out.split(separator: "\n").filter { $0.contains("Auth.Business.Effect") }
        #expect(lines.count >= 2 && lines.allSatisfy { $0.contains("  ‖ Notes parked") }, "\(console.out)")
        #expect(lines.contains { $0.hasPrefix("├─ Auth#") || $0.hasPrefix("└─ Auth#") })
        let json = TestConsole()
        #expect(json.run(["tap", "--json", "-q", "-n", "1", "--timeout", "30s", "--run", scratch.path]) == .ok)
        #expect(try JSONValue(parsing: json.out)["parked"] == ["Notes"], "\(json.out)")
        withExtendedLifetime(cluster) {}
    }

    @Test func `a tap of a tree shows only what descends from its root`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let cluster = try cluster(scratch)
        let console = TestConsole()
        let arguments = ["tap", "--tree", "Session#7", "-n", "2", "--timeout", "30s", "--run", scratch.path]
        #expect(console.run(arguments) == .ok)
        #expect(console.out.contains("Session#7  (not seen by this tap)\n├─ Auth#"))
        withExtendedLifetime(cluster) {}
    }

    @Test func `a tree that went by is read from the journals, and its end ends a tap that waits for more`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let cluster = try cluster(scratch)
        let books = try SampleBooks(in: scratch, RunDirectory(path: scratch.path))
        let console = TestConsole()
        #expect(console.run(["tap", "--tree", "Auth#1", "-n", "5", "--run", scratch.path]) == .unmet)
        #expect(console.out.contains("Auth#1  Auth.Business.Effect") && console.out.contains("✓ Notes"), "\(console.out)")
        #expect(console.talk.contains("the tree of Auth#1 is complete, with 1 of 5 effects"), "\(console.talk)")
        let enough = TestConsole()
        #expect(enough.run(["tap", "--tree", "Auth#1", "-n", "1", "--run", scratch.path]) == .ok)
        withExtendedLifetime((cluster, books)) {}
    }

    @Test func `a tree of which no journal has anything any more is said to be gone`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let cluster = try cluster(scratch)
        let books = try SampleBooks(in: scratch, RunDirectory(path: scratch.path))
        // Notes has settled, and said nothing.
        try books.write([("Notes.Business.Effect", [.effect(EffectRecord(position: 7, sequence: 1, caseName: "x", payload: [0xa0]))])], of: "Notes", epoch: 2)
        let console = TestConsole()
        #expect(console.run(["tap", "--tree", "Notes#3", "-n", "1", "--run", scratch.path]) == .notFound)
        #expect(console.talk.contains("Notes#3 has gone by, and no journal has it or what followed from it any more"), "\(console.talk)")
        let waiting = TestConsole()
        #expect(waiting.run(["tap", "--tree", "Notes#3", "--timeout", "200ms", "--run", scratch.path]) == .ok)
        #expect(waiting.talk.contains("the tap waits for what may still follow from it"), "\(waiting.talk)")
        withExtendedLifetime(cluster) {}
    }
}
