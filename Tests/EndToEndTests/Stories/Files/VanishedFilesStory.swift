import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxWire
import ReluxZeroMQ
import Testing

extension EndToEnd {
    /// The files of a cluster in its run directory are taken away under its processes, as a script that cleans up does.
    @Suite struct VanishedFiles {
        private static let modules = ["ErrorHandling", "Navigation", "Notes"]

        private static func play(_ story: (Cluster) async throws -> Void) async throws { try await Cluster.play(modules: modules, story) }

        private static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

        /// Whether the file is there and is not the one that was taken away.
        private static func isBack(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

        /// It says that nobody is logged in, which is an answer.
        private static func notesAnswers(_ cluster: Cluster) async throws {
            let outcome = try await cluster.cli("effect", "send", "Notes.Business.Effect.search", #"{"query": "t"}"#)
            #expect("\(outcome)".contains("notAuthenticated"), "\(outcome)")
        }

        @Test func `down stops a cluster whose pid file is gone`() async throws {
            try await Self.play { cluster in
                let processes = cluster.processes
                try Self.remove(cluster.run.supervisorPid)
                let outcome = try await cluster.cli("down")
                #expect(outcome.status == 0 && outcome.stderr.contains("\(processes.count) processes stopped"), "\(outcome)")
                #expect(cluster.processes.isEmpty)
            }
        }

        @Test func `up beside a cluster whose pid file is gone starts no second one`() async throws {
            try await Self.play { cluster in
                let before = Set(cluster.processes.map(\.pid))
                try Self.remove(cluster.run.supervisorPid)
                let outcome = try await cluster.cli("up")
                #expect(outcome.status == 0 && outcome.stderr.contains("is up already"), "\(outcome)")
                #expect(Set(cluster.processes.map(\.pid)) == before)
                #expect(cluster.run.runningSupervisor() != nil)
            }
        }

        @Test func `what is deleted in a run directory is made anew by whoever has it, and nothing restarts`() async throws {
            try await Self.play { cluster in
                let (run, before) = (cluster.run, Set(cluster.processes.map(\.pid)))
                let lost = [run.sockets, run.logs, run.crashes, run.registry, run.registry + ".lock", run.key, run.supervisorPid, run.settings]
                let key = try Data(contentsOf: URL(fileURLWithPath: run.key))
                for path in lost { try Self.remove(path) }
                let sockets = [run.brokerSocket] + Self.modules.flatMap { [run.endpoint(of: $0), run.tapEndpoint(of: $0)] }
                    .map { String($0.dropFirst("ipc://".count)) }
                try await offPool {
                    _ = try poll(for: "all to be back", last: { (lost + sockets).filter { !Self.isBack($0) }.joined(separator: " ") }) {
                        (lost + sockets).allSatisfy(Self.isBack) && run.runningSupervisor() != nil ? true : nil
                    }
                }
                #expect(Set(cluster.processes.map(\.pid)) == before)
                #expect(try Data(contentsOf: URL(fileURLWithPath: run.key)) == key)
                // Neither is another one in its place.
                try Data(repeating: 7, count: key.count).write(to: URL(fileURLWithPath: run.key))
                try await offPool {
                    _ = try poll(for: "the key to be back") { (try? Data(contentsOf: URL(fileURLWithPath: run.key))) == key ? true : nil }
                }
                try await Self.notesAnswers(cluster)
                let doctor = try await cluster.cli("doctor")
                #expect(!doctor.stdout.contains("fail"), "\(doctor)")
                // Whoever starts now finds the others, and they find it.
                let restart = try await cluster.cli("module", "restart", "Notes", "--yes")
                #expect(restart.status == 0, "\(restart)")
                _ = try await cluster.client.status(when: "all to be ready") { $0.modules.allSatisfy { $0.state.phase == .ready } }
                try await Self.notesAnswers(cluster)
            }
        }

        @Test func `a cluster whose run directory is deleted ends, and the next up works`() async throws {
            try await Self.play { cluster in
                try Self.remove(cluster.run.path)
                try await cluster.noProcessIsLeft()
                let outcome = try await cluster.up()
                #expect(outcome.stdout.contains("\(Self.modules.count)/\(Self.modules.count) ready"), "\(outcome)")
            }
        }

        @Test func `up at once behind the deletion of the run directory waits for what still ends`() async throws {
            try await Self.play { cluster in
                let before = Set(cluster.processes.map(\.pid))
                try Self.remove(cluster.run.path)
                let outcome = try await cluster.up()
                #expect(outcome.stdout.contains("\(Self.modules.count)/\(Self.modules.count) ready"), "\(outcome)")
                #expect(before.isDisjoint(with: cluster.processes.map(\.pid)))
            }
        }

        @Test func `a key that is deleted or damaged while nothing runs keeps the cluster from starting, and doctor fails`() async throws {
            try await Self.play { cluster in
                try await cluster.end()
                let key = try Data(contentsOf: URL(fileURLWithPath: cluster.run.key))
                for (content, words) in [(nil, "the cluster's key \(cluster.run.key) is gone"), (key.prefix(7), "\(cluster.run.key) has 7 bytes instead of 32")] {
                    try? Self.remove(cluster.run.key)
                    if let content {
                        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
                        try #require(FileManager.default.createFile(atPath: cluster.run.key, contents: content, attributes: attributes))
                    }
                    let up = try await cluster.cli("up")
                    #expect(up.status != 0 && up.stderr.contains(words) && up.stderr.contains("put "), "\(up)")
                    let doctor = try await cluster.cli("doctor")
                    #expect(doctor.status == 1 && doctor.stdout.contains(words), "\(doctor)")
                    #expect(cluster.processes.isEmpty)
                }
                try key.write(to: URL(fileURLWithPath: cluster.run.key))
                try await cluster.up()
            }
        }

        @Test func `doctor fails where the registry is damaged`() async throws {
            try await Self.play { cluster in
                try await cluster.end()
                let whole = try Data(contentsOf: URL(fileURLWithPath: cluster.run.registry))
                try whole.dropLast(3).write(to: URL(fileURLWithPath: cluster.run.registry))
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.status == 1 && doctor.stdout.contains(cluster.run.registry), "\(doctor)")
                try whole.write(to: URL(fileURLWithPath: cluster.run.registry))
                try await cluster.up()
            }
        }

        @Test func `a module whose journal is deleted is started again, and serves, and the loss is named`() async throws {
            try await Self.play { cluster in
                let before = try await cluster.client.module("Notes").pid
                try Self.remove(cluster.run.journal(of: "Notes"))
                let after = try await cluster.client.status(when: "Notes to be another process") { status in
                    status.modules.contains { $0.id == "Notes" && $0.pid != before && $0.state.phase == .ready }
                }
                #expect(after.modules.count == Self.modules.count)
                try await Self.notesAnswers(cluster)
                try await Self.expectTaken(["Notes"], cluster)
            }
        }

        @Test func `journals that are moved away while the cluster runs are named, and what comes back lacks only what was made meanwhile`() async throws {
            try await Self.play { cluster in
                let (journals, aside) = (cluster.run.journals, cluster.directory + "/aside")
                let before = Set(cluster.processes.map(\.pid))
                try FileManager.default.moveItem(atPath: journals, toPath: aside)
                try await Self.expectTaken(Self.modules, cluster)
                try await Self.notesAnswers(cluster)
                for name in Self.modules + ["Cluster"] {
                    let note = "journal: the journal of \(name) does not have what the registry knows of"
                    _ = try await cluster.client.status(when: "\(name)'s loss to be named") { $0.noteLines.contains { $0.hasPrefix(note) } }
                }
                let supervisor = try #require(cluster.run.runningSupervisor())
                #expect(before.subtracting(cluster.processes.map(\.pid)) == before.subtracting([supervisor]))
                try await cluster.end()

                try Self.remove(journals)
                try FileManager.default.moveItem(atPath: aside, toPath: journals)
                let up = try await cluster.up()
                #expect(up.stderr.contains("the journal of Notes in \(journals) is an older copy: it ends with life 1, and the registry knows of life 2"), "\(up)")
                let audit = try await cluster.cli("audit")
                let gone = audit.stdout.split(separator: "\n").filter { $0.hasPrefix("gone ") && $0.contains("of Notes ") }
                #expect(audit.status == 0 && !gone.isEmpty && gone.allSatisfy { $0.contains(" from 2.") }, "\(audit)")
            }
        }

        /// `status` and `doctor` say whose journals were taken away.
        private static func expectTaken(_ modules: [String], _ cluster: Cluster, _ location: SourceLocation = #_sourceLocation) async throws {
            for module in modules {
                let text = "files: files of \(module) were taken away while it ran (its journal in \(cluster.run.journal(of: module))"
                _ = try await cluster.client.status(when: "the loss of \(module)'s journal to be named") { $0.noteLines.contains { $0.hasPrefix(text) } }
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.stdout.contains(text), "\(doctor)", sourceLocation: location)
            }
            let status = try await cluster.cli("status").stdout
            #expect(status.contains("files: "), "\(status)", sourceLocation: location)
        }

