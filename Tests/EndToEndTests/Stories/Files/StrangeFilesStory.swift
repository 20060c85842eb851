import Foundation
import Glibc
import ReluxControl
import Testing

extension EndToEnd {
    /// Something else than a file lies where the cluster has a file.
    @Suite struct StrangeFiles {
        private static let modules = ["ErrorHandling", "Navigation", "Notes"]

        enum Kind: String, CaseIterable {
            case directory = "a directory"
            case pipe = "a pipe"
            case socket = "a socket"
            case link = "a symbolic link"

            func make(_ path: String) throws {
                let code =
                    switch self {
                    case .directory: mkdir(path, 0o700) == 0 ? mkdir(path + "/kept", 0o700) : -1
                    case .pipe: mkfifo(path, 0o600)
                    case .socket: mknod(path, S_IFSOCK | 0o600, 0)
                    case .link: symlink("nowhere/at-all", path)
                    }
                guard code == 0 else { throw HarnessError("\(path): \(String(cString: strerror(errno)))") }
            }
        }

        /// Files of a cluster that has run, whatever they said is of no use to the next start.
        private static func places(_ run: RunDirectory) -> [String] {
            let notes = ["supervisor.pid", "registry.lock", "registry.new", "settings", "broker.trouble", "supervisor.ending"].map { "\(run.path)/\($0)" }
            let logs = ["supervisor", "broker", "Notes"].map(run.log)
            let journal = run.journal(of: "Notes")
            return notes + logs + [journal + ".files", journal + ".files.new", journal + ".open", journal + ".open.new", journal + "/lock"]
                + [run.brokerSocket, run.brokerSocket + ".lock"]
        }

        @Test(arguments: Kind.allCases)
        func `whatever lies in the place of the cluster's files, it comes up, and doctor names what was set aside`(_ kind: Kind) async throws {
            try await Cluster.play(modules: Self.modules) { cluster in
                try await cluster.end()
                let places = Self.places(cluster.run)
                for path in places {
                    if unlink(path) != 0, errno != ENOENT { throw HarnessError("\(path): \(String(cString: strerror(errno)))") }
                    try kind.make(path)
                }
                try await cluster.up()
                let doctor = try await cluster.cli("doctor")
                // A dead socket in the place of one is nobody's, and goes.
                for path in places where !(kind == .socket && path == cluster.run.brokerSocket) {
                    #expect(doctor.stdout.contains("\(path).replaced-"), "\(path): \(doctor)")
                }
                let status = try await cluster.client.status(when: "all to be ready") { $0.modules.allSatisfy { $0.state.phase == .ready } }
                #expect(status.brokerDeaths == 0 && status.modules.allSatisfy { $0.restarts == 0 })
            }
        }

        @Test(arguments: Kind.allCases)
        func `what is no file in the registry's or the key's place keeps the cluster from starting, at once and by its kind`(_ kind: Kind) async throws {
            try await Cluster.play(modules: Self.modules) { cluster in
                try await cluster.end()
                for path in [cluster.run.registry, cluster.run.key] {
                    try FileManager.default.moveItem(atPath: path, toPath: path + ".right")
                    try kind.make(path)
                    let up = try await cluster.cli("up", "--timeout", "60s")
                    #expect(up.status != 0 && up.stderr.contains("\(path) is \(kind.rawValue)") && up.stderr.lowercased().contains("move it away"), "\(up)")
                    #expect(cluster.processes.isEmpty)
                    try FileManager.default.removeItem(atPath: path)
                    try FileManager.default.moveItem(atPath: path + ".right", toPath: path)
                }
                try await cluster.up()
            }
        }
    }
}
