import Foundation
import Glibc
import ReluxControl
import ReluxTestKit
import ReluxZeroMQ
import Testing

extension EndToEnd {
    /// The conditions that a cluster inherits from the shell that starts it, and its conduct where descriptors become scarce.
    @Suite struct StartConditions {
        private static let modules = ["ErrorHandling", "Navigation", "Notes"]

        /// `relux ARGUMENTS` behind what a shell does first.
        private static func relux(_ cluster: Cluster, after preparation: String, _ arguments: String...) async throws -> Outcome {
            try await CLI.run(
                "/bin/sh", ["-c", "\(preparation)\nexec \"$0\" \"$@\"", Built.path("relux")] + arguments, environment: cluster.cli.environment)
        }

        @Test func `with too few descriptors nothing starts, and both figures and the remedy are said`() async throws {
            try await Cluster.play(modules: Self.modules, waitsUntilReady: false) { cluster in
                let outcome = try await Self.relux(cluster, after: "ulimit -n 64", "up")
                #expect(outcome.status != 0)
                #expect(outcome.stderr.contains("may have 64 files and sockets open and needs 92"), "\(outcome)")
                #expect(outcome.stderr.contains("ulimit -n 256"), "\(outcome)")
                #expect(cluster.processes.isEmpty)
            }
        }

        @Test(arguments: [("-f 2048", "file-size: a file of this process may have"), ("-v 500000", "address-space: this process may map 488 MiB"),
            ("-d 100000", "data: this process may have 97 MiB of memory by RLIMIT_DATA"), ("-s 128", "stack: a stack of this process may have 128 KiB"),
            ("-d 20000", "data: this process may have 19 MiB of memory by RLIMIT_DATA")])
        func `with a limit that would kill a broker in the midst of work nothing starts`(_ limit: String, _ words: String) async throws {
            try await Cluster.play(modules: Self.modules, waitsUntilReady: false) { cluster in
                let outcome = try await Self.relux(cluster, after: "ulimit \(limit)", "up")
                #expect(outcome.status != 0)
                #expect(outcome.stderr.contains(words) && outcome.stderr.contains("unlimited"), "\(outcome)")
                #expect(cluster.processes.isEmpty)
            }
        }

        @Test(arguments: [("relux-supervisor", 71), ("relux-broker", 71), ("relux-host", 71), ("relux", 1)])
        func `a program that is started by hand under a limit too low for it ends with the limit's name, and under one that can be raised works`(
            _ program: String, _ status: Int32
        ) async throws {
            for (limit, words) in [("-s 128", "stack: a stack of this process may have 128 KiB"), ("-d 12000", "data: this process may have 11 MiB")] {
                func started(_ limit: String) async throws -> Outcome {
                    try await CLI.run("/bin/sh", ["-c", "ulimit \(limit)\nexec \"$0\" --help", Built.path(program)], environment: ["SWIFT_BACKTRACE": "enable=no"])
                }
                let hard = try await started(limit)
                #expect(hard.status == status && hard.stderr.contains(words) && hard.stderr.contains("unlimited"), "\(hard)")
                let soft = try await started("-S \(limit)")
                #expect(soft.status == 0 && soft.stderr.isEmpty, "\(soft)")
            }
        }

        @Test func `a host names a limit of data under which its allocator could not start, as any other`() async throws {
            func started(under limit: Int) async throws -> Outcome {
                try await CLI.run(
                    "/bin/sh", ["-c", "ulimit -d \(limit)\nexec \"$0\" --help", Built.path("relux-host")], environment: ["SWIFT_BACKTRACE": "enable=no"])
            }
            let (tiny, small) = (try await started(under: 8000), try await started(under: 40_000))
            #expect(tiny.status == 71 && tiny.stderr.contains("may have 7 MiB"), "\(tiny)")
            #expect(tiny.stderr.replacing("7 MiB", with: "39 MiB") == small.stderr)
        }

        @Test func `a hard limit of data below the file's is a tighter fence, and up, doctor and the supervisor's log tell it`() async throws {
            try await Cluster.play(modules: Self.modules, waitsUntilReady: false) { cluster in
                let up = try await Self.relux(cluster, after: "ulimit -d 1000000", "up", "--timeout", "60s")
                let words = "RLIMIT_DATA (ulimit -d, LimitDATA=) is 976 MiB here, and memory.broker-mebibytes is 2048 and memory.host-mebibytes is 8192"
                #expect(up.status == 0 && up.stdout.contains("3/3 ready") && up.stderr.contains(words), "\(up)")
                // The cluster's, and not that of the shell that asks.
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.stdout.contains(words), "\(doctor)")
                #expect(try String(contentsOfFile: cluster.run.log(of: "supervisor"), encoding: .utf8).contains(words))
                let broker = try await cluster.client.status(when: "it to serve") { _ in true }.brokerPid
                let limits = try String(contentsOfFile: "/proc/\(broker)/limits", encoding: .utf8)
                #expect(limits.split(separator: "\n").contains { $0.hasPrefix("Max data size") && $0.contains("1024000000") }, "\(limits)")
            }
        }

