import Foundation
import Relux
import ReluxControl
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    /// Every bad plugin has a manifest that looks honest: its sizes, hashes and guard are right for the bad content.
    @Suite struct RefusedPlugins {
        struct Bad: Sendable {
            var name: String
            /// The named rule.
            var code: String
            /// The end of the offender's name.
            var offender: String
            var make: @Sendable (Forge, _ marker: String) async throws -> String
        }

        static let entry = "libBadReluxImpl.so"
        static let declaration = ModuleDeclaration(
            id: "Bad", version: "1.0.0", kind: .domain, handles: ["Bad.Business.Effect"], emits: [])

        /// A plugin in C that leaves the file when any of its code runs, even a constructor.
        static func source(_ marker: String, more: String = "") -> String {
            """
            \(constructor(marker))
            extern int \(reluxRuntimeGuard)(void);
            void *relux_plugin_main(void) { \(reluxRuntimeGuard)(); return 0; }
            \(more)
            """
        }

        static func constructor(_ marker: String) -> String {
            """
            #include <fcntl.h>
            __attribute__((constructor)) static void ran(void) { open("\(marker)", O_CREAT | O_WRONLY, 0600); }
            """
        }

        static func edited(
            _ forge: Forge, _ marker: String, _ name: String, _ edit: (inout [UInt8]) throws -> Void
        ) async throws -> String {
            let library = try await forge.c(source(marker), as: entry, in: name)
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: library)))
            try edit(&bytes)
            try Data(bytes).write(to: URL(fileURLWithPath: library))
            return try forge.pack([library], declaration)
        }

        static func linked(_ needed: String, _ declaration: ModuleDeclaration = declaration) -> @Sendable (Forge, String) async throws -> String {
            { forge, marker in
                let name = declaration.kind == .orchestrator ? "lib\(declaration.id).so" : entry
                let library = try await forge.c(source(marker), as: name, in: needed, needs: [needed])
                return try forge.pack([library], declaration)
            }
        }

        static let all: [Bad] = [
            Bad(name: "truncated", code: "loader.truncated", offender: entry) { forge, marker in
                try await edited(forge, marker, "truncated") { $0.removeLast($0.count / 2) }
            },
            Bad(name: "wrong architecture", code: "loader.machine", offender: entry) { forge, marker in
                // e_machine of the ELF header.
                try await edited(forge, marker, "machine") { $0[18] = $0[18] == 183 ? 62 : 183; $0[19] = 0 }
            },
            Bad(name: "other runtime build", code: "loader.guard", offender: "libProbeReluxImpl.so") { forge, marker in
                // A sound Swift plugin, compiled and linked against a libRelux.so of slightly other sources. Only its manifest,
                // which names this host's guard as all of them do, is not the one that packing beside that build would write.
                let runtime = try await OtherRuntime.build(in: try forge.path("runtime"))
                #expect(runtime.guardSymbol != reluxRuntimeGuard)
                let library = try await forge.swift(
                    "Probe", as: "ProbeReluxImpl", against: runtime, c: constructor(marker))
                return try forge.pack([library], Probe.declaration)
            },
            Bad(
                name: "impl-to-impl link", code: "layer.implToImpl", offender: entry,
                make: linked("libNotesReluxImpl.so")),
            Bad(
                name: "a domain that imports a domain", code: "layer.domainToDomain", offender: entry,
                make: linked("libNotesReluxInt.so")),
            Bad(
                name: "an orchestrator on an orchestrator", code: "layer.orchestratorToOrchestrator",
                offender: "libBadOrchestration.so",
                make: linked(
                    "libDataOrchestrationReluxInt.so",
                    ModuleDeclaration(
                        id: "BadOrchestration", version: "1.0.0", kind: .orchestrator, handles: ["BadOrchestration.Effect"],
                        emits: []))),
            Bad(name: "a static copy of the core", code: "loader.coreCopy", offender: entry) { forge, marker in
                let copy = "int copy __asm__(\"$s5ReluxAAO6EffectPMp\");"
                return try forge.pack([try await forge.c(source(marker, more: copy), as: entry, in: "copy")], declaration)
            },
            Bad(name: "missing symbol", code: "loader.open", offender: entry) { forge, marker in
                let more = "extern int relux_no_such_symbol(void); int user(void) { return relux_no_such_symbol(); }"
                return try forge.pack([try await forge.c(source(marker, more: more), as: entry, in: "symbol")], declaration)
            },
            Bad(name: "no entry point", code: "loader.entry", offender: entry) { forge, marker in
                let text = source(marker).replacingOccurrences(of: "relux_plugin_main", with: "some_other_main")
                return try forge.pack([try await forge.c(text, as: entry, in: "entry")], declaration)
            },
            Bad(name: "a file that is not listed", code: "loader.unlisted", offender: "libMore.so") { forge, marker in
                let packed = try forge.pack([try await forge.c(source(marker), as: entry, in: "unlisted")], declaration)
                try Data([1]).write(to: URL(fileURLWithPath: packed + "/libMore.so"))
                return packed
            },
            Bad(name: "other size", code: "loader.size", offender: entry) { forge, marker in
                let packed = try forge.pack([try await forge.c(source(marker), as: entry, in: "size")], declaration)
                let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(packed)/\(entry)"))
                try file.seekToEnd()
                try file.write(contentsOf: Data([0]))
                return packed
            },
            Bad(name: "other content", code: "loader.hash", offender: entry) { forge, marker in
                let packed = try forge.pack([try await forge.c(source(marker), as: entry, in: "hash")], declaration)
                var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(packed)/\(entry)")))
                bytes[bytes.count / 2] ^= 1
                try Data(bytes).write(to: URL(fileURLWithPath: "\(packed)/\(entry)"))
                return packed
            },
            Bad(name: "an orchestrator with state", code: "orchestrator.state", offender: "BadOrchestration") { forge, _ in
                // Only the made module shows it: neither the manifest nor the entry point says so.
                try forge.pack(
                    [try await forge.swift("Stateful", as: "BadOrchestration")],
                    ModuleDeclaration(
                        id: "BadOrchestration", version: "1.0.0", kind: .orchestrator, handles: ["BadOrchestration.Effect"],
                        emits: []))
            },
        ]

        @Test func `each bad plugin is refused by its rule while the others go on`() async throws {
            try await Cluster.play { cluster in
                // The compiler and the load would take each other's time.
                var plugins: [(bad: Bad, marker: String, packed: String)] = []
                for bad in Self.all {
                    let name = bad.name.filter(\.isLetter)
                    let marker = "\(cluster.directory)/ran-\(name)"
                    plugins.append((bad, marker, try await bad.make(Forge(for: cluster, version: name), marker)))
                }
                let load = Load(on: cluster, try Load.mixed(), seed: 81, pace: .milliseconds(20))
                try await load.answers(50)
                let before = try await cluster.client.status()
                for (bad, marker, packed) in plugins {
                    let outcome = try await cluster.cli("module", "load", packed)
                    #expect(outcome.status == 6, "\(bad.name): \(outcome)")
                    #expect(outcome.stderr.contains(bad.code), "\(bad.name): the rule \(bad.code)\n\(outcome)")
                    #expect(outcome.stderr.contains(bad.offender), "\(bad.name): the offender\n\(outcome)")
                    #expect(!FileManager.default.fileExists(atPath: marker), "\(bad.name): some of its code has run")
                    try await load.answers(20)
                    let module = packed.split(separator: "/").dropLast().last.map(String.init) ?? ""
                    let whyNot = try await cluster.cli("module", "why-not", module)
                    #expect(whyNot.status == 6 && whyNot.stdout.contains(bad.code), "\(bad.name): \(whyNot)")
                    let unload = try await cluster.cli("module", "unload", module)
                    #expect(unload.status == 0, "\(bad.name): \(unload)")
                }
                let after = try await cluster.client.status()
                #expect(after.modules.map(\.id) == before.modules.map(\.id))
                #expect(after.modules.map(\.pid) == before.modules.map(\.pid))
                #expect(after.modules.allSatisfy { $0.state.phase == .ready })
                let crashes = try FileManager.default.contentsOfDirectory(atPath: cluster.run.crashes)
                #expect(crashes.isEmpty, "\(crashes)")
                let tally = try await load.stop()
                #expect(tally.hung.isEmpty && tally.answered == tally.sent, "\(tally)")
                #expect(!tally.outcomes.keys.contains { $0.hasSuffix(":lost") || $0.hasSuffix(":unanswered") }, "\(tally)")
            }
        }
    }
}
