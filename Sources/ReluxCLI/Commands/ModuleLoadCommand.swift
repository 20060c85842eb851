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
        let lines = try session.done(
            .load(host: spec, dryRun: dryRun), client, planned: dryRun, fallback: "\(plugin.module) is declared")
        if dryRun { return .ok }
        _ = lines
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

struct ModuleUnloadCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "unload", abstract: "Drains a module and removes it from the cluster.",
        discussion: "What imports it waits until it returns; then --yes is needed.")
    static let examples = ["relux module unload Notes", "relux module unload Auth --yes"]

    @Argument(help: "The module.") var module: String
    @Flag(help: "Also when others import it.") var yes = false
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let status = try session.status(client)
        let found = try status.module(named: module)
        let importing = status.modules.filter { $0.imports.contains("\(module)ReluxInt") }.map(\.id.rawValue)
        var plan = ["remove    \(found.id) \(found.version)  host \(found.host)  in flight \(found.counters.inFlight)"]
        if !importing.isEmpty { plan.append("waiting   \(importing.joined(separator: ", ")) until \(module) returns") }
        if dryRun {
            session.printLines(plan, schema: "relux.plan/1")
            return .ok
        }
        if !importing.isEmpty { try session.confirm(plan: plan, yes: yes) }
        _ = try session.done(
            .unload(module: found.id, yes: yes || !importing.isEmpty), client, planned: false,
            fallback: "\(module) is removed", timeout: .seconds(20))
        return .ok
    }
}

struct ModuleRestartCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Ends the module's process and starts it again.",
        discussion: "Modules that share the process restart with it.")
    static let examples = ["relux module restart Notes", "relux module restart Notes --dry-run"]

    @Argument(help: "The module.") var module: String
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let status = try session.status(client)
        let found = try status.module(named: module)
        let together = status.modules.filter { $0.host == found.host }.map(\.id.rawValue)
        if dryRun {
            session.printLines(
                ["restart   \(together.joined(separator: ", "))  host \(found.host)  in flight \(found.counters.inFlight)"],
                schema: "relux.plan/1")
            return .ok
        }
        _ = try session.done(
            .restart(module: found.id), client, planned: false, fallback: "host \(found.host) restarts")
        return try ModuleWait(module: found.id, epochOver: found.epoch).run(session, client)
    }
}

/// Waits until a module has come to rest, and says where.
struct ModuleWait {
    let module: ModuleID
    /// Only a later instance counts.
    var epochOver: Epoch?

    private static let pollMicroseconds: UInt32 = 50_000
    /// A module that waits for something else for so long is reported as waiting.
    private static let waitingLimit: Duration = .milliseconds(1500)

    func run(_ session: CommandSession, _ client: borrowing BrokerClient) throws(CLIError) -> ExitStatus {
        let clock = ContinuousClock()
        let end = clock.now + session.timeout(.seconds(30))
        var waitingSince: ContinuousClock.Instant?
        var last: ClusterStatus.Module?
        while clock.now < end {
            let found = try session.status(client).modules.first { $0.id == module }
            last = found
            if let found, epochOver.map({ found.epoch > $0 }) ?? true || found.state.phase == .refused {
                switch found.state.phase {
                case .ready:
                    session.say("\(module)  ready  \(found.readyMilliseconds)ms  pid \(found.pid)")
                    return .ok
                case .refused, .quarantined:
                    throw CLIError(
                        .refused, "module.\(found.state.phase.rawValue)",
                        "\(module) is \(found.state.phase.rawValue): \(found.state.why)",
                        hint: "relux module why-not \(module)")
                case .waiting, .declared, .verified:
                    if let since = waitingSince, since.duration(to: clock.now) >= Self.waitingLimit {
                        session.say("\(module)  \(found.state.phase.rawValue)  \(found.state.why)")
                        return .ok
                    }
                    waitingSince = waitingSince ?? clock.now
                default: waitingSince = nil
                }
            }
            usleep(Self.pollMicroseconds)
        }
        throw CLIError(
            .timeout, "module.notReady", "\(module) is still \(last?.state.phase.rawValue ?? "unknown")",
            hint: "relux module why-not \(module)")
    }
}

extension CommandSession {
    /// Asks for something to be done, and prints what the broker says it did.
    func done(
        _ request: ClientRequest.Body, _ client: borrowing BrokerClient, planned: Bool, fallback: String,
        timeout limit: Duration = .seconds(10)
    ) throws(CLIError) -> [String] {
        guard case .done(let lines) = try client.ask(request, timeout: timeout(limit)) else {
            throw .strangeAnswer("done")
        }
        printLines(lines.isEmpty ? [fallback] : lines, schema: planned ? "relux.plan/1" : "relux.done/1")
        return lines
    }

    func printLines(_ lines: [String], schema: String) {
        if format.isJSON {
            print(.object([.init("schema", .string(schema)), .init("lines", .array(lines.map { .string($0) }))]))
        } else {
            for line in lines { print(schema == "relux.plan/1" ? "PLAN  \(line)" : line) }
        }
    }
}
