import Foundation
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct HotLoad {
        @Test(arguments: Placement.allCases)
        func `an orchestrator waits for a domain that is written, built and loaded while the cluster runs`(
            _ placement: Placement
        ) async throws {
            try await Cluster.play(placement) { cluster in
                let (cli, client) = (cluster.cli, cluster.client)
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)
                let workshop = try PluginWorkshop(cluster)
                try await Greeting.build(in: workshop)

                // The orchestrator comes first: it waits, and says for whom.
                try await workshop.pack("GreetingOrchestration")
                let loaded = try await cli("module", "load", "GreetingOrchestration")
                #expect(loaded.status == 0, "\(loaded)")
                let waiting = try await client.module("GreetingOrchestration", is: .waiting)
                #expect(waiting.state.why.contains("Greeting"))
                let why = try await cli("module", "why-not", "GreetingOrchestration")
                #expect(why.status == 6)
                #expect(why.stdout.contains("Greeting"))

                // The domain wakes it, without a restart.
                try await workshop.pack("GreetingReluxImpl")
                let domain = try await cli("module", "load", "Greeting")
                #expect(domain.status == 0, "\(domain)")
                let ready = try await client.module("GreetingOrchestration", is: .ready)
                #expect(ready.pid == waiting.pid && ready.epoch == waiting.epoch)
                #expect(try await cli("module", "why-not", "GreetingOrchestration").status == 0)
                try await aNotePassesThrough(cluster, tap, "first")

                // The CLI knows its contract too.
                let wrong = try await cli("effect", "send", "Greeting.Business.Effect.greet", #"{"nam": "x"}"#)
                #expect(wrong.status == 2, "\(wrong)")

                let unasked = try await cli("module", "unload", "Greeting")
                #expect(unasked.status == 2, "\(unasked)")
                #expect(unasked.stderr.contains("--yes") && unasked.stderr.contains("GreetingOrchestration"))
                try await client.module("Greeting", is: .ready)

                let unloaded = try await cli("module", "unload", "Greeting", "--yes")
                #expect(unloaded.status == 0, "\(unloaded)")
                let again = try await client.module("GreetingOrchestration", is: .waiting)
                #expect(again.pid == waiting.pid)
                let gone = try await client.status(when: "Greeting to be gone") { status in
                    !status.modules.contains { $0.id.rawValue == "Greeting" && $0.state.phase == .ready }
                }
                #expect(gone.modules.count { $0.state.phase == .ready } == Placement.modules.count)

                let back = try await cli("module", "load", "Greeting")
                #expect(back.status == 0, "\(back)")
                let woken = try await client.module("GreetingOrchestration", is: .ready)
                #expect(woken.pid == waiting.pid && woken.epoch == waiting.epoch)
                try await aNotePassesThrough(cluster, tap, "second")
                try await tap.end()
            }
        }

        /// Settings of a built-in domain cause an effect of the new one, through the new orchestrator.
        private func aNotePassesThrough(_ cluster: Cluster, _ tap: Tap, _ user: String) async throws {
            // The tap asks for new hosts once a second; what passes in the meantime is not heard.
            let clock = ContinuousClock()
            let end = clock.now + watchdog
            var greeted: Tap.Effect?
            while greeted == nil {
                guard clock.now < end else { throw HarnessError("the tap shows no greeting of \(user)") }
                let sent = try await cluster.cli(
                    "effect", "send", "Profile.Business.Effect.fetchProfile", #"{"userId": "\#(user)"}"#, "--json")
                #expect(sent.status == 0, "\(sent)")
                greeted = tap.effects.first { $0.path == "Greeting.Business.Effect.greeted" && "\($0.payload)".contains(user) }
            }
            let answer = try #require(greeted)
            #expect(answer.module == "Greeting")
            let asked = try await tap.effect("greet") { $0.id == answer.cause }
            #expect(asked.module == "GreetingOrchestration")
            #expect(asked.path == "Greeting.Business.Effect.greet")
            let fetched = try await tap.effect("profileFetched") { $0.id == asked.cause }
            #expect(fetched.path == "Profile.Business.Effect.profileFetched")
            let direct = try await cluster.cli("effect", "send", "Greeting.Business.Effect.greet", #"{"name": "\#(user)"}"#)
            #expect(direct.status == 0 && direct.stdout.contains("Hello, \(user)!"), "\(direct)")
        }
    }
}

/// A domain that no build graph knows, and an orchestrator that connects it with Profile.
private enum Greeting {
    static func build(in workshop: PluginWorkshop) async throws {
        try await workshop.build("GreetingModels", ["Greeting.swift": models])
        try await workshop.build("GreetingReluxInt", linking: ["GreetingModels"], ["Effect.swift": interface])
        try await workshop.build(
            "GreetingReluxImpl", linking: ["GreetingModels", "GreetingReluxInt"], ["Module.swift": implementation])
        try await workshop.build(
            "GreetingOrchestration", linking: ["GreetingReluxInt", "GreetingModels", "ProfileReluxInt", "ProfileModels"],
            ["Orchestration.swift": orchestration])
    }

    static let models = """
        public enum Greeting {
            public enum Business {
                public enum Model {
                    public struct Card: Sendable, Equatable, Codable {
                        public let text: String
                        public init(text: String) { self.text = text }
                    }
                }
            }
        }
        """
    static let interface = """
        @_exported public import GreetingModels
        public import Relux

        extension Greeting.Business {
            public enum Effect: Relux.Effect {
                case greet(name: String)
                case greeted(card: Greeting.Business.Model.Card)
            }
        }
        """
    static let implementation = """
        import GreetingModels
        import GreetingReluxInt
        import Relux
        import ReluxPlugin

        extension Greeting {
            struct Module: Relux.Plugin {
                static var handles: [any Relux.Effect.Type]? { [Greeting.Business.Effect.self] }
                static var emits: [any Relux.Effect.Type]? { [Greeting.Business.Effect.self] }
                let states: [any Relux.AnyState] = []
                let sagas: [any Relux.Saga] = [Flow()]
            }

            actor Flow: Relux.Flow {
                func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
                    guard case .greet(let name)? = effect as? Greeting.Business.Effect else { return .success }
                    let card = Greeting.Business.Model.Card(text: "Hello, \\(name)!")
                    await actions { Greeting.Business.Effect.greeted(card: card) }
                    return .success(card)
                }
            }
        }

        @c(relux_plugin_main)
        public func pluginMain() -> UnsafeMutableRawPointer {
            exportModule(Greeting.Module.self)
        }
        """
    static let orchestration = """
        import GreetingReluxInt
        import ProfileReluxInt
        import Relux
        import ReluxPlugin

        public enum GreetingOrchestration {
            struct Module: Relux.Plugin {
                static let kind = Relux.ModuleKind.orchestrator
                static var handles: [any Relux.Effect.Type]? { [Profile.Business.Effect.self] }
                static var emits: [any Relux.Effect.Type]? { [Greeting.Business.Effect.self] }
                let states: [any Relux.AnyState] = []
                let sagas: [any Relux.Saga] = [Saga()]
            }

            actor Saga: Relux.Saga {
                func apply(_ effect: any Relux.Effect) async {
                    guard case .profileFetched(let profile)? = effect as? Profile.Business.Effect else { return }
                    await actions { Greeting.Business.Effect.greet(name: profile.userId) }
                }
            }
        }

        @c(relux_plugin_main)
        public func pluginMain() -> UnsafeMutableRawPointer {
            exportModule(GreetingOrchestration.Module.self)
        }
        """
}
