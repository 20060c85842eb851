import Foundation
import Glibc
import ReluxControl
import ReluxTestKit

/// A real cluster in a temporary run directory of its own.
final class Cluster: Sendable {
    let placement: Placement
    /// Its modules, in the order of the configuration.
    let modules: [String]
    /// A short path, gone at the end unless the story failed.
    let directory: String
    let run: RunDirectory
    let cli: CLI
    let client: Client
    /// Where `relux module pack` publishes for this cluster: links to the plugins that are packed once for all.
    let packed: String
    /// Runs all modules instead of `relux-host`.
    private let host: String?

    /// Brings a cluster up, plays the story, takes the cluster down, and checks that none of its processes is left.
    /// When anything of that fails, or an expectation of the story did, the logs' tails are printed and the directory stays.
    ///
    /// - Parameters:
    ///   - modules: what is in the configuration, packed by this build.
    ///   - packed: where those lie that the configuration can name; nil is this build's.
    ///   - hosts: by module, of those that share one.
    ///   - environment: of each module's process; `@` in a value stands for the cluster's directory.
    ///   - inherited: of the supervisor and whatever it starts, also of what is loaded later; `@` as above.
    ///   - entries: by module, further lines of its entry.
    ///   - settings: further lines of the configuration, at its top level.
    ///   - host: another executable instead of `relux-host`, also of those that take a module over.
    ///   - waitsUntilReady: whether `relux up` is waited for and must succeed before the story begins.
    static func play(
        _ placement: Placement = .ownHosts, modules: [String] = Placement.modules, packed: String? = nil, hosts: [String: String] = [:],
        environment: [String: String] = [:], inherited: [String: String] = [:], entries: [String: [String]] = [:], settings: [String] = [],
        host: String? = nil, waitsUntilReady: Bool = true,
        _ story: (Cluster) async throws -> Void
    ) async throws {
        var source = packed
        if source == nil { source = try await PackedPlugins.shared() }
        let cluster = try Cluster(
            placement, modules: modules, hosts: hosts, environment: environment, inherited: inherited, entries: entries, settings: settings,
            host: host, packed: source ?? "")
        let failed = FailedExpectations.count
        do {
            if waitsUntilReady { try await cluster.up() }
            try await story(cluster)
            try await cluster.end()
        } catch {
            cluster.printLogs()
            await cluster.kill()
            throw error
        }
        if FailedExpectations.count > failed { return cluster.printLogs() }
        // A disk of the story's own is mounted still, and what is mounted cannot be removed.
        umount2(cluster.run.path, Int32(MNT_DETACH))
        try? FileManager.default.removeItem(atPath: cluster.directory)
    }

    private init(
        _ placement: Placement, modules: [String], hosts: [String: String], environment: [String: String], inherited: [String: String],
        entries: [String: [String]], settings: [String], host: String?, packed source: String
    ) throws {
        self.placement = placement
        self.modules = modules
        directory = try temporaryDirectory("rxe")
        run = RunDirectory(path: directory + "/run")
        packed = directory + "/packed"
        self.host = host
        let config = directory + "/cluster.yaml"
        let directory = directory
        cli = CLI(
            run: run.path, config: config, variables: inherited.mapValues { $0.replacingOccurrences(of: "@", with: directory) })
        client = Client(run: run)
        try FileManager.default.createDirectory(atPath: packed, withIntermediateDirectories: true)
        for module in try FileManager.default.contentsOfDirectory(atPath: source) where !module.hasPrefix(".") {
            try FileManager.default.createSymbolicLink(atPath: "\(packed)/\(module)", withDestinationPath: "\(source)/\(module)")
        }
        let variables = (environment.isEmpty ? [] : ["  environment:"])
            + environment.map { "    \($0.key): \($0.value.replacingOccurrences(of: "@", with: directory))" }
        var lines = ["cluster:", "  name: e2e", "  directory: run", "  packed: packed", "  plugins:"]
        for module in modules {
            var entry = placement.entry(for: module) + (entries[module] ?? []).map { "  \($0)" }
            if let host = hosts[module] { entry.append("  host: \(host)") }
            lines += (entry + variables).map { "    \($0)" }
        }
        lines += settings
        try (lines.joined(separator: "\n") + "\n").write(toFile: config, atomically: true, encoding: .utf8)
    }

    /// `relux up`, which waits until all modules are ready.
    @discardableResult
    func up() async throws -> Outcome {
        let outcome = try await cli.relux(["up", "--timeout", "60s"] + (host.map { ["--host", $0] } ?? []))
        guard outcome.status == 0 else { throw HarnessError("the cluster did not come up\n\(outcome)") }
        return outcome
    }

    /// `relux down`, and the proof that no process is left.
    func end() async throws {
        let outcome = try await cli("down", "--timeout", "60s")
        guard outcome.status == 0 else { throw HarnessError("the cluster did not go down\n\(outcome)") }
        try await noProcessIsLeft()
    }

    /// Waits until no process of the cluster is left.
    func noProcessIsLeft() async throws {
        let run = run.path
        try await offPool { try ProcessEnd.ofAll(in: run) }
    }

    var processes: [ProcessTable.Entry] { ProcessTable.cluster(in: run.path) }

    /// The ends of all logs, on standard error.
    func printLogs(lines: Int = 40) {
        var text = "\n--- \(placement.rawValue): \(directory) is kept\n"
        for folder in [run.logs, run.crashes] {
            for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
                guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { continue }
                let tail = String(decoding: data, as: UTF8.self).split(separator: "\n").suffix(lines)
                text += "--- \(name)\n" + tail.map { "    \($0)\n" }.joined()
            }
        }
        FileHandle.standardError.write(Data(text.utf8))
    }

    /// Ends what is left without asking, the supervisor first: it would start the others again.
    func kill() async {
        if let supervisor = run.runningSupervisor() { Glibc.kill(supervisor, SIGKILL) }
        let run = run.path
        _ = try? await offPool {
            let deadline = ContinuousClock.now + watchdog
            while let process = ProcessTable.cluster(in: run).first {
                Glibc.kill(process.pid, SIGKILL)
                try ProcessEnd.wait(for: process.pid, until: deadline)
            }
        }
    }
}

/// `/tmp/<name>-XXXXXX`, closed to others; short, because sockets lie below it.
func temporaryDirectory(_ name: String) throws -> String {
    var template = Array("/tmp/\(name)-XXXXXX".utf8CString)
    let path = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!).map { String(cString: $0) } }
    guard let path else { throw HarnessError("no temporary directory: \(String(cString: strerror(errno)))") }
    return path
}