        @Test func `brokers that die at each start end up early, and every command says how many, why, and what to do`() async throws {
            try await Cluster.play(modules: Self.modules, waitsUntilReady: false) { cluster in
                // A broker that has something in the way which no broker can take away: its journal is no directory.
                let obstacle = cluster.run.journal(of: "Cluster")
                try cluster.run.create()
                try Data().write(to: URL(fileURLWithPath: obstacle))
                let up = try await cluster.cli("up", "--timeout", "60s")
                #expect(up.status != 0)
                #expect(up.stderr.contains("brokers in a row have died at their start, the last one by exit"), "\(up)")
                #expect(up.stderr.contains("\(obstacle): mkdir failed") && up.stderr.contains("a directory belongs here: move away what lies there"), "\(up)")
                for command in ["status", "doctor"] {
                    let told = "\(try await cluster.cli(command, "--timeout", "1s"))"
                    #expect(told.contains("brokers in a row have died") && told.contains(obstacle) && !told.contains("start it with"), "\(told)")
                }
                try FileManager.default.removeItem(atPath: obstacle)
                _ = try await cluster.client.status(when: "all to be ready") { status in
                    status.modules.count == Self.modules.count && status.modules.allSatisfy { $0.state.phase == .ready }
                }
                #expect(cluster.run.brokerTrouble == nil)
            }
        }

        @Test(.enabled(if: SmallDisk.isAllowed, "a tmpfs needs root"))
        func `processes whose logs cannot be had serve without, say so, and write them as soon as they can`() async throws {
            try await Cluster.play(modules: Self.modules, waitsUntilReady: false) { cluster in
                try cluster.run.create()
                let logs = ["supervisor", "broker", "Notes"].map { cluster.run.log(of: $0) }
                let disk = try #require(SmallDisk.mounted(on: cluster.run.logs, megabytes: 1, isReadOnly: true, for: "logs on a disk that takes nothing"))
                let up = try await cluster.cli("up", "--timeout", "60s")
                #expect(up.status == 0 && up.stdout.contains("3/3 ready") && up.stderr.contains("\(logs[0]) cannot be opened"), "\(up)")
                let status = try await cluster.client.status(when: "the lost words to be named") { status in
                    logs.dropFirst().allSatisfy { log in status.noteLines.contains { $0.hasPrefix("files: \(log) cannot be opened") } }
                }
                disk.unmount()
                let after = try await cluster.client.status(when: "the words to be written again") { status in
                    !status.noteLines.contains { $0.contains("cannot be opened") }
                }
                #expect(after.brokerPid == status.brokerPid && logs.dropFirst().allSatisfy { FileManager.default.fileExists(atPath: $0) })
            }
        }

        /// Programs that go on until they are ended, and their arguments.
        private static func lasting(_ cluster: Cluster) throws -> [(program: String, arguments: [String])] {
            let runs = (1...3).map { "\(cluster.directory)/run\($0)" }
            for run in runs.map(RunDirectory.init) {
                try run.create()
                _ = try ClusterKey(run).take()
            }
            return [
                ("relux-broker", ["--run", runs[0]]), ("relux-host", ["--run", runs[1], "--host", "Notes", "--plugin", "\(cluster.packed)/Notes/current"]),
                ("relux-supervisor", ["--config", "\(cluster.directory)/cluster.yaml", "--run", runs[2]]), ("relux", ["tap", "**", "--run", runs[0]]),
            ]
        }

