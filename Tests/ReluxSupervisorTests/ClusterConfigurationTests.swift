import Foundation
import ReluxControl
import ReluxWire
import Testing

@testable import ReluxSupervisor

@Suite struct ClusterConfigurationTests {
    private static let goldens = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Goldens/ClusterConfigurationTests")

    private static let cases: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: goldens.path)) ?? [])
        .filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()

    private func read(_ text: String, environment: [String: String] = [:], flags: [String: String] = [:]) throws
        -> ClusterConfiguration
    {
        try .read(text, named: "cluster.yaml", beside: "/srv/demo", environment: environment, flags: flags)
    }

    @Test(arguments: [
        ("liveness: {stall: 10s, restart: 1s}", "liveness.stall: 10s is more than liveness.restart 1s"),
        ("supervisor: {backoff: {base: 2s, cap: 1s}}", "supervisor.backoff.base: 2s is more than supervisor.backoff.cap 1s"),
        ("supervisor: {period: 1s, backoff: {base: 2s}}", "supervisor.backoff.base: 2s is more than supervisor.period 1s: deaths so far apart"),
        ("bus: {patience: 100ms}\ndispatch: {deadline: 50ms}", "bus.patience: 100ms is more than dispatch.deadline 50ms"),
        (
            "bus: {queue-mebibytes: 200}\nmemory: {host-mebibytes: 256}",
            "bus.queue-mebibytes: 200 is more than memory.host-mebibytes 256 without the 64 that a process takes itself: a host would be ended"
        ),
        ("memory: {host-mebibytes: 20}", "memory.host-mebibytes: 20 is too little"),
        ("cluster: {directory: /x, packed: /x}", "cluster.packed: /x is cluster.directory too"),
        ("cluster: {plugins: [{module: A, services: mock, environment: {RELUX_SERVICES_A: real}}]}", "services: mock and RELUX_SERVICES_A real in environment"),
        (
            "cluster: {plugins: [{module: A, host: h, environment: {L: x}}, {module: B, host: h, environment: {L: y}}]}",
            "their values of L differ: \"y\" here, \"x\" there"
        ),
        (
            "cluster: {plugins: [{module: A, host: h, executable: /a}, {module: B, host: h}]}",
            "their executables differ: relux-host here, /a there"
        ),
        (
            "cluster: {plugins: [{module: A, environment: {RELUX_BUS_QUEUE_MEBIBYTES: \"9000\"}}]}",
            "host A by its environment: bus.queue-mebibytes: 9000 is more than memory.host-mebibytes 8192"
        ),
        ("journal: {retention-mebibytes: 2, node-mebibytes: 1}", "journal.retention-mebibytes: 2 is more than journal.node-mebibytes 1"),
    ])
    func `values that contradict each other are refused with both`(_ text: String, _ words: String) {
        let error = #expect(throws: ConfigurationError.self) { try ClusterConfiguration.read(text, named: "cluster.yaml", beside: "/c") }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test func `a path that begins in the home is the caller's, and without one it is refused with the key`() throws {
        let text = "cluster: {directory: ~/state, packed: ~/packed, plugins: [{path: ~/packed/A/current, executable: ~/bin/a}]}"
        let configuration = try ClusterConfiguration.read(text, named: "cluster.yaml", beside: "/c", environment: ["HOME": "/users/ada"])
        #expect(configuration.directory == "/users/ada/state" && configuration.packed == "/users/ada/packed")
        #expect(configuration.hosts.first?.executable == "/users/ada/bin/a" && configuration.hosts.first?.plugins == ["/users/ada/packed/A/current"])
        #expect(try ClusterConfiguration.read("cluster: {directory: ~ada}", named: "cluster.yaml", beside: "/c").directory == "/c/~ada")
        for (text, words) in [
            ("cluster: {directory: ~/state}", "cluster.yaml:1: cluster.directory: \"~/state\" begins in the user's home, and HOME names none"),
            ("cluster: {plugins: [{path: ~/a/A/current}]}", "cluster.plugins.path: \"~/a/A/current\" begins in the user's home"),
        ] {
            for environment in [[:], ["HOME": ""], ["HOME": "home"]] {
                let error = #expect(throws: ConfigurationError.self) {
                    try ClusterConfiguration.read(text, named: "cluster.yaml", beside: "/c", environment: environment)
                }
                #expect(error?.message.contains(words) == true, "\(String(describing: error))")
            }
        }
    }

    @Test func `a hard limit of data below what the file gives is used as it is and told with both figures`() throws {
        let configuration = try read("memory: {broker-mebibytes: 600, host-mebibytes: 0}")
        let inherited = 500 << 20
        let told = try #require(configuration.findings(underData: inherited).first)
        #expect(!told.isFatal && told.name == "data")
        for words in [
            "RLIMIT_DATA (ulimit -d, LimitDATA=) is 500 MiB here, and memory.broker-mebibytes is 600 and memory.host-mebibytes is 0, no limit",
            "ulimit -d unlimited", "lower memory.*",
        ] { #expect("\(told)".contains(words), "\(told)") }
        let limits = configuration.memory.within(inherited)
        #expect(limits.broker.bytes == inherited && limits.host.bytes == inherited)
        #expect(limits.host.reached(by: inherited)?.contains("its limit of 500 MiB (RLIMIT_DATA (ulimit -d, LimitDATA=), inherited)") == true)
        let lower = try read("memory: {broker-mebibytes: 300, host-mebibytes: 400}")
        #expect(lower.findings(underData: inherited).isEmpty && lower.memory.within(inherited) == lower.memory)
        #expect(configuration.findings(underData: nil).isEmpty && configuration.memory.within(nil) == configuration.memory)
    }

    @Test(arguments: ["bus: {queue-mebibytes: 400}", "cluster: {plugins: [{module: A, environment: {RELUX_BUS_QUEUE_MEBIBYTES: \"400\"}}]}"])
    func `a hard limit of data in which a host's queues have no room keeps the cluster from starting`(_ text: String) throws {
        let told = try #require(read(text).findings(underData: 450 << 20).first)
        #expect(told.isFatal && told.text.contains("450 MiB here, and bus.queue-mebibytes is 400 beside the 64"), "\(told)")
        #expect(try read(text).findings(underData: 464 << 20).allSatisfy { !$0.isFatal })
    }

    @Test(arguments: [
        "memory: {host-mebibytes: 128}", "memory: {host-mebibytes: 0}\nbus: {queue-mebibytes: 65536}", "supervisor: {period: 1s, backoff: {base: 1s, cap: 1s}}",
        "liveness: {stall: 10s, restart: 10s}", "bus: {patience: 1ms}\ndispatch: {deadline: 1ms}",
        "cluster: {plugins: [{module: A, services: mock, environment: {RELUX_SERVICES_A: mock, RELUX_BUS_PATIENCE: 9ms, RELUX_PAYMENT_URL: x}}]}",
    ])
    func `values at the limit of what another allows are taken`(_ text: String) throws { _ = try read(text) }

    @Test func `a contradiction is told where the value was set, be it by a variable`() {
        let error = #expect(throws: ConfigurationError.self) { _ = try read("liveness: {restart: 20s}", environment: ["RELUX_LIVENESS_STALL": "30s"]) }
        #expect(error?.message.hasPrefix("RELUX_LIVENESS_STALL: liveness.stall: 30s is more than liveness.restart 20s: ") == true, "\(error as Any)")
    }

    @Test(arguments: [
        (#"{"A=B": x}"#, "\"A=B\" is no variable's name"), (#"{"": x}"#, "is no variable's name"), ("{RELUX_RUN: /x}", "RELUX_RUN is the cluster's own"),
        ("text", "takes names with texts"), ("{A: [1]}", "cluster.plugins.environment: A takes one text"), ("{RELUX_HOST: x}", "RELUX_HOST is the cluster's own"),
        ("{RELUX_SUPERVISOR_PERIOD: 5s}", "RELUX_SUPERVISOR_PERIOD is supervisor.period, which no host reads"),
        ("{RELUX_CLUSTER_DIRECTORY: /x}", "RELUX_CLUSTER_DIRECTORY is cluster.directory, which no host reads"),
        ("{RELUX_BUS_PATIENCE: soon}", "RELUX_BUS_PATIENCE: \"soon\" is not allowed; it takes a duration from 0ms to 1s"),
        ("{RELUX_BUS_PATIENC: 5ms}", "nobody reads RELUX_BUS_PATIENC; did you mean RELUX_BUS_PATIENCE?"),
    ])
    func `an environment that no process could have is refused with its name`(_ environment: String, _ words: String) {
        let text = "cluster:\n  plugins:\n    - module: Auth\n      environment: \(environment)\n"
        let error = #expect(throws: ConfigurationError.self) { try ClusterConfiguration.read(text, named: "cluster.yaml", beside: "/c") }
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    @Test(arguments: cases) func `a bad file is refused with the golden message`(name: String) throws {
        let text = try String(contentsOf: Self.goldens.appendingPathComponent(name + ".yaml"), encoding: .utf8)
        let golden = Self.goldens.appendingPathComponent(name + ".txt")
        let error = #expect(throws: ConfigurationError.self) { _ = try read(text) }
        let message = "\(error?.code.rawValue ?? 0) \(error?.message ?? "accepted")\n"
        if ProcessInfo.processInfo.environment["RELUX_RECORD"] == "1" {
            try Data(message.utf8).write(to: golden)
            Issue.record("recorded \(name)")
            return
        }
        #expect(message == (try? String(contentsOf: golden, encoding: .utf8)))
    }

    @Test func `the goldens are found`() {
        #expect(Self.cases.count >= 20)
    }

    @Test func `an empty file is a cluster without plugins and with all defaults`() throws {
        let configuration = try read("")
        #expect(configuration.hosts.isEmpty)
        #expect(configuration.name == "relux")
        #expect(configuration.directory == "/srv/demo/.relux")
        #expect(configuration.packed == "/srv/demo/.relux/packed")
        #expect(configuration.supervision == SupervisorMachine.Settings())
        #expect(configuration.dispatchDeadline == .seconds(30))
        #expect(configuration.effective.allSatisfy { $0.origin == .fallback })
    }

    @Test func `the example runs each module in a host of its own`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("deploy/cluster.yaml")
        let configuration = try ClusterConfiguration.load(file: file.path, environment: [:])
        let listed = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .compactMap { $0.hasPrefix("    - module: ") ? String($0.dropFirst("    - module: ".count)) : nil }
        #expect(listed.contains("StartupOrchestration"))
        #expect(configuration.hosts.map(\.id.rawValue) == listed)
        #expect(configuration.hosts.allSatisfy { $0.plugins.count == 1 && $0.restart == .permanent })
        // The file shows the defaults.
        #expect(configuration.supervision == SupervisorMachine.Settings())
        #expect(configuration.directory == file.deletingLastPathComponent().path + "/.relux")
    }

    @Test func `plugins of one host are one process, in file order`() throws {
        let configuration = try read(
            """
            cluster:
              packed: lib
              plugins:
                - {module: Auth, host: domains, restart: transient, environment: {COLOUR: blue}}
                - {path: /opt/Notes/1.0.0-ab, executable: bin/notes}
                - {path: <packed>/Profile/current, host: domains}
            """)
        #expect(
            configuration.hosts == [
                HostSpec(
                    id: HostID(rawValue: "domains"),
                    plugins: ["/srv/demo/lib/Auth/current", "/srv/demo/lib/Profile/current"],
                    environment: ["COLOUR": "blue"], restart: .transient),
                HostSpec(
                    id: HostID(rawValue: "Notes"), plugins: ["/opt/Notes/1.0.0-ab"], executable: "/srv/demo/bin/notes"),
            ])
    }

    @Test func `a module's services are chosen by its entry, by name for a host may have several`() throws {
        let configuration = try read(
            """
            cluster:
              plugins:
                - {module: Auth, host: domains, services: mock}
                - {module: Notes, host: domains, services: real, environment: {COLOUR: blue}}
                - {module: Profile, host: domains}
            """)
        #expect(
            configuration.hosts.map(\.environment)
                == [["RELUX_SERVICES_Auth": "mock", "RELUX_SERVICES_Notes": "real", "COLOUR": "blue"]])
    }

    @Test(arguments: ["fake", "Mock", "none"])
    func `services that do not exist are refused with what there are`(value: String) {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try read("cluster: {plugins: [{module: Auth, services: \(value)}]}")
        }
        #expect(error?.code == .outOfRange)
        let meant = value == "Mock" ? "; did you mean 'mock'?" : ""
        #expect(error?.message == "cluster.yaml:1: cluster.plugins.services: \"\(value)\" is not allowed; it takes real or mock\(meant)")
    }

    @Test func `a restart policy that does not exist is answered with the nearest`() {
        let error = #expect(throws: ConfigurationError.self) { _ = try read("cluster: {plugins: [{module: Auth, restart: permanet}]}") }
        #expect(error?.message.hasSuffix("; did you mean 'permanent'?") == true, "\(error as Any)")
    }

    @Test func `the shop runs each module in a host of its own, too`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("deploy/commerce.yaml")
        let configuration = try ClusterConfiguration.load(file: file.path, environment: [:])
        #expect(
            configuration.hosts.map(\.id.rawValue)
                == ["ErrorHandling", "Navigation", "Auth", "Cart", "Checkout", "Payment", "CommerceOrchestration"])
    }

    @Test func `the version that current names is taken when the file is read, not when a host starts`() throws {
        let scratch = Scratch()
        let files = FileManager.default
        try files.createDirectory(atPath: "\(scratch.path)/packed/Auth/1.0.0-ab", withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: "\(scratch.path)/packed/Auth/current", withDestinationPath: "1.0.0-ab")
        for entry in ["module: Auth", "path: <packed>/Auth/current"] {
            let configuration = try ClusterConfiguration.read(
                "cluster: {plugins: [{\(entry)}], packed: packed}", named: "cluster.yaml", beside: scratch.path)
            #expect(configuration.hosts.map(\.plugins) == [["\(scratch.path)/packed/Auth/1.0.0-ab"]])
            #expect(configuration.hosts.map(\.id.rawValue) == ["Auth"])
        }
    }

    @Test func `a flag wins over a variable, a variable over the file, the file over the default`() throws {
        let text = "cluster: {name: file, directory: /file}\nsupervisor: {period: 30s, intensity: 7}"
        let configuration = try read(
            text, environment: ["RELUX_CLUSTER_DIRECTORY": "/variable", "RELUX_SUPERVISOR_PERIOD": "20s"],
            flags: ["cluster.directory": "/flag"])
        let shown = configuration.effective.map(\.description)
        #expect(shown.contains("cluster.directory = /flag  (flag)"))
        #expect(shown.contains("supervisor.period = 20s  (environment RELUX_SUPERVISOR_PERIOD)"))
        #expect(shown.contains("supervisor.intensity = 7  (file line 2)"))
        #expect(shown.contains("bus.patience = 5ms  (default)"))
        #expect(configuration.packed == "/flag/packed")
    }

    @Test func `a bad variable is named`() {
        let error = #expect(throws: ConfigurationError.self) {
            _ = try read("", environment: ["RELUX_DISPATCH_DEADLINE": "soon"])
        }
        #expect(error?.message.hasPrefix("RELUX_DISPATCH_DEADLINE: dispatch.deadline: \"soon\"") == true)
    }

    @Test(arguments: [("24h", 86_400), ("2h", 7200), ("90m", 5400), ("0s", 0)])
    func `durations have hours too`(_ text: String, _ seconds: Int) throws {
        let configuration = try read("modules: {evict-after: \(text)}")
        let value = try #require(configuration.childEnvironment["RELUX_MODULES_EVICT_AFTER"])
        #expect(DurationText.parse(value) == .seconds(seconds))
    }

    @Test func `children are told what concerns them`() throws {
        let configuration = try read("dispatch: {deadline: 9s}")
        #expect(
            configuration.childEnvironment == [
                "RELUX_CLUSTER_NAME": "relux", "RELUX_DISPATCH_DEADLINE": "9s", "RELUX_LIVENESS_STALL": "10s",
                "RELUX_LIVENESS_RESTART": "60s", "RELUX_MODULES_EVICT_AFTER": "24h", "RELUX_BUS_PATIENCE": "5ms",
                "RELUX_BUS_QUEUE_MEBIBYTES": "64", "RELUX_BUS_QUEUE_FRAMES": "10000",
                "RELUX_JOURNAL_RETENTION_MEBIBYTES": "256", "RELUX_JOURNAL_RETENTION_AGE": "86400s",
                "RELUX_JOURNAL_NODE_MEBIBYTES": "8192", "RELUX_JOURNAL_RESERVE_MEBIBYTES": "128",
            ])
    }

    @Test func `a file that is not there is named with the remedy`() {
        let error = #expect(throws: ConfigurationError.self) { _ = try ClusterConfiguration.load(file: "/nowhere.yaml") }
        #expect(error?.code == .unreadable && error?.message.contains("/nowhere.yaml") == true)
    }
}
