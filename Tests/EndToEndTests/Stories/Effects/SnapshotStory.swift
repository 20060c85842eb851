import Foundation
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    @Suite struct Snapshots {
        @Test(arguments: Placement.allCases)
        func `snapshots cross processes, and who joins late gets the current value first`(_ placement: Placement) async throws {
            try await Cluster.play(placement) { cluster in
                let cli = cluster.cli
                let workshop = try PluginWorkshop(cluster)
                try await Watching.build(in: workshop)
                let tap = try Tap(cluster)
                try await tap.hearing(cluster)

                let registered = try await cli(
                    "effect", "send", "Auth.Business.Effect.register", #"{"name": "judith"}"#, "--secret", "password",
                    input: "Leyster-1633\n")
                #expect(registered.status == 0, "\(registered)")

                // It comes when all has been said.
                let loaded = try await cli("module", "load", "WatchingOrchestration")
                #expect(loaded.status == 0, "\(loaded)")
                try await cluster.client.module("WatchingOrchestration", is: .ready)
                try await sees("judith", isStale: false, cluster, tap)

                // And live from now on.
                let left = try await cli("effect", "send", "Auth.Business.Effect.runLogoutFlow")
                #expect(left.status == 0, "\(left)")
                try await sees("nobody", isStale: false, cluster, tap)
                let second = try await cli(
                    "effect", "send", "Auth.Business.Effect.register", #"{"name": "clara"}"#, "--secret", "password",
                    input: "Peeters-1611\n")
                #expect(second.status == 0, "\(second)")
                try await sees("clara", isStale: false, cluster, tap)

                // Without the owner the observer waits, for it imports it; the value of the next owner comes by itself.
                let unloaded = try await cli("module", "unload", "Auth", "--yes")
                #expect(unloaded.status == 0, "\(unloaded)")
                let back = try await cli("module", "load", "Auth", "--host", "Auth-again")
                #expect(back.status == 0, "\(back)")
                try await cluster.client.module("WatchingOrchestration", is: .ready)
                try await sees("nobody", isStale: false, cluster, tap)
                try await tap.end()
            }
        }

        /// Asks what the observer sees, until it is that: snapshots are on their way by themselves.
        private func sees(_ name: String, isStale: Bool, _ cluster: Cluster, _ tap: Tap) async throws {
            let clock = ContinuousClock()
            let end = clock.now + watchdog
            var last = ""
            while clock.now < end {
                let label = UUID().uuidString
                let asked = try await cluster.cli("effect", "send", "WatchingOrchestration.Effect.look", "--label", label)
                #expect(asked.status == 0, "\(asked)")
                let root = try await tap.effect("the question") { $0.label == label }
                guard let seen = tap.effects.first(where: { $0.cause == root.id })?.payload["seen"] else { continue }
                last = "\(seen)"
                if seen["name"]?.text == name, seen["isStale"] == .bool(isStale) { return }
            }
            throw HarnessError("the observer never saw \(name), stale \(isStale); the last was \(last)")
        }
    }
}

/// An observer of Auth's snapshots in a process of its own.
private enum Watching {
    static func build(in workshop: PluginWorkshop) async throws {
        try await workshop.build(
            "WatchingOrchestration", linking: ["AuthReluxInt", "AuthModels"], ["Orchestration.swift": orchestration])
        try await workshop.pack("WatchingOrchestration")
    }

    static let orchestration = """
        import AuthReluxInt
        public import Relux
        import ReluxPlugin

        public enum WatchingOrchestration {
            public enum Effect: Relux.Effect {
                case look
                case seen(name: String, isStale: Bool)
            }

            struct Module: Relux.Plugin {
                static let kind = Relux.ModuleKind.orchestrator
                static var handles: [any Relux.Effect.Type]? { [WatchingOrchestration.Effect.self] }
                static var emits: [any Relux.Effect.Type]? { [WatchingOrchestration.Effect.self] }
                static var observes: [any Relux.SharedSnapshot.Type] { [Auth.Business.Snapshot.self] }
                let states: [any Relux.AnyState] = []
                let sagas: [any Relux.Saga] = [Saga()]
            }

            actor Saga: Relux.Saga {
                func apply(_ effect: any Relux.Effect) async {
                    guard case .look? = effect as? WatchingOrchestration.Effect else { return }
                    guard let relay = await dispatcher.getRelay(for: Auth.Business.Snapshot.self) else { return }
                    let (value, isStale) = await MainActor.run { (relay.value, relay.isStale) }
                    let name = value.name ?? "nobody"
                    await actions { WatchingOrchestration.Effect.seen(name: name, isStale: isStale) }
                }
            }
        }

        @c(relux_plugin_main)
        public func pluginMain() -> UnsafeMutableRawPointer {
            exportModule(WatchingOrchestration.Module.self)
        }
        """
}
