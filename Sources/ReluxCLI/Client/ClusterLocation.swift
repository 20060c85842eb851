import Foundation
import ReluxControl
import ReluxSupervisor

/// Which cluster is meant. Its file: `--config`, RELUX_CONFIG, else the nearest `deploy/cluster.yaml`, else the selected context's, else the one that was
/// installed with this program. Its run directory: `--run`, RELUX_RUN, else what the file says. Each for itself, so that a flag for one goes with a variable
/// for the other; a context (`--context`, RELUX_CONTEXT) stands for both.
struct ClusterLocation: Sendable {
    let run: RunDirectory
    /// Where a variable and a file that was named beside it mean different run directories: which one counts, and how to choose.
    let conflict: String?
    /// Absolute path of the configuration; nil when only a run directory is known.
    let file: String?
    /// The flag, variable, file or context that named the cluster, for people: `--config`, `the context lab, which is selected`.
    let origin: String
    /// The cluster's file as it was read, or why it is of no use; nil without one. What only needs the run directory goes on without it.
    private let loaded: Result<ClusterConfiguration, CLIError>?

    init(options: CommonOptions, console: Console) throws(CLIError) {
        func absolute(_ path: String) -> String {
            URL(fileURLWithPath: path.hasPrefix("/") ? path : console.workingDirectory + "/" + path)
                .standardizedFileURL.path
        }
        func variable(_ name: String) throws(CLIError) -> String? {
            guard let value = console.environment[name] else { return nil }
            if value.isEmpty {
                throw CLIError(
                    .usage, "cluster.variable", "\(name) is set and empty, and so names no cluster",
                    hint: "unset it, or name \(["RELUX_RUN": "a run directory", "RELUX_CONTEXT": "a context"][name] ?? "a cluster's file")")
            }
            return value
        }
        for (flag, value) in [("--run", options.run), ("--config", options.config)] where value?.isEmpty == true {
            throw CLIError(.usage, "cluster.flag", "\(flag) is empty, and so names no cluster", hint: "leave it out, or name \(flag == "--run" ? "a run directory" : "a cluster's file")")
        }
        let named = try Self.named(options, console, variable)
        let run = named.run
        if let trouble = Self.workingDirectoryTrouble(console, run: run, config: named.file) { throw trouble }
        file = named.file.map(absolute)
        origin = named.origin
        guard let file else {
            guard let run else {
                throw CLIError(
                    .notFound, CLIError.notNamedCode,
                    "there is no deploy/cluster.yaml in \(console.workingDirectory) or above it",
                    hint: "name the cluster with --config FILE or --run DIR, or select a context")
            }
            self.run = RunDirectory(path: absolute(run))
            conflict = nil
            loaded = nil
            try self.run.mustBeDirectory()
            return
        }
        do {
            let flags = run.map { ["cluster.directory": absolute($0)] } ?? [:]
            let configuration = try ClusterConfiguration.load(file: file, environment: console.environment, flags: flags)
            var conflict: String?
            if options.config != nil, options.run == nil, run != nil {
                let own = try ClusterConfiguration.load(file: file, environment: console.environment).directory
                if own != configuration.directory {
                    conflict = "the run directory is \(configuration.directory), as RELUX_RUN says, and not \(own), as \(file) says: --run chooses"
                }
            }
            self.run = RunDirectory(path: configuration.directory)
            self.conflict = conflict
            loaded = .success(configuration)
        } catch {
            let isMissing = error.code == .unreadable
            let fault = CLIError(
                isMissing ? .notFound : .usage, "cluster.configuration", error.message,
                hint: run == nil && !isMissing ? "a cluster that runs is reached with --run DIR, whatever its file says" : "")
            guard let run else { throw fault }
            self.run = RunDirectory(path: absolute(run))
            conflict = nil
            loaded = .failure(fault)
        }
        try self.run.mustBeDirectory()
    }

    /// Nil without a file, and where it is of no use.
    var configuration: ClusterConfiguration? { try? loaded?.get() }

    /// Why the file is of no use.
    var fault: CLIError? {
        guard case .failure(let fault)? = loaded else { return nil }
        return fault
    }

    /// The cluster's file, for who needs it.
    ///
    /// - Parameter who: `up`, for the message.
    /// - Throws: what is wrong with it, or that there is none.
    func configuration(for who: String) throws(CLIError) -> ClusterConfiguration {
        guard let loaded else {
            throw CLIError(.notFound, "cluster.configuration", "\(who) needs the cluster's file", hint: "name it with --config FILE")
        }
        return try loaded.get()
    }

    var packed: String { configuration?.packed ?? run.packed }

    /// The modules that the file names; nil without one.
    var modules: [String]? {
        configuration?.hosts.flatMap(\.plugins).map { URL(fileURLWithPath: $0).deletingLastPathComponent().lastPathComponent }
    }

    /// From a folder that is gone, no path leads anywhere.
    private static func workingDirectoryTrouble(_ console: Console, run: String?, config: String?) -> CLIError? {
        let relative = [run, config].compactMap(\.self).first { !$0.hasPrefix("/") }
        guard relative != nil || run == nil && config == nil else { return nil }
        guard console.workingDirectory.isEmpty || !FileManager.default.fileExists(atPath: console.workingDirectory) else { return nil }
        let folder = console.environment["PWD"] ?? console.workingDirectory
        return CLIError(
            .notFound, "cluster.workingDirectory",
            "the working folder \(folder.isEmpty ? "" : "\(folder) ")is gone" + (relative.map { ", and '\($0)' leads on from there" } ?? ""),
            hint: "cd to a folder that is there, or name the cluster by an absolute path")
    }

    /// A cluster as it was named; relative paths start at the working folder.
    private struct Named {
        var file: String?
        var run: String?
        var origin: String
    }

    /// Flags go before variables, those before the folder that one is in, that before what is selected, and that before what is installed.
    private static func named(
        _ options: CommonOptions, _ console: Console, _ variable: (String) throws(CLIError) -> String?
    ) throws(CLIError) -> Named {
        if let context = options.context {
            guard options.config == nil, options.run == nil else {
                throw CLIError(.usage, "context.twice", "--context \(context) and --\(options.config == nil ? "run" : "config") name a cluster each", hint: "leave one of them out")
            }
            return try Self.named(context, console, "--context")
        }
        let run: String? = if let run = options.run { run } else { try variable("RELUX_RUN") }
        let config: String? = if let config = options.config { config } else { try variable("RELUX_CONFIG") }
        func origin(_ flag: String?, _ name: String) -> String { flag != nil ? "--\(name)" : "RELUX_\(name.uppercased())" }
        if let config { return Named(file: config, run: run, origin: origin(options.config, "config")) }
        if run == nil, let context = try variable("RELUX_CONTEXT") { return try Self.named(context, console, "RELUX_CONTEXT") }
        if let near = nearestFile(from: console.workingDirectory) {
            return Named(file: near, run: run, origin: run == nil ? "the file in this folder or above it" : origin(options.run, "run"))
        }
        if let run {
            // Whoever names a run directory needs no file.
            return Named(file: try? installedFile(console), run: run, origin: origin(options.run, "run"))
        }
        if let selected = try Contexts.load(console.environment).selected { return try Self.named(selected, console, nil) }
        return Named(file: try installedFile(console), run: nil, origin: "the installation")
    }

    /// - Parameter origin: what has named the context; nil where it is selected.
    private static func named(_ name: String, _ console: Console, _ origin: String?) throws(CLIError) -> Named {
        let context = try Contexts.load(console.environment).context(named: name)
        return Named(file: context.config, run: context.run, origin: "the context \(name), " + (origin.map { "by \($0)" } ?? "which is selected"))
    }

    private static func installedFile(_ console: Console) throws(CLIError) -> String? {
        guard let file = try console.installation?.configuration, FileManager.default.fileExists(atPath: file) else { return nil }
        return file
    }

    private static func nearestFile(from directory: String) -> String? {
        // From a folder that is gone no path leads anywhere, and an empty name would be another one.
        guard !directory.isEmpty, FileManager.default.fileExists(atPath: directory) else { return nil }
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

extension RunDirectory {
    /// - Throws: usage, when something else has that name: nothing can lie below it, and so "no cluster runs there" would be no answer.
    fileprivate func mustBeDirectory() throws(CLIError) {
        var isFolder: ObjCBool = false
        if path == "/" {
            throw CLIError(.usage, "cluster.noDirectory", "the run directory / is not the cluster's own", hint: "name another by --run, RELUX_RUN or cluster.directory")
        }
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { return try mustBeOpen() }
        throw CLIError(.usage, "cluster.noDirectory", "the run directory \(path) is no directory", hint: "name another by --run, RELUX_RUN or cluster.directory")
    }

    /// - Throws: `failed` if this user may not look into the directory: a command would call another user's cluster stopped.
    private func mustBeOpen() throws(CLIError) {
        guard access(path, R_OK | X_OK) != 0, errno == EACCES else { return }
        var found = stat()
        let owner = stat(path, &found) == 0 ? ", which belongs to user \(found.st_uid)," : ""
        throw CLIError(
            .failed, "cluster.denied", "user \(geteuid()) may not look into the run directory \(path)\(owner) and so knows nothing of its cluster",
            hint: "ask as the user who has started it")
    }
}
