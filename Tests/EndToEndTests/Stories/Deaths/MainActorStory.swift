import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct BlockedMainActor {
        @Test func `a module that blocks the main actor of a shared host holds up nobody else in it`() async throws {
            // A module that waits for one of the blocked main actor waits with it: Files and Sync, whom DataOrchestration asks, run elsewhere.
            let shared = ["Auth", "Profile", "Settings", "Notes"]
            try await Cluster.play(hosts: Dictionary(uniqueKeysWithValues: shared.map { ($0, "domains") })) { cluster in
                let (cli, client) = (cluster.cli, cluster.client)
                let workshop = try PluginWorkshop(cluster)
                try await Blocking.build(in: workshop)
                let loaded = try await cli("module", "load", "Blocking", "--host", "domains")
                #expect(loaded.status == 0, "\(loaded)")
                let before = try await client.module("Notes", is: .ready)
                #expect(try await client.module("Blocking").pid == before.pid)
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)

                // Notes belong to somebody. Auth itself keeps its state on the main actor and will be blocked with it.
                let registered = try await cli(
                    "effect", "send", "Auth.Business.Effect.register", #"{"name": "rachel"}"#, "--secret", "password",
                    input: "Ruysch-1664\n")
                #expect(registered.status == 0, "\(registered)")

                // Longer than the broker bears silence, and until the story has seen enough.
                let go = cluster.directory + "/go"
                try #require(mkfifo(go, 0o600) == 0)
                let path = JSONValue.string(go).text()
                let blocked = Task {
                    try await cli(
                        "effect", "send", "Blocking.Business.Effect.block", #"{"seconds": 7, "until": \#(path)}"#, "--deadline", "60s",
                        "--json")
                }
                let started = try await tap.effect("the start of the blocking") { $0.caseName == "blocked" }
                let root = try #require(started.cause)
                for round in 0..<5 {
                    let saved = try await cli(
                        "effect", "send", "Notes.Business.Effect.upsert", #"{"id": "n\#(round)", "title": "T", "body": "while it blocks"}"#)
                    #expect(saved.status == 0, "\(saved)")
                    let found = try await cli("effect", "send", "Notes.Business.Effect.search", #"{"query": "blocks"}"#)
                    #expect(found.status == 0 && found.stdout.contains("n\(round)"), "\(found)")
                    let echoed = try await cli("effect", "send", "Blocking.Business.Effect.echo", #"{"text": "here"}"#)
                    #expect(echoed.status == 0 && echoed.stdout.contains("here"), "\(echoed)")
                }
                // Ready it is, and something is wrong all the same.
                let seen = try await client.status(when: "the handler that blocks to be named") { status in
                    status.modules.contains { $0.id == "Blocking" && $0.state.why.contains("blocks a thread") }
                }
                let note = try #require(seen.noteLines.first { $0.hasPrefix("host domains: Blocking blocks a thread") }, "\(seen.noteLines)")
                let spoken = try EffectID(parsing: root).description
                #expect(note.contains(spoken) && note.contains("Flow.apply"), "effect and place, of a function that is not exported: \(note)")
                let why = try await cli("module", "why-not", "Blocking")
                #expect(why.stdout.contains("blocks a thread"), "\(why)")
                let doctor = try await cli("doctor")
                #expect(doctor.stdout.contains("Blocking blocks a thread") && doctor.stdout.contains("Flow.apply"), "\(doctor)")
                let log = try String(contentsOfFile: cluster.run.log(of: "domains"), encoding: .utf8)
                #expect(log.contains("Blocking blocks a thread"), "\(log.suffix(2000))")
                #expect(!tap.settlements.contains { $0.effect == root && $0.recipient == "Blocking" }, "it was blocked all the time")
                try await offPool { close(open(go, O_WRONLY)) }
                #expect(try await blocked.value.status == 0)
                try await tap.wait("Blocking to settle") { lines in
                    lines.compactMap(Tap.Settlement.init).contains { $0.effect == root && $0.recipient == "Blocking" }
                }
                let after = try await client.module("Notes", is: .ready)
                #expect(after.pid == before.pid && after.epoch == before.epoch, "the heartbeat went on")
                try await tap.end()
            }
        }
    }
}

private enum Blocking {
    static func build(in workshop: PluginWorkshop) async throws {
        try await workshop.build("BlockingReluxInt", ["Effect.swift": interface])
        try await workshop.build("BlockingReluxImpl", linking: ["BlockingReluxInt"], ["Module.swift": implementation])
        try await workshop.pack("BlockingReluxImpl")
    }

    static let interface = """
        public import Relux

        public enum Blocking {
            public enum Business {
                public enum Effect: Relux.Effect {
                    case block(seconds: Int, until: String)
                    case blocked
                    case echo(text: String)
                }
            }
        }
        """
    static let implementation = """
        import BlockingReluxInt
        import Glibc
        import Relux
        import ReluxPlugin

        extension Blocking {
            struct Module: Relux.Plugin {
                static var handles: [any Relux.Effect.Type]? { [Blocking.Business.Effect.self] }
                static var emits: [any Relux.Effect.Type]? { [Blocking.Business.Effect.self] }
                let states: [any Relux.AnyState] = []
                let sagas: [any Relux.Saga] = [Flow()]
            }

            actor Flow: Relux.Flow {
                func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
                    switch effect as? Blocking.Business.Effect {
                    case .block(let seconds, let path):
                        performAsync { Blocking.Business.Effect.blocked }
                        await MainActor.run {
                            sleep(UInt32(seconds))
                            // Until somebody opens the other end.
                            close(open(path, O_RDONLY))
                        }
                        return .success
                    case .echo(let text): return .success(text)
                    default: return .success
                    }
                }
            }
        }

        @c(relux_plugin_main)
        public func pluginMain() -> UnsafeMutableRawPointer {
            exportModule(Blocking.Module.self)
        }
        """
}
