import FilesReluxInt
import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import Testing

extension EndToEnd {
    /// The registry is the membership: what was done while the cluster ran is so again after each start.
    @Suite struct Membership {
        private static let others = ["ErrorHandling", "Navigation", "Auth"]

        /// A cluster whose file does not name Files: it is loaded, stopped in its tracks, and three effects wait for it.
        private static func withWaiting(_ story: (Cluster, Freeze) async throws -> Void) async throws {
            let settings = ["supervisor:", "  stop:", "    drain: 500ms", "    term: 500ms"]
            try await Cluster.play(modules: others, settings: settings) { cluster in
                let loaded = try await cluster.cli("module", "load", "Files")
                #expect(loaded.status == 0, "\(loaded)")
                let opened = try await cluster.client.emit(Files.Business.Effect.open(userId: "ann"))
                #expect(opened.succeeded, "\(opened)")
                let frozen = Freeze(try await cluster.client.module("Files").pid)
                for number in 1...3 {
                    let effect = Files.Business.Effect.save(name: "\(number).txt", text: "\(number)")
                    let answer = try await cluster.client.emit(effect, deadline: .milliseconds(50))
                    #expect(answer.outcomes.map(\.recipient) == ["Files"] && !answer.succeeded, "\(answer)")
                }
                try await story(cluster, frozen)
            }
        }

        /// The supervisor is killed, and Files with it.
        private static func die(_ cluster: Cluster) async throws {
            let files = try await cluster.client.module("Files").pid
            let supervisor = try await cluster.client.status().supervisorPid
            // In this order: the kernel lets a stopped process go on whose parent dies, and a supervisor that runs starts another one.
            kill(supervisor, SIGSTOP)
            kill(files, SIGKILL)
            kill(supervisor, SIGKILL)
            try await cluster.noProcessIsLeft()
        }

        /// Waits until the audit's row from the ingress to Files is as wanted.
        private static func row(_ cluster: Cluster, when what: String, _ isAsWanted: @escaping @Sendable (JSONValue) -> Bool) async throws {
            let clock = ContinuousClock()
            let end = clock.now + watchdog
            while true {
                let audit = try await cluster.cli("audit", "--json")
                let rows = try audit.json()["rows"]?.array ?? []
                if audit.status == 0, rows.contains(where: { $0["recipient"]?.string == "Files" && $0["publisher"]?.string == "Cluster" && isAsWanted($0) }) {
                    return
                }
                guard clock.now < end else { throw HarnessError("\(what) is not so\n\(audit)") }
            }
        }

        @Test(arguments: [false, true])
        func `what waits for a module that was loaded while the cluster ran is settled after the next start`(_ isDown: Bool) async throws {
            try await Self.withWaiting { cluster, frozen in
                if isDown {
                    try await cluster.end()
                } else {
                    try await Self.die(cluster)
                }
                frozen.thaw()
                try await Self.row(cluster, when: "three that are open") { $0["open"] == .integer(3) && $0["lost"] == .integer(0) }
                let up = try await cluster.up()
                #expect(up.stderr.contains("Files starts: it is a member, and the file does not name it; relux apply takes it out"), "\(up)")
                let count = Self.others.count + 1
                #expect(up.stdout.contains("\(count)/\(count) ready"), "\(up)")
                try await Self.row(cluster, when: "four that are settled") {
                    $0["accepted"] == .integer(4) && $0["open"] == .integer(0) && $0["dead"] == .integer(0) && $0["lost"] == .integer(0)
                }
            }
        }

        @Test func `only a reset with a yes drops a member, and it names what pends`() async throws {
            try await Self.withWaiting { cluster, frozen in
                try await Self.die(cluster)
                frozen.thaw()
                let refused = try await cluster.cli("up", "--reset-members")
                #expect(refused.status == 2 && refused.stderr.contains("--yes"), "\(refused)")
                #expect(refused.stderr.contains("Files: 3 effects wait for it (3 Cluster Files.Business.Effect)"), "\(refused)")
                #expect(cluster.processes.isEmpty)
                let plan = try await cluster.cli("up", "--reset-members", "--plan")
                #expect(plan.status == 0 && plan.stdout.contains("Files is dropped: the file does not name it; what pends on it is lost"), "\(plan)")
                #expect(plan.stdout.contains("Files: 3 effects wait for it (3 Cluster Files.Business.Effect)"), "\(plan)")
                #expect(cluster.processes.isEmpty)
                let reset = try await cluster.cli("up", "--reset-members", "--yes", "--timeout", "60s")
                #expect(reset.status == 0 && reset.stdout.contains("\(Self.others.count)/\(Self.others.count) ready"), "\(reset)")
                try await Self.row(cluster, when: "three that are lost") { $0["lost"] == .integer(3) && $0["open"] == .integer(0) }
            }
        }

