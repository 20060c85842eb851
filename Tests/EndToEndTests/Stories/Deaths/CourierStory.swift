import Glibc
import Relux
import ReluxControl
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    /// Effects that a module had said are handled although its process is gone and does not come back.
    @Suite struct Couriers {
        enum Fate: String, CaseIterable, Sendable {
            /// It keeps its place, and waits for a restart that does not come.
            case quarantined
            /// It is no member any more; its journal is retired.
            case removed
        }

        @Test(arguments: Fate.allCases)
        func `all that a dead module has said to a frozen one is handled when that one goes on`(_ fate: Fate) async throws {
            try await Cluster.play(settings: HostCrash.noReturn) { cluster in
                try await Self.load(into: cluster)
                let notes = try await cluster.client.module("Notes")
                let freeze = Freeze(notes.pid)
                let start = Load(
                    on: cluster, [try .init(topic: "BurstOrchestration.Effect", case: "run")], publishers: 1, window: 1, seed: 0,
                    limit: 1)
                let burst = try await cluster.client.status(when: "500 effects to be accepted") { status in
                    status.modules.contains { $0.id == "BurstOrchestration" && $0.counters.emitted >= 500 }
                }
                let victim = try #require(burst.modules.first { $0.id == "BurstOrchestration" })
                kill(victim.pid, SIGKILL)
                try await cluster.client.module("BurstOrchestration", is: .quarantined)
                if fate == .removed {
                    let unloaded = try await cluster.cli("module", "unload", "BurstOrchestration", "--yes")
                    #expect(unloaded.status == 0, "\(unloaded)")
                }
                freeze.thaw()
                // No notes are open, so each search fails, once; Notes says so to itself, too.
                let status = try await cluster.client.status(when: "Notes to have handled all of it") { status in
                    status.modules.contains { $0.id == "Notes" && $0.counters.failed >= 500 && $0.counters.inFlight == 0 }
                }
                let after = try #require(status.modules.first { $0.id == "Notes" })
                #expect(after.counters.failed == 500 && after.counters.lost == 0, "\(after.counters)")
                #expect(!status.modules.contains { $0.id == "BurstOrchestration" && $0.pid != 0 && $0.pid != victim.pid })
                start.abandon()
            }
        }

        private static func load(into cluster: Cluster) async throws {
            let forge = Forge(for: cluster)
            let library = try await forge.swift("Burst", as: "BurstOrchestration", interfaces: ["NotesReluxInt", "NotesModels"])
            let packed = try forge.pack(
                [library, Built.path("libNotesReluxInt.so"), Built.path("libNotesModels.so")],
                ModuleDeclaration(
                    id: "BurstOrchestration", version: "1.0.0", kind: .orchestrator, handles: ["BurstOrchestration.Effect"],
                    emits: ["Notes.Business.Effect"]))
            let outcome = try await cluster.cli("module", "load", packed)
            guard outcome.status == 0 else { throw HarnessError("the burst was not loaded\n\(outcome)") }
            try await cluster.client.module("BurstOrchestration", is: .ready)
        }
    }
}