        @Test func `a file in the place of the crash reports, or a directory in that of a socket, takes nobody down`() async throws {
            try await Self.play { cluster in
                let before = Set(cluster.processes.map(\.pid))
                let socket = String(cluster.run.endpoint(of: "Notes").dropFirst("ipc://".count))
                try Self.remove(cluster.run.crashes)
                try Data().write(to: URL(fileURLWithPath: cluster.run.crashes))
                try Self.remove(socket)
                try FileManager.default.createDirectory(atPath: socket, withIntermediateDirectories: false)
                let trouble = "\(cluster.run.crashes) is not a directory"
                _ = try await cluster.client.status(when: "the file to be named") { $0.noteLines.contains { $0.hasPrefix("files: \(trouble)") } }
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.stdout.contains("\(cluster.run.crashes) is no directory; move it away"), "\(doctor)")
                try await offPool {
                    _ = try poll(for: "the socket to be back") {
                        var found = stat()
                        return lstat(socket, &found) == 0 && found.st_mode & S_IFMT == S_IFSOCK ? true : nil
                    }
                }
                try await Self.notesAnswers(cluster)
                #expect(Set(cluster.processes.map(\.pid)) == before)
                try Self.remove(cluster.run.crashes)
                _ = try await cluster.client.status(when: "it to be over") { !$0.noteLines.contains { $0.contains(trouble) } }
            }
        }