        @Test(arguments: 1..<8)
        func `whichever standard descriptors are closed, no program gets anything of its own under their numbers`(_ set: Int) async throws {
            let closed = (0..<3).filter { set >> $0 & 1 == 1 }
            let closing = "exec " + closed.map { ["<&-", ">&-", "2>&-"][$0] }.joined(separator: " ")
            try await Cluster.play(modules: ["Notes"], waitsUntilReady: false) { cluster in
                var children: [Child] = []
                for (program, arguments) in try Self.lasting(cluster) {
                    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
                    defer { close(null) }
                    let child = try Child(
                        "/bin/sh", ["-c", "\(closing)\nexec \"$0\" \"$@\"", Built.path(program)] + arguments, environment: cluster.cli.environment,
                        input: null, output: null, error: null)
                    let process = "/proc/\(child.pid)"
                    @Sendable func link(_ name: String) -> String? { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/\(name)") }
                    try await offPool {
                        _ = try poll(for: "\(program) to open what it needs", last: { "exit \(child.status ?? -1)" }) {
                            // Until the shell has become the program it may have the harness's descriptors.
                            let isOpen = ((try? FileManager.default.contentsOfDirectory(atPath: "\(process)/fd")) ?? []).count > 8
                            return isOpen && link("exe").map(URL.init(fileURLWithPath:))?.lastPathComponent == program ? true : nil
                        }
                    }
                    for number in closed {
                        let found = link("fd/\(number)") ?? "nothing"
                        // A process that serves opens its own log where it has nothing.
                        #expect(found == "/dev/null" || found.hasSuffix(".log"), "\(program), \(number): \(found)")
                    }
                    #expect(child.status == nil, "\(program) has ended")
                    children.append(child)
                }
                for child in children.reversed() {
                    child.signal(SIGTERM)
                    try await child.ended("process \(child.pid)")
                }
            }
        }

        @Test func `a soft limit that is too low is raised, closed input and ignored signals are borne, and all of it is said`() async throws {
            try await Cluster.play(modules: Self.modules, waitsUntilReady: false) { cluster in
                let outcome = try await Self.relux(cluster, after: "ulimit -S -n 64\ntrap '' TERM CHLD\numask 777\nexport RELUX_SUPERVISOR_PERIO=3s\nexec <&-", "up", "--timeout", "60s")
                #expect(outcome.status == 0 && outcome.stdout.contains("3/3 ready"), "\(outcome)")
                for name in ["standard: input", "signals: ", "umask: "] { #expect(outcome.stderr.contains(name), "\(outcome)") }
                #expect(!outcome.stderr.contains("descriptors"), "\(outcome)")
                let unread = "nobody reads the variable RELUX_SUPERVISOR_PERIO; did you mean 'RELUX_SUPERVISOR_PERIOD'?"
                let log = try String(contentsOfFile: cluster.run.log(of: "supervisor"), encoding: .utf8)
                #expect(outcome.stderr.contains(unread) && log.contains(unread), "\(outcome)\n\(log)")
                // SIGTERM ends the cluster all the same: the harness takes it down.
            }
        }

        @Test func `a flood of connections ends no host and no broker, and the host names who it is from`() async throws {
            try await Cluster.play(modules: Self.modules, waitsUntilReady: false) { cluster in
                let up = try await Self.relux(cluster, after: "ulimit -n 128", "up", "--timeout", "60s")
                try #require(up.status == 0, "\(up)")
                let before = Set(cluster.processes.map(\.pid))
                // Subscribers, as a forgotten script starts them: they are greeted, and they stay.
                var flood: [Subscriber] = []
                let context = try ZeroMQContext()
                for _ in 0..<150 { flood.append(try Subscriber(cluster.run.endpoint(of: "Notes"), context)) }
                _ = try await cluster.client.status(when: "the flood to be named") { status in
                    status.noteLines.contains { $0.hasPrefix("host Notes: ") && $0.contains("of 128 descriptors") && $0.contains("process \(getpid()) at ") }
                }
                let doctor = try await cluster.cli("doctor")
                #expect(doctor.stdout.contains("new peers are turned away"), "\(doctor)")
                // Those who were connected before go on.
                let answer = try await cluster.cli("effect", "send", "Notes.Business.Effect.search", #"{"query": "t"}"#)
                #expect("\(answer)".contains("notAuthenticated"), "\(answer)")
                flood = []
                _ = try await cluster.client.status(when: "the flood to be over, and told") { status in
                    status.noteLines.contains { $0.hasPrefix("host Notes: ") && $0.contains("peers were turned away since it was started") && $0.contains("(ulimit -n)") }
                }
                let later = try await cluster.cli("doctor")
                #expect(later.stdout.contains("were turned away since it was started, because 80 % of its 128 descriptors were open, the last was"), "\(later)")
                // Nobody new reaches a broker that is flooded, and it is there when the flood is over.
                var silent: [Int32] = []
                for _ in 0..<200 { silent.append(try #require(RawPeer.connected(to: cluster.run.brokerSocket, waits: true))) }
                for descriptor in silent { close(descriptor) }
                let after = try await cluster.client.status(when: "the broker to be reached again") { _ in true }
                #expect(after.brokerDeaths == 0)
                #expect(Set(cluster.processes.map(\.pid)) == before)
            }
        }

        private final class Subscriber {
            private let socket: ZeroMQSocket

            init(_ endpoint: String, _ context: ZeroMQContext) throws {
                socket = try ZeroMQSocket(.sub, in: context)
                try socket.connect(endpoint)
            }
        }
    }
}
