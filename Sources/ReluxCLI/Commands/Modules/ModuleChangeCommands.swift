import ArgumentParser
import ReluxControl
import ReluxWire

struct ModuleUnloadCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "unload", abstract: "Drains a module and removes it from the cluster.",
        discussion: """
            What imports it waits until it returns. A module that is ready handles what it has heard; of one that is not, everything that waits \
            for it is lost. In both cases --yes is needed.
            """)
    static let examples = ["relux module unload Notes", "relux module unload Auth --yes"]

    @Argument(help: "The module.", completion: Completions.modules) var module: String
    @Flag(help: "Also when others import it, or effects are lost with it.") var yes = false
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let (found, status) = try session.module(named: module, client)
        let losses = try session.losses(byRemoving: found.id, status)
        let importing = status.modules.filter { $0.imports.contains("\(module)ReluxInt") }.map(\.id.rawValue)
        var plan = ["remove    \(found.id) \(found.version)  host \(found.host)  in flight \(found.counters.inFlight)"]
        plan += losses
        if !importing.isEmpty { plan.append("waiting   \(importing.joined(separator: ", ")) until \(module) returns") }
        if dryRun {
            session.printLines(plan, .plan)
            return .ok
        }
        if !importing.isEmpty || !losses.isEmpty { try session.confirm(plan: plan, yes: yes) }
        try session.done(
            .unload(module: found.id, yes: yes || !importing.isEmpty), client, planned: false,
            fallback: "\(module) is removed", timeout: .seconds(20))
        return .ok
    }
}

struct ModuleRestartCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Drains the module's process, ends it and starts it again.",
        discussion: "Modules that share the process restart with it; then --yes is needed.")
    static let examples = ["relux module restart Notes", "relux module restart Notes --dry-run"]

    @Argument(help: "The module.", completion: Completions.modules) var module: String
    @Flag(help: "Also when others share its process.") var yes = false
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let (found, status) = try session.module(named: module, client)
        let together = status.modules.filter { $0.host == found.host }.map(\.id)
        let plan = [
            "restart   \(together.map(\.rawValue).joined(separator: ", "))  host \(found.host)  in flight \(found.counters.inFlight)"
        ]
        if dryRun {
            session.printLines(plan, .plan)
            return .ok
        }
        // Without anybody to ask, the broker refuses what would surprise the neighbours.
        let isAsked = together.count > 1 && (yes || session.console.isInputTerminal && session.console.isTerminal)
        if isAsked {
            try session.confirm(plan: plan, yes: yes)
        } else if together.count > 1 {
            for line in plan { session.say("PLAN  \(line)") }
        }
        try session.done(
            .restart(module: found.id, yes: yes || isAsked), client, planned: false,
            fallback: "host \(found.host) restarts")
        try session.sayUnserved(together, client)
        return try ModuleWait(module: found.id, epochOver: found.epoch).run(session, client)
    }
}

extension CommandSession {
    /// The effects that an unload loses, as lines of its plan: a module that is ready handles what it has heard before it leaves.
    func losses(byRemoving id: ModuleID, _ status: ClusterStatus) throws(CLIError) -> [String] {
        guard let phase = status.modules.first(where: { $0.id == id })?.state.phase else { return [] }
        let handlesThem = (phase == .ready || phase == .draining) && status.picture.absences[id] == nil
        return handlesThem ? [] : PendingWork.losses(with: id, in: try location().run)
    }

    /// Asks for something to be done, and prints what the broker says it did.
    func done(
        _ request: ClientRequest.Body, _ client: borrowing BrokerClient, planned: Bool, fallback: String,
        timeout limit: Duration = .seconds(10)
    ) throws(CLIError) {
        guard case .done(let lines) = try client.ask(request, timeout: timeout(limit)) else {
            throw .strangeAnswer("done")
        }
        printLines(lines.isEmpty ? [fallback] : lines, planned ? .plan : .done)
    }

    /// Lines name steps that would be done, or steps that were.
    enum LinesSchema: String { case plan = "relux.plan/1", done = "relux.done/1" }

    func printLines(_ lines: [String], _ schema: LinesSchema) {
        if format.isJSON {
            print(.object([.init("schema", .string(schema.rawValue)), .init("lines", .array(lines.map { .string($0) }))]))
        } else {
            for line in lines { print(schema == .plan ? "PLAN  \(line)" : line) }
        }
    }
}
