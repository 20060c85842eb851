import ArgumentParser
import Foundation
import ReluxControl
import ReluxOutput
import ReluxPack
import ReluxPlugin
import ReluxSupervisor
import ReluxWire

struct ModuleLoadCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "load", abstract: "Adds a packed module to the running cluster.",
        discussion: """
            Without --host it goes where it runs, else where the cluster's file has it, else into a process of its own. By its name it comes in the version that was served last, whatever was packed since; \
            a directory says which version is meant. What the cluster's file says of the module's process (its name, environment, executable, \
            restart) counts here too.
            """)
    static let examples = ["relux module load Notes --host shared --dry-run", "relux module load .relux/packed/Notes/1.1.0-5b0e44d2"]

    @Argument(help: "A packed version's directory, the module's directory above it, or the name of a packed module.")
    var directory: String
    @Option(help: "One of the packed versions of the module that is named, with the digest where there are several of it.") var version: String?
    @Option(help: ArgumentHelp("The process to run in.", valueName: "name")) var host: String?
    @Flag(help: "In the version that was packed last, instead of the one that was served last.") var packed = false
    @Flag(help: "Also a version that breaks the contract of the one that was served last.") var yes = false
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if version != nil, directory.contains("/") { throw ValidationError("say which version: either its directory, or --version with the module's name; not both") }
    }

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let plugin = try PackedDirectory(session.packed(version, of: directory) ?? directory, session)
        let client = try session.client()
        let status = try session.status(client)
        if let host { session.noteNewHost(HostID(rawValue: host), status) }
        let present = status.modules.first { $0.id == plugin.module && $0.state.phase != .refused && $0.state.phase != .stopped }
        let filed = (try? session.location())?.configuration?.hosts ?? []
        let home = filed.first { $0.modules.contains(plugin.module) }?.id
        let place = host.map { HostID(rawValue: $0) } ?? present?.host ?? home ?? HostID(rawValue: plugin.module.rawValue)
        var spec = filed.first { $0.id == place } ?? HostSpec(id: place, plugins: [])
        spec.plugins = [plugin.path]
        try session.done(
            .load(host: spec, dryRun: dryRun, takesServed: !packed && !plugin.isVersionNamed, yes: yes), client, planned: dryRun,
            fallback: "\(plugin.module) is declared")
        if dryRun { return .ok }
        return try ModuleWait(module: plugin.module, directory: packed || plugin.isVersionNamed ? plugin.path : nil).run(session, client)
    }
}

extension CommandSession {
    /// The names of the folders of the cluster's packed modules.
    func packedModules() -> [String] {
        guard let packed = try? location().packed else { return [] }
        return ((try? FileManager.default.contentsOfDirectory(atPath: packed)) ?? []).filter { !$0.hasPrefix(".") }.sorted()
    }

    /// The directory of the one packed version of a module that somebody names; nil when nobody names any.
    func packed(_ version: String?, of module: String) throws(CLIError) -> String? {
        guard let version else { return nil }
        let folder = "\(try location().packed)/\(module)"
        let there = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0 != "current" && !$0.hasPrefix(".") }.sorted()
        guard !there.isEmpty else { return nil }
        // The packer names a directory `<version>-<digest>`.
        let found = there.filter { $0 == version || $0.hasPrefix("\(version)-") }
        if found.count == 1 { return "\(folder)/\(found[0])" }
        guard found.isEmpty else {
            throw CLIError(
                .usage, "module.version", "\(module) \(version) is packed \(found.count) times: \(found.joined(separator: ", "))",
                hint: "say which: --version \(found[0])")
        }
        let versions = Set(there.map { name in name.lastIndex(of: "-").map { String(name[..<$0]) } ?? name })
        // The latest of those that are equally near.
        let latest = versions.sorted { $0.compare($1, options: .numeric) == .orderedDescending }
        throw CLIError(
            .notFound, "module.version", "\(module) \(version) is not packed in \(folder); there are: \(there.joined(separator: ", "))",
            hint: NearestName.of(version, among: latest, within: .max).map { "the nearest is --version \($0)" } ?? "")
    }

    /// Says so when a host that is not there is named nearly like one that is: it would be a new one.
    func noteNewHost(_ host: HostID, _ status: ClusterStatus) {
        let known = Set(status.modules.map(\.host.rawValue) + status.picture.hosts.map(\.id.rawValue))
        guard !known.contains(host.rawValue), let meant = NearestName.meant(host.rawValue, among: known.sorted()) else { return }
        say("there is no host \(host) yet, it will be a new one; \(meant)")
    }
}

/// A packed plugin as it was named on the command line.
struct PackedDirectory {
    let path: String
    let module: ModuleID
    /// Somebody has said which version is meant: a version's directory, or a place that is not the cluster's.
    let isVersionNamed: Bool

    init(_ text: String, _ session: CommandSession) throws(CLIError) {
        var candidates = [session.path(text), session.path(text) + "/current"]
        let packed = (try? session.location().packed).map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path }
        if !text.contains("/"), let packed { candidates.append("\(packed)/\(text)/current") }
        for candidate in candidates {
            // The broker must see the version itself, not a link that moves on.
            let real = URL(fileURLWithPath: candidate).resolvingSymlinksInPath().path
            guard let data = PlainFile.contents("\(real)/\(PluginManifest.fileName)") else {
                guard let why = FileReason.unread("\(real)/\(PluginManifest.fileName)") else { continue }
                throw CLIError(
                    .refused, "module.manifest", "\(real)/\(PluginManifest.fileName) cannot be read: \(why)",
                    hint: "mend that, or pack the module again with `relux module pack`")
            }
            do {
                module = try JSON.decode(PluginManifest.self, from: String(decoding: data, as: UTF8.self)).module.id
            } catch {
                throw CLIError(
                    .refused, "module.manifest", "\(real)/\(PluginManifest.fileName) cannot be read: \(error.message)",
                    hint: "pack the module again with `relux module pack`")
            }
            path = real
            let folder = URL(fileURLWithPath: candidate).deletingLastPathComponent().deletingLastPathComponent()
            isVersionNamed = !candidate.hasSuffix("/current") || folder.resolvingSymlinksInPath().path != packed
            return
        }
        let meant = text.contains("/") ? nil : NearestName.meant(text, among: session.packedModules())
        throw CLIError(
            .notFound, "module.notPacked", "there is no packed plugin in \(candidates[candidates.count > 2 ? 2 : 0])",
            hint: [meant, "pack it with `relux module pack LIBRARY`"].compactMap(\.self).joined(separator: " Else "))
    }
}
