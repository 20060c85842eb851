import ArgumentParser
import Foundation
import ReluxBus
import ReluxPlugin
import ReluxWire

struct ModuleLoadCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Adds a packed module to the running cluster.",
        discussion: "Without --host it gets a process of its own.")
    static let examples = ["relux module load .relux/packed/Notes", "relux module load Notes --host shared --dry-run"]

    @Argument(help: "A packed version's directory, the module's directory above it, or the name of a packed module.")
    var directory: String
    @Option(help: ArgumentHelp("The process to run in.", valueName: "name")) var host: String?
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let plugin = try PackedDirectory(directory, session)
        let client = try session.client()
        let spec = HostSpec(id: HostID(rawValue: host ?? plugin.module.rawValue), plugins: [plugin.path])
        try session.done(
            .load(host: spec, dryRun: dryRun), client, planned: dryRun, fallback: "\(plugin.module) is declared")
        if dryRun { return .ok }
        return try ModuleWait(module: plugin.module).run(session, client)
    }
}

/// A packed plugin as it was named on the command line.
struct PackedDirectory {
    let path: String
    let module: ModuleID

    init(_ text: String, _ session: CommandSession) throws(CLIError) {
        var candidates = [session.path(text), session.path(text) + "/current"]
        if !text.contains("/"), let packed = try? session.location().packed { candidates.append("\(packed)/\(text)/current") }
        for candidate in candidates {
            // The broker must see the version itself, not a link that moves on.
            let real = URL(fileURLWithPath: candidate).resolvingSymlinksInPath().path
            guard let data = FileManager.default.contents(atPath: "\(real)/\(PluginManifest.fileName)") else { continue }
            do {
                module = try JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self)).module.id
            } catch {
                throw CLIError(
                    .refused, "module.manifest", "\(real)/\(PluginManifest.fileName) cannot be read: \(error.message)",
                    hint: "pack the module again with `relux module pack`")
            }
            path = real
            return
        }
        throw CLIError(
            .notFound, "module.notPacked", "there is no packed plugin in \(candidates[0])",
            hint: "pack it with `relux module pack LIBRARY`")
    }
}
