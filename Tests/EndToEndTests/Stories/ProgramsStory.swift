import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// The programs that a supervisor starts, started by a person.
    @Suite struct Programs {
        @Test(arguments: ["relux", "relux-supervisor", "relux-broker", "relux-host"])
        func `each program tells its usage and ends with 0`(_ name: String) async throws {
            let outcome = try await CLI.run(Built.path(name), ["--help"], environment: [:])
            #expect(outcome.status == 0 && outcome.stdout.contains(name) && outcome.stderr.isEmpty, "\(outcome)")
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
