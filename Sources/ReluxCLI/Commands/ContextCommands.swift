import ArgumentParser
import Foundation
import ReluxControl
import ReluxTap
import ReluxWire

struct ContextCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "context", abstract: "Names clusters, and selects the one that is meant.",
        discussion: """
            The selected one is meant wherever nothing else names a cluster: no --config, --run or --context, no RELUX_CONFIG, RELUX_RUN or RELUX_CONTEXT, \
            and no deploy/cluster.yaml here or in a folder above.
            """,
        subcommands: [
            ContextListCommand.self, ContextShowCommand.self, ContextAddCommand.self, ContextSelectCommand.self, ContextPreviousCommand.self,
            ContextRemoveCommand.self,
        ])
}

struct ContextListCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "Lists the contexts; * is the selected one.")
    static let examples = ["relux context ls", "relux context ls -o name"]

    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let found = try Contexts.load(session.console.environment)
        func json(_ context: Contexts.Context) -> JSONValue {
            .object([
                .init("name", .string(context.name)), .init("selected", .bool(context.name == found.selected)),
                .init("config", context.config.map { .string($0) } ?? .null), .init("run", context.run.map { .string($0) } ?? .null),
            ])
        }
        switch session.format {
        case .json: session.print(.object([.init("schema", "relux.contexts/1"), .init("contexts", .array(found.contexts.map(json)))]))
        case .ndjson: for context in found.contexts { session.print(json(context)) }
        case .name: for context in found.contexts { session.print(context.name) }
        case .table, .wide:
            guard !found.contexts.isEmpty else {
                session.print("there are no contexts; add one: relux context add NAME --config FILE")
                return .ok
            }
            var table = TextTable(["", "NAME", "FILE", "RUN DIRECTORY"])
            for context in found.contexts {
                let paths = [context.config, context.run].map { $0.map(TerminalText.escaped) ?? "-" }
                table.add([context.name == found.selected ? "*" : " ", context.name] + paths)
            }
            let style = session.style
            for line in table.lines(paint: { row, _, text in row == 0 ? style(text, .dim) : text }) { session.print(line) }
        }
        return .ok
    }
}

struct ContextShowCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Says which cluster is meant here, and by what.")
    static let examples = ["relux context show", "relux context show --json"]

    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let location = try session.location()
        if session.format.isJSON {
            session.print(
                .object([
                    .init("schema", "relux.context/1"), .init("config", location.file.map { .string($0) } ?? .null), .init("run", .string(location.run.path)),
                    .init("by", .string(location.origin)),
                ]))
        } else {
            if let file = location.file { session.print("file           \(TerminalText.escaped(file))") }
            session.print("run directory  \(TerminalText.escaped(location.run.path))")
            session.print("by             \(location.origin)")
        }
        return .ok
    }
}

struct ContextAddCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "add", abstract: "Gives a cluster a name; selects it when it is the first.")
    static let examples = ["relux context add demo --config deploy/cluster.yaml", "relux context add lab --run /var/lib/lab --select"]

    @Argument(help: "The name.") var name: String
    @Flag(help: "Select it too.") var select = false
    @Flag(help: "Replace another one of the name.") var force = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        guard common.config != nil || common.run != nil else {
            throw CLIError(.usage, "context.empty", "a context names a cluster by its file or its run directory", hint: "say --config FILE, --run DIR or both")
        }
        // It must be one that can be meant.
        _ = try session.location()
        var contexts = try Contexts.load(session.console.environment)
        try contexts.add(.init(name: name, config: common.config.map(session.path), run: common.run.map(session.path)), isForced: force)
        if select || contexts.contexts.count == 1 { try contexts.select(name) }
        try contexts.save(session.console.environment)
        session.say("\(name) is \(try contexts.context(named: name).place)" + (contexts.selected == name ? ", and selected" : ""))
        return .ok
    }
}

/// A change of which one is selected, or of which there are.
private func change(
    _ session: CommandSession, _ body: (inout Contexts) throws(CLIError) -> Void
) throws(CLIError) -> ExitStatus {
    var contexts = try Contexts.load(session.console.environment)
    try body(&contexts)
    try contexts.save(session.console.environment)
    session.say(contexts.selected.map { "\($0) is selected" } ?? "no context is selected")
    return .ok
}

struct ContextSelectCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "select", abstract: "Selects a context.")
    static let examples = ["relux context select demo", "relux context select lab --quiet"]

    @Argument(help: "The context.", completion: Completions.contexts) var name: String
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus { try change(session) { contexts throws(CLIError) in try contexts.select(name) } }
}

struct ContextPreviousCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "previous", abstract: "Selects the context that was selected before.")
    static let examples = ["relux context previous", "relux context previous && relux status"]

    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus { try change(session) { contexts throws(CLIError) in try contexts.selectPrevious() } }
}

struct ContextRemoveCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "rm", abstract: "Takes a context's name away; its cluster is not touched.")
    static let examples = ["relux context rm lab", "relux context rm lab --quiet"]

    @Argument(help: "The context.", completion: Completions.contexts) var name: String
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus { try change(session) { contexts throws(CLIError) in try contexts.remove(name) } }
}
