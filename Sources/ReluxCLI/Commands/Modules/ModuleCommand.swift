import ArgumentParser
import ReluxControl
import ReluxOutput
import ReluxTap
import ReluxWire

struct ModuleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "module", abstract: "Lists, packs, loads, upgrades, moves and removes modules.",
        subcommands: [
            ModuleListCommand.self, ModuleShowCommand.self, ModuleLoadCommand.self, ModuleUnloadCommand.self,
            ModuleRestartCommand.self, ModuleUpgradeCommand.self, ModuleRollbackCommand.self, ModuleMoveCommand.self,
            ModuleEvictCommand.self, ModuleWhyNotCommand.self, ModulePackCommand.self,
        ])
}

struct ModuleListCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "Lists the modules.")
    static let examples = ["relux module ls -o wide", "relux module ls -o name"]

    @OptionGroup var list: ListOptions
    @OptionGroup var watch: WatchOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        try watch.run(session) { session throws(CLIError) in
            var status = try session.status(try session.client())
            status.modules = try list.select(status.modules, StatusOutput.json)
            StatusOutput.printModules(status, session)
            return .ok
        }
    }
}

struct ModuleShowCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows all about one module.")
    static let examples = ["relux module show Auth", "relux module show Auth --json"]

    @Argument(help: "The module.", completion: Completions.modules) var module: String
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let status = try session.status(try session.client())
        guard module != BuiltInModule.id.rawValue else {
            let found = BuiltInModule(status, try session.location().run)
            switch session.format {
            case .json, .ndjson: session.print(found.json)
            case .name: session.print(module)
            case .table, .wide: for line in found.lines { session.print(line) }
            }
            return .ok
        }
        let found = try status.module(named: module, packed: session.packedModules())
        let absence = status.picture.absences[found.id]
        switch session.format {
        case .json, .ndjson:
            guard case .object(let members) = StatusOutput.json(found) else { return .ok }
            session.print(.object([.init("schema", "relux.module/1")] + members))
        case .name: session.print(found.id.rawValue)
        case .table, .wide: for line in Self.lines(found, absence) { session.print(line) }
        }
        return .ok
    }

    /// - Parameter absence: why nobody waits for it; nil while it is present.
    static func lines(_ module: ClusterStatus.Module, _ absence: String? = nil) -> [String] {
        let counters = module.counters
        let why = module.state.why.isEmpty ? "" : "  (\(TerminalText.escaped(module.state.why)))"
        func list(_ names: [String]) -> String { names.isEmpty ? "-" : names.joined(separator: ", ") }
        var table = TextTable(["module", "\(module.id) \(module.version)"])
        table.add(["kind", module.kind])
        table.add(["state", module.state.phase.rawValue + why])
        if let absence { table.add(["absent", TerminalText.escaped("what it is sent is kept, and nobody waits for it: \(absence)")]) }
        table.add(["host", "\(module.host)  pid \(module.pid)  epoch \(module.epoch)  restarts \(module.restarts)"])
        table.add(["ready", module.readyMilliseconds > 0 ? "\(module.readyMilliseconds)ms after its start" : "-"])
        if let handover = module.handover { table.add(["hand-over", TerminalText.escaped(handover)]) }
        table.add(["directory", module.directory])
        table.add(["imports", list(module.imports)])
        table.add(["handles", list(module.handles.map(\.rawValue))])
        table.add(["emits", list(module.emits.map(\.rawValue))])
        table.add([
            "effects",
            "emitted \(counters.emitted)  handled \(counters.handled)  failed \(counters.failed)  lost \(counters.lost)  "
                + "unhandled \(counters.unhandled)  in flight \(counters.inFlight)",
        ])
        table.add(["refused", "\(counters.refused)"])
        for refusal in counters.refusals ?? [] { table.add(["", Self.line(refusal)]) }
        table.add(["streams", "gaps \(counters.gaps)  repaired \(counters.repaired)"])
        return table.lines()
    }

    /// `2  undeclared  Notes.Business.Effect.add  at UptimeReluxImpl/Flow.swift:41: Uptime does not declare …`
    static func line(_ refusal: RefusalCount) -> String {
        let place = refusal.site.isEmpty ? "" : "  at \(refusal.site)"
        let effect = refusal.effect.isEmpty ? "elsewhere" : refusal.effect
        return TerminalText.escaped("\(refusal.count)  \(refusal.reason)  \(effect)\(place): \(refusal.message)")
    }
}

struct ModuleWhyNotCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "why-not", abstract: "Prints every unmet requirement of a module; exit status 6 if there is one.")
    static let examples = ["relux module why-not Notes", "relux module why-not Notes --json"]

    @Argument(help: "The module.", completion: Completions.modules) var module: String
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let id = try ModuleID.changeable(module)
        let (unmet, notes) = try session.whyNot(id, try session.client())
        if session.format.isJSON {
            session.print(
                .object([
                    .init("schema", "relux.whyNot/1"), .init("module", .string(module)),
                    .init("unmet", .array(unmet.map { .string($0) })), .init("notes", .array(notes.map { .string($0) })),
                ]))
        } else {
            for line in unmet + notes.map({ "note: \($0)" }) { session.print("\(module): \(TerminalText.escaped(line))") }
            if unmet.isEmpty { session.say("\(module) lacks nothing") }
        }
        return unmet.isEmpty ? .ok : .refused
    }
}

extension CommandSession {
    func whyNot(_ module: ModuleID, _ client: borrowing BrokerClient) throws(CLIError) -> (unmet: [String], notes: [String]) {
        guard case .whyNot(let unmet, let notes) = try client.ask(.whyNot(module: module), timeout: timeout(.seconds(5))) else {
            throw .strangeAnswer("why-not")
        }
        return (unmet, notes)
    }
}

extension ClusterStatus {
    func module(named name: String, packed: [String] = []) throws(CLIError) -> Module {
        if let found = modules.first(where: { $0.id.rawValue == name }) { return found }
        if name == BuiltInModule.id.rawValue { throw BuiltInModule.fixed }
        if let unloaded = unloaded(name, packed: packed) { throw unloaded }
        throw CLIError(
            .notFound, "module.unknown", "there is no module '\(name)'",
            hint: CLIError.meant(name, loaded: known, packed: packed) ?? NearestName.list(modules.map(\.id.rawValue)))
    }

    /// The names of modules that are there, or were.
    var known: [String] { (modules.map(\.id) + (unloaded ?? [])).map(\.rawValue) }

    /// The error for a module that was unloaded, with the command that brings it back; nil for any other.
    ///
    /// - Parameter packed: the names of packed modules.
    func unloaded(_ name: String, packed: [String]) -> CLIError? {
        guard unloaded?.contains(where: { $0.rawValue == name }) == true else { return nil }
        let load = "relux module load \(name) brings it back"
        return CLIError(
            .notFound, "module.unloaded", "\(name) was unloaded",
            hint: packed.contains(name) ? load : "pack it again, for it is packed no more: relux module pack; then \(load)")
    }
}

extension ModuleID {
    /// A module to do something with.
    static func changeable(_ text: String) throws(CLIError) -> ModuleID {
        let id = try checked(text)
        guard id != BuiltInModule.id else { throw BuiltInModule.fixed }
        return id
    }

    static func checked(_ text: String) throws(CLIError) -> ModuleID {
        do { return try ModuleID(text) } catch { throw CLIError(.usage, "module.name", error.message) }
    }
}
