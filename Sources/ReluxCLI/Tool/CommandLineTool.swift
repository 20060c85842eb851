import ArgumentParser
import ReluxWire

/// The `relux` command, from arguments to exit status.
package enum CommandLineTool {
    /// Runs in this process's surroundings.
    package static func main(_ arguments: [String]) -> Int32 { run(arguments, console: .process()).rawValue }

    static func run(_ arguments: [String], console: Console) -> ExitStatus {
        do throws(CLIError) {
            if let helper = try HelperProgram(arguments, console) { try helper.become(console) }
        } catch {
            report(error, asJSON: arguments.contains("--json"), console)
            return error.status
        }
        let command: any SessionCommand
        do {
            var parsed = try ReluxCommand.parseAsRoot(arguments)
            guard let found = parsed as? any SessionCommand else {
                // Help, or a word that needs another one: it says so by throwing.
                try parsed.run()
                return .ok
            }
            command = found
        } catch {
            return explain(error, arguments, console)
        }
        let session = CommandSession(console: console, options: command.common)
        do {
            return try command.run(session)
        } catch {
            report(error, asJSON: session.format.isJSON, console)
            return error.status
        }
    }

    /// Help is data; anything else that the parser says is a usage error.
    private static func explain(_ error: any Error, _ arguments: [String], _ console: Console) -> ExitStatus {
        if ReluxCommand.exitCode(for: error).isSuccess {
            let text = ReluxCommand.fullMessage(for: error, columns: console.columns)
            console.out(text + examples(of: named(by: arguments)))
            return .ok
        }
        let wantsJSON = arguments.contains { ["--json", "json", "ndjson", "-ojson", "--output=json"].contains($0) }
        if wantsJSON {
            let message = ReluxCommand.message(for: error)
            report(CLIError(.usage, "usage", message, hint: "see relux --help"), asJSON: true, console)
        } else {
            console.talk(ReluxCommand.fullMessage(for: error, columns: console.columns))
        }
        return .usage
    }

    static func report(_ error: CLIError, asJSON: Bool, _ console: Console) {
        guard asJSON else {
            console.talk("relux: \(error.message)")
            if !error.hint.isEmpty { console.talk("       \(error.hint)") }
            return
        }
        let object = JSONValue.object([
            .init("schema", "relux.error/1"), .init("code", .string(error.code)),
            .init("status", .integer(Int128(error.status.rawValue))), .init("message", .string(error.message)),
            .init("hint", .string(error.hint)),
        ])
        console.talk(object.text())
    }

    private static func examples(of command: any ParsableCommand.Type) -> String {
        guard let command = command as? any SessionCommand.Type, !command.examples.isEmpty else { return "" }
        return "\nEXAMPLES:\n" + command.examples.map { "  \($0)" }.joined(separator: "\n")
    }

    /// The command that the arguments lead to, by its name or an alias.
    private static func named(by arguments: [String]) -> any ParsableCommand.Type {
        var command: any ParsableCommand.Type = ReluxCommand.self
        for argument in arguments where argument != "help" && !argument.hasPrefix("-") {
            let next = command.configuration.subcommands.first { $0.configuration.commandName == argument }
            guard let next else { break }
            command = next
        }
        return command
    }
}

/// A command that does something.
protocol SessionCommand: ParsableCommand {
    /// Command lines that work, for the end of its help.
    static var examples: [String] { get }
    var common: CommonOptions { get }
    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus
}

struct ReluxCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relux",
        abstract: "Runs and inspects a cluster of Relux modules.",
        discussion: """
            Data goes to standard output, talk to standard error. Exit status: 0 done, 1 failed, 2 usage, 3 not found, \
            4 cluster unreachable, 5 timeout, 6 refused, 7 expectation not met, 8 effects lost, 130 interrupted.

            For authors: relux checklist, relux dev, relux generate, relux graph, relux lint and relux new are in the program relux-dev. \
            Any other word runs the program relux-WORD, found beside this one or in PATH.
            """,
        subcommands: [
            UpCommand.self, DownCommand.self, StatusCommand.self, ModuleCommand.self, EffectCommand.self, ContractCommand.self,
            SignalCommand.self, TapCommand.self, AuditCommand.self, DeadLetterCommand.self, JournalCommand.self, LogsCommand.self,
            DoctorCommand.self, VersionCommand.self, CompletionCommand.self,
        ])
}