        @Test func `a module whose database is deleted answers nothing from it any more, and the loss is named`() async throws {
            try await Self.play { cluster in
                let folder = cluster.run.state(of: "Notes")
                func search() async throws -> Outcome {
                    let context = #"{"context": {"isAuthenticated": true, "userId": "u1"}}"#
                    _ = try await cluster.cli("effect", "send", "Notes.Business.Effect.sync", context)
                    return try await cluster.cli("effect", "send", "Notes.Business.Effect.search", #"{"query": "milk"}"#)
                }
                _ = try await search()
                let saved = try await cluster.cli("effect", "send", "Notes.Business.Effect.upsert", #"{"id": "n1", "title": "milk", "body": ""}"#)
                #expect(saved.status == 0, "\(saved)")
                let before = try await cluster.client.module("Notes").pid
                try Self.remove(folder)
                _ = try await cluster.client.status(when: "the loss to be named by another process") { status in
                    status.modules.contains { $0.id == "Notes" && $0.pid != before && $0.state.phase == .ready }
                        && status.noteLines.contains { $0.hasPrefix("files: files of Notes were taken away while it ran (notes.sqlite") }
                }
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.stdout.contains("files of Notes were taken away"), "\(doctor)")
                let after = try await search()
                #expect(after.status == 0 && !"\(after)".contains("\"n1\""), "\(after)")
                let audit = try await cluster.cli("audit")
                #expect(audit.status == 0 && audit.stdout.contains("BALANCED"), "\(audit)")
            }
        }

        @Test func `a second process with a host's name is refused, and the first one's sockets stay`() async throws {
            try await Self.play { cluster in
                let before = try await cluster.client.module("Notes").pid
                let second = try await CLI.run(
                    Built.path("relux-host"), ["--host", "Notes", "--run", cluster.run.path, "--plugin", cluster.packed + "/Notes/current"],
                    environment: cluster.cli.environment)
                #expect(second.status == EX_TEMPFAIL && second.stderr.contains("in use by process \(before)"), "\(second)")
                #expect(SocketLock.isHeld(String(cluster.run.endpoint(of: "Notes").dropFirst("ipc://".count))))
                #expect(try await cluster.client.module("Notes").pid == before)
                let restart = try await cluster.cli("module", "restart", "Navigation", "--yes")
                #expect(restart.status == 0, "\(restart)")
                _ = try await cluster.client.status(when: "all to be ready") { $0.modules.allSatisfy { $0.state.phase == .ready } }
                try await Self.notesAnswers(cluster)
            }
        }
    }
}