        @Test func `a cluster that runs is compared with its file, and apply carries the differences out`() async throws {
            try await Cluster.play(modules: ["ErrorHandling", "Navigation", "Auth", "Notes", "Settings"]) { cluster in
                let (cli, client) = (cluster.cli, cluster.client)
                #expect(try await cli("module", "load", "Files").status == 0)
                #expect(try await cli("module", "unload", "Settings", "--yes").status == 0)
                #expect(try await cli("module", "move", "Notes", "--host", "Auth").status == 0)
                for command in [["up"], ["up", "--plan"], ["apply", "--plan"]] {
                    let named = try await cli.relux(command)
                    let text = named.stdout + named.stderr
                    #expect(named.status == 0, "\(named)")
                    #expect(text.contains("Files runs: it is a member, and the file does not name it"), "\(named)")
                    #expect(text.contains("Settings stays out: it was unloaded"), "\(named)")
                    #expect(text.contains("Notes runs in host Auth, and the file says Notes"), "\(named)")
                }
                // Behind a start it is the same.
                try await cluster.end()
                let up = try await cli("up", "--timeout", "60s")
                #expect(up.status == 0 && up.stdout.contains("5/5 ready"), "\(up)")
                #expect(try await client.module("Notes").host == "Auth")
                #expect(!(try await client.status().modules.contains { $0.id == "Settings" }))

                let unasked = try await cli("apply")
                #expect(unasked.status == 2 && unasked.stderr.contains("--yes"), "\(unasked)")
                try await client.module("Files", is: .ready)
                let applied = try await cli("apply", "--yes")
                #expect(applied.status == 0 && applied.stderr.contains("3 carried out"), "\(applied)")
                try await client.module("Settings", is: .ready)
                #expect(try await client.module("Notes").host == "Notes")
                #expect(!(try await client.status().modules.contains { $0.id == "Files" }))
                let again = try await cli("apply", "--plan")
                #expect(again.status == 0 && again.stdout.isEmpty, "\(again)")
                let doctor = try await cli("doctor")
                #expect(!doctor.stdout.contains("relux apply"), "\(doctor)")
            }
        }

