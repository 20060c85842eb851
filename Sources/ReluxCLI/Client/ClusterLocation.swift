import Foundation
import ReluxBus
import ReluxSupervisor

/// Which cluster is meant: `--run`, `--config`, RELUX_RUN, RELUX_CONFIG, else the nearest `deploy/cluster.yaml`.
struct ClusterLocation: Sendable {
    let run: RunDirectory
    /// Absolute path of the configuration; nil when only a run directory is known.
    let file: String?
    let configuration: ClusterConfiguration?

    init(options: CommonOptions, console: Console) throws(CLIError) {
        func absolute(_ path: String) -> String {
            URL(fileURLWithPath: path.hasPrefix("/") ? path : console.workingDirectory + "/" + path)
                .standardizedFileURL.path
        }
        func variable(_ name: String) -> String? { console.environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        let run = options.run ?? (options.config == nil ? variable("RELUX_RUN") : nil)
        let named = options.config ?? (options.run == nil ? variable("RELUX_CONFIG") : nil)
        guard let file = named.map(absolute) ?? Self.nearestFile(from: console.workingDirectory) else {
            guard let run else {
                throw CLIError(
                    .notFound, "cluster.notNamed",
                    "there is no deploy/cluster.yaml in \(console.workingDirectory) or above it",
                    hint: "name the cluster with --config FILE or --run DIR")
            }
            self.run = RunDirectory(path: absolute(run))
            self.file = nil
            configuration = nil
            return
        }
        do {
            let flags = run.map { ["cluster.directory": absolute($0)] } ?? [:]
            let configuration = try ClusterConfiguration.load(file: file, environment: console.environment, flags: flags)
            self.run = RunDirectory(path: configuration.directory)
            self.file = file
            self.configuration = configuration
        } catch {
            // With a run directory the file is only needed by `up`.
            guard let run, named == nil else {
                let missing = error.code == .unreadable
                throw CLIError(missing ? .notFound : .usage, "cluster.configuration", error.message)
            }
            self.run = RunDirectory(path: absolute(run))
            self.file = nil
            configuration = nil
        }
    }

    var packed: String { configuration?.packed ?? run.packed }

    /// The modules that the file names; nil without one.
    var modules: [String]? {
        configuration?.hosts.flatMap(\.plugins).map { URL(fileURLWithPath: $0).deletingLastPathComponent().lastPathComponent }
    }

    private static func nearestFile(from directory: String) -> String? {
        var folder = URL(fileURLWithPath: directory).standardizedFileURL
        while true {
            let file = folder.appendingPathComponent("deploy/cluster.yaml").path
            if FileManager.default.fileExists(atPath: file) { return file }
            let parent = folder.deletingLastPathComponent()
            if parent.path == folder.path { return nil }
            folder = parent
        }
    }
}
