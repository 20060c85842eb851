import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// The programs that a supervisor starts, started by a person.
    @Suite struct Programs {
        @Test(arguments: ["relux-supervisor", "relux-broker", "relux-host", "notes-ui", "app-ui"])
        func `each program tells its usage by its own name and ends with 0`(_ name: String) async throws {
            let outcome = try await CLI.run(Built.path(name), ["--help"], environment: [:])
            #expect(outcome.status == 0 && outcome.stdout.hasPrefix("usage: \(name) --") && outcome.stderr.isEmpty, "\(outcome)")
        }

        @Test(arguments: [
            ("relux-supervisor", ["--confg", "x"], "'--confg' is no option; did you mean '--config'?"), ("relux-supervisor", ["--config"], "--config needs a value"),
            ("relux-supervisor", [], "--config is missing"), ("relux-broker", ["--rnu", "x"], "'--rnu' is no option; it takes --run"),
            ("relux-broker", [], "--run is missing"), ("relux-broker", ["--run"], "--run needs a value"),
            ("relux-broker", ["--run", "x", "y"], "'y' is one word too many"), ("relux-host", ["--hots"], "'--hots' is no option; did you mean '--host'?"),
            ("relux-host", ["--host"], "--host needs a value"), ("notes-ui", ["--zebra", "x"], "'--zebra' is no option"), ("notes-ui", [], "--run and --host are needed"),
        ])
        func `a usage error names the program by its own name, the word, and what it takes`(_ name: String, _ arguments: [String], _ said: String) async throws {
            let outcome = try await CLI.run(Built.path(name), arguments, environment: [:])
            #expect(outcome.status == EX_USAGE && outcome.stderr.hasPrefix("\(name): \(said)\nusage: \(name) --"), "\(outcome)")
        }

        @Test func `a host with nothing to run says so`() async throws {
            let outcome = try await CLI.run(Built.path("relux-host"), ["--run", "/nowhere", "--host", "x"], environment: [:])
            #expect(outcome.status == EX_USAGE && outcome.stderr.contains("no --plugin is named"), "\(outcome)")
        }

        @Test func `an executable of the cluster's file that is none is named with its key and host`() async throws {
            try await Cluster.play(modules: ["ErrorHandling"], waitsUntilReady: false) { cluster in
                let file = cluster.directory + "/other.yaml"
                try "cluster:\n  name: x\n  plugins:\n    - module: Notes\n      executable: /bin/nosuch\n".write(toFile: file, atomically: true, encoding: .utf8)
                let outcome = try await CLI.run(Built.path("relux-supervisor"), ["--config", file, "--run", cluster.directory + "/other"], environment: cluster.cli.environment)
                #expect(outcome.status == EX_NOINPUT, "\(outcome)")
                #expect(outcome.stderr.contains("/bin/nosuch, the cluster.plugins.executable of host Notes"), "\(outcome)")
            }
        }
    }
}