        @Test func `a plugin that is packed elsewhere is judged by who is in the cluster, and stays`() async throws {
            try await Cluster.play(modules: ["ErrorHandling", "Navigation", "Notes"]) { cluster in
                let (cli, client) = (cluster.cli, cluster.client)
                let elsewhere = cluster.directory + "/elsewhere"
                let packed = try await cli("module", "pack", Built.path("libNotesReluxImpl.so"), "--out", elsewhere)
                #expect(packed.status == 0, "\(packed)")
                for interfaces in [["Notes"], ["Notes", "Navigation"]] {
                    for name in interfaces { #expect(try await cli("module", "unload", name, "--yes").status == 0) }
                    let loaded = try await cli("module", "load", elsewhere + "/Notes")
                    #expect(loaded.status == 0, "\(loaded)")
                    // Without Navigation it waits, and is not refused.
                    if interfaces.count == 1 { continue }
                    let waiting = try await client.module("Notes", is: .waiting)
                    #expect(waiting.state.why.contains("load Navigation"), "\(waiting.state)")
                    #expect(try await cli("module", "load", "Navigation").status == 0)
                }
                let notes = try await client.module("Notes", is: .ready)
                #expect(notes.directory.hasPrefix(elsewhere), "\(notes.directory)")
                try await cluster.end()
                let up = try await cluster.up()
                #expect(!up.stderr.contains("Notes"), "\(up)")
                #expect(try await client.module("Notes", is: .ready).directory == notes.directory)
            }
        }

        @Test func `what was served last is what starts, whatever was packed, refused or taken back since`() async throws {
            try await CounterVersions.play([]) { cluster, _ in
                let (cli, client) = (cluster.cli, cluster.client)
                // A folder of its own, whose `current` this story may move.
                let folder = "\(cluster.packed)/Counter"
                let source = try FileManager.default.destinationOfSymbolicLink(atPath: folder)
                try FileManager.default.removeItem(atPath: folder)
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                for name in try FileManager.default.contentsOfDirectory(atPath: source) where name != "current" && !name.hasPrefix(".") {
                    try FileManager.default.copyItem(atPath: "\(source)/\(name)", toPath: "\(folder)/\(name)")
                }
                func pack(_ version: String) throws {
                    let directory = URL(fileURLWithPath: try CounterVersions.directory(version, in: cluster))
                    try? FileManager.default.removeItem(atPath: "\(folder)/current")
                    try FileManager.default.createSymbolicLink(atPath: "\(folder)/current", withDestinationPath: directory.lastPathComponent)
                }
                func again(_ arguments: String...) async throws -> Outcome {
                    try await cluster.end()
                    return try await cli.relux(["up", "--timeout", "60s"] + arguments)
                }

                try pack(CounterVersions.second)
                let packed = try await again()
                #expect(packed.status == 0 && packed.stderr.contains("2.0.0 is packed but not served: relux module upgrade Counter"), "\(packed)")
                #expect(try await client.module("Counter").version == CounterVersions.first)

                #expect(try await cli("module", "upgrade", "Counter").status == 0)
                #expect(try await again().status == 0)
                #expect(try await client.module("Counter").version == CounterVersions.second)
                let back = try await cli("module", "rollback", "Counter")
                #expect(back.status == 0, "\(back)")
                let behind = try await again("--packed")
                #expect(behind.status == 0 && behind.stderr.contains("2.0.0 was rolled back from"), "\(behind)")
                #expect(try await client.module("Counter").version == CounterVersions.first)
                #expect(try await cli("module", "unload", "Counter", "--yes").status == 0)
                let loaded = try await cli("module", "load", "Counter")
                #expect(loaded.status == 0 && loaded.stdout.contains("Counter 1.0.0 was served last; 2.0.0 is packed but not served"), "\(loaded)")
                #expect(try await client.module("Counter").version == CounterVersions.first)
                let twice = try await cli("module", "load", "Counter")
                #expect(twice.status == 0 && twice.stdout.contains("Counter 1.0.0 is loaded already, in host Counter, and ready: nothing is done"), "\(twice)")

                // A version that ends before it is ready gives way, and one that is refused starts no more.
                try pack(CounterVersions.crashing)
                let crashed = try await again("--packed")
                #expect(crashed.status == 0, "\(crashed)")
                #expect(crashed.stderr.contains("Counter starts 1.0.0, which was served last: 2.1.0 was started and has not been ready"), "\(crashed)")
                #expect(try await client.module("Counter", is: .ready).version == CounterVersions.first)
                try pack(CounterVersions.throwing)
                let thrown = try await again("--packed")
                #expect(thrown.status == 6 && (thrown.stdout + thrown.stderr).contains("not today"), "\(thrown)")
                let restarted = try await cli("module", "restart", "Counter")
                #expect(restarted.status == 0 && restarted.stderr.contains("Counter 1.0.0 is served; 2.3.0 is packed but not served"), "\(restarted)")
                #expect(try await client.module("Counter").version == CounterVersions.first)
                let doctor = try await cli("doctor")
                #expect(doctor.stdout.contains("warn  Counter: Counter 1.0.0 is served; 2.3.0 is packed but not served"), "\(doctor)")

                // A version that an upgrade refuses is taken by no start and by no load.
                try pack(CounterVersions.breaking)
                #expect(try await cli("module", "upgrade", "Counter").status == 6)
                for arguments in [[], ["--packed"]] {
                    try await cluster.end()
                    let up = try await cli.relux(["up", "--timeout", "60s"] + arguments)
                    #expect(up.status == 0 && up.stderr.contains(arguments.isEmpty ? "4.0.0 is packed but not served" : "4.0.0 breaks the contract"), "\(up)")
                    #expect(try await client.module("Counter").version == CounterVersions.first)
                }
                #expect(try await cli("module", "unload", "Counter", "--yes").status == 0)
                let breaking = try await cli("module", "load", try CounterVersions.directory(CounterVersions.breaking, in: cluster))
                #expect(breaking.status == 6 && breaking.stderr.contains("4.0.0 breaks the contract of 1.0.0"), "\(breaking)")
                #expect(try await cli("module", "load", "Counter").status == 0)

                // And what was served and is gone is not replaced.
                let served = try CounterVersions.directory(CounterVersions.first, in: cluster)
                try await cluster.end()
                try FileManager.default.moveItem(atPath: served, toPath: cluster.directory + "/away")
                let gone = try await cli("up", "--timeout", "60s")
                let said = (gone.stdout + gone.stderr).components(separatedBy: "which is not there any more").count - 1
                #expect(gone.status == 6 && said == 1, "\(gone)")
                try FileManager.default.moveItem(atPath: cluster.directory + "/away", toPath: served)
                #expect(try await again().status == 0)
                #expect(try await client.module("Counter").version == CounterVersions.first)
            }
        }
    }
}
