import ArgumentParser
import ReluxControl
import ReluxWire

/// The arguments of every command that hands a module over.
struct HandoverOptions: ParsableArguments {
    @Argument(help: "The module.", completion: Completions.modules) var module: String
    @Flag(help: "Say what would be done, to whom and why.") var dryRun = false

    /// Asks for it and waits for its end; a failure before the commit leaves all as it was.
    func run(
        _ session: CommandSession, _ client: borrowing BrokerClient, _ request: (ModuleID, Bool) -> ClientRequest.Body
    ) throws(CLIError) -> ExitStatus {
        let id = try ModuleID.changeable(module)
        try session.done(
            request(id, dryRun), client, planned: dryRun, fallback: "\(module) is handed over", timeout: .seconds(150))
        return .ok
    }
}

struct ModuleUpgradeCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "upgrade", abstract: "Lets another version of a module take it over while it serves.",
        discussion: """
            The new version starts in a process of its own beside the old one, reads what the old one has stored, and takes \
            over when it is ready; until then a failure leaves the old one serving. Nobody else is restarted.
            """)
    static let examples = ["relux module upgrade Auth --dry-run", "relux module upgrade Auth --version 1.1.0"]

    @OptionGroup var handover: HandoverOptions
    @Argument(help: "A packed version's directory; without one, the version that was packed last.") var directory: String?
    @Option(help: "One of the packed versions, with the digest where there are several of it.") var version: String?
    @OptionGroup var common: CommonOptions

    func validate() throws {
        if directory != nil, version != nil { throw ValidationError("say which version: either its directory, or --version; not both") }
    }

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        _ = try ModuleID.changeable(handover.module)
        let plugin = try PackedDirectory(session.packed(version, of: handover.module) ?? directory ?? handover.module, session)
        return try handover.run(session, client) { .upgrade(module: $0, directory: plugin.path, dryRun: $1) }
    }
}

struct ModuleRollbackCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollback", abstract: "Takes the last upgrade of a module back, in the same way.",
        discussion: """
            Its states go with it: those whose stored version is the same, and those that the present version can turn back. \
            Otherwise there is no way back, and the plan says so.
            """)
    static let examples = ["relux module rollback Auth --dry-run", "relux module rollback Auth"]

    @OptionGroup var handover: HandoverOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        try handover.run(session, try session.client()) { .rollback(module: $0, dryRun: $1) }
    }
}

struct ModuleMoveCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Moves a module to another process while it serves.",
        discussion: "It stays there: the next start of the cluster puts it there too, and names the difference from the cluster's file.")
    static let examples = ["relux module move Notes --own", "relux module move Notes --host shared --dry-run"]

    @OptionGroup var handover: HandoverOptions
    @Option(help: ArgumentHelp("The host that takes it, one that runs or a new one.", valueName: "name"), completion: Completions.hosts) var host: String?
    @Flag(help: "To a process of its own.") var own = false
    @OptionGroup var common: CommonOptions

    func validate() throws {
        guard (host == nil) == own else {
            throw ValidationError("say where to: either --host NAME, or --own for a process of its own\(own ? "; not both" : "")")
        }
    }

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let target = host.map { HostID(rawValue: $0) }
        if let target { session.noteNewHost(target, try session.status(client)) }
        return try handover.run(session, client) { .move(module: $0, to: target, dryRun: $1) }
    }
}

struct ModuleEvictCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "evict", abstract: "Ends a module's membership at once; what it has not settled is lost.",
        discussion: """
            For a module that hangs, crashes again and again, or is quarantined: nobody waits for it any more. A module \
            that works is better unloaded. When others import it, or effects are lost with it, --yes is needed.
            """)
    static let examples = ["relux module evict Notes --dry-run", "relux module evict Notes --yes"]

    @Argument(help: "The module.", completion: Completions.modules) var module: String
    @Flag(help: "Also when others import it, or effects are lost with it.") var yes = false
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let id = try ModuleID.changeable(module)
        guard case .done(let forecast) = try client.ask(.evict(module: id, yes: false, dryRun: true), timeout: session.timeout(.seconds(5))) else {
            throw .strangeAnswer("evict")
        }
        let losses = PendingWork.losses(with: id, in: try session.location().run)
        let plan = forecast + losses
        if dryRun {
            session.printLines(plan, .plan)
            return .ok
        }
        let isImported = try session.status(client).modules.contains { $0.imports.contains("\(module)ReluxInt") }
        if isImported || !losses.isEmpty { try session.confirm(plan: plan, yes: yes) }
        try session.done(
            .evict(module: id, yes: yes || isImported, dryRun: false), client, planned: false,
            fallback: "\(module) is evicted")
        return .ok
    }
}
