import ArgumentParser
import Foundation
import ReluxBus
import ReluxOutput
import ReluxPlugin
import ReluxSupervisor
import ReluxTap
import ReluxWire

struct UpCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Starts the cluster and waits until its modules are ready.",
        discussion: "The supervisor goes on by itself, its output in <run>/logs/supervisor.log.")
    static let examples = ["relux up --config deploy/cluster.yaml", "relux up --timeout 2m --json"]

    @Option(help: ArgumentHelp("relux-supervisor; else the one beside this executable.", valueName: "path"))
    var supervisor: String?
    @Option(help: ArgumentHelp("relux-broker; else the one beside the supervisor.", valueName: "path")) var broker: String?
    @Option(help: ArgumentHelp("relux-host; else the one beside the supervisor.", valueName: "path")) var host: String?
    @Flag(help: "Say what would be started.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let location = try session.location()
        guard let configuration = location.configuration, let file = location.file else {
            throw CLIError(
                .notFound, "cluster.configuration", "`up` needs the cluster's file", hint: "name it with --config FILE")
        }
        if let pid = location.run.runningSupervisor() {
            session.say("the cluster \(configuration.name) is up already: supervisor \(pid) in \(location.run.path)")
            if session.format.isJSON {
                session.print(StatusOutput.json(try session.status(try session.client()), run: location.run.path))
            }
            return .ok
        }
        let expected = try Self.modules(of: configuration)
        if dryRun {
            session.printLines(
                configuration.hosts.map { "start     host \($0.id): \($0.plugins.joined(separator: " "))" },
                schema: "relux.plan/1")
            return .ok
        }
        let start = ContinuousClock.now
        var child = try launch(location, file: file, session)
        let wait = BootWait(expected: expected, start: start, session: session, run: location.run)
        return try wait.run(&child)
    }

    private func launch(
        _ location: ClusterLocation, file: String, _ session: CommandSession
    ) throws(CLIError) -> DetachedProcess {
        let executable = supervisor.map(session.path) ?? "\(session.console.executableDirectory)/relux-supervisor"
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw CLIError(
                .notFound, "supervisor.missing", "\(executable) is no executable",
                hint: "build relux-supervisor, or name it with --supervisor")
        }
        do { try location.run.create() } catch {
            throw CLIError(.failed, "run.directory", error.message)
        }
        var arguments = ["--config", file, "--run", location.run.path]
        if let broker { arguments += ["--broker", session.path(broker)] }
        if let host { arguments += ["--host", session.path(host)] }
        return try DetachedProcess(
            executable: executable, arguments: arguments, environment: session.console.environment,
            log: location.run.log(of: "supervisor"))
    }

    /// The first packed module that is named nearly like one that is missing.
    private static func meant(_ missing: [String], in packed: String) -> String? {
        let there = ((try? FileManager.default.contentsOfDirectory(atPath: packed)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
        return missing.lazy.compactMap { path in
            NearestName.meant(URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent, among: there)
        }.first
    }

    /// The modules that the configuration names, by their manifests.
    static func modules(of configuration: ClusterConfiguration) throws(CLIError) -> [ModuleID] {
        var modules: [ModuleID] = []
        var missing: [String] = []
        for path in configuration.hosts.flatMap(\.plugins) {
            guard let data = FileManager.default.contents(atPath: "\(path)/\(PluginManifest.fileName)") else {
                missing.append(path)
                continue
            }
            // A manifest that cannot be read is the cluster's to refuse; its folder tells the name.
            let manifest = try? JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self))
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent().lastPathComponent
            if let id = manifest?.module.id ?? ModuleID(rawValue: folder) { modules.append(id) }
        }
        guard missing.isEmpty else {
            throw CLIError(
                .notFound, "module.notPacked", "not packed: \(missing.joined(separator: ", "))",
                hint: (Self.meant(missing, in: configuration.packed).map { "\($0) Else " } ?? "")
                    + "build the plugins and pack them: relux module pack --configured")
        }
        return modules
    }
}
