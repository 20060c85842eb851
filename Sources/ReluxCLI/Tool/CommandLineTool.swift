import ArgumentParser
import Foundation
import ReluxControl
import ReluxOutput
import ReluxTap
import ReluxWire

/// The `relux` command, from arguments to exit status.
package enum CommandLineTool {
    /// Runs in this process's surroundings.
    package static func main(_ arguments: [String]) -> Int32 {
        // Before anything is opened.
        let facts = StartConditions.settle(.command)
        let output = ProgramOutput("relux")
        var console = Console.process(output)
        console.start = facts
        if let finding = StartConditions.refusal(facts, .command) {
            let error = CLIError(.failed, "start.\(finding.name)", "\(finding.name): \(finding.text)", hint: finding.remedy)
            report(error, asJSON: arguments.contains("--json"), console)
            return output.status(error.status.rawValue)
        }
        if let fault = UTF8Text.faultInArguments() {
            let error = CLIError(.usage, "usage.encoding", fault, hint: "write it as UTF-8")
            report(error, asJSON: arguments.contains("--json"), console)
            return output.status(error.status.rawValue)
        }
        return output.status(run(arguments, console: console).rawValue)
    }

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
        session.noteUnreadVariables()
        do {
            try session.mustBeLegible()
            let status = try command.run(session)
            try session.mustHaveFound()
            return status
        } catch {
            report(error, asJSON: session.options.isJSON, console)
            return error.status
        }
    }

    /// Help is data; anything else that the parser says is a usage error.
    private static func explain(_ error: any Error, _ arguments: [String], _ console: Console) -> ExitStatus {
        let isHelp = ReluxCommand.exitCode(for: error).isSuccess
        let wantsJSON = arguments.contains { ["--json", "json", "ndjson", "-ojson", "--output=json"].contains($0) }
        if let word = unknownWord(in: arguments, isHelp: isHelp) {
            report(CLIError(.usage, "usage.\(word.kind.rawValue)", word.message, hint: word.hint), asJSON: wantsJSON, console)
            return .usage
        }
        if isHelp {
            let text = ReluxCommand.fullMessage(for: error, columns: console.columns)
            if text == ReluxCommand.configuration.version, arguments.contains(where: { !$0.hasPrefix("-") }) {
                let error = CLIError(
                    .usage, "usage.version", "--version is relux's own and stands alone: '\(arguments.joined(separator: " "))' is not done",
                    hint: "relux --version; or, of modules, relux status")
                report(error, asJSON: wantsJSON, console)
                return .usage
            }
            // A shell asks for words, and takes all that it gets for some.
            console.out(arguments.first == "---completion" ? text : text + examples(of: named(by: arguments)))
            return .ok
        }
        if wantsJSON {
            report(CLIError(.usage, "usage", ReluxCommand.message(for: error), hint: "see relux --help"), asJSON: true, console)
        } else {
            console.talk(ReluxCommand.fullMessage(for: error, columns: console.columns))
        }
        return .usage
    }

    private static func unknownWord(in arguments: [String], isHelp: Bool) -> UnknownWord? {
        let program = try? JSONDecoder().decode(CommandWords.Program.self, from: Data(ReluxCommand._dumpHelp().utf8))
        return program.flatMap { UnknownWord.first(in: arguments, of: $0.command, beside: HelperProgram.words, isAnswered: isHelp) }
    }

    /// A message may quote what somebody has given: a terminal gets no control characters of it, and no line without an end.
    private static func legible(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.utf8.count > lineLimit else { return TerminalText.escaped(String(line)) }
            return TerminalText.escaped(String(line.prefix(lineLimit))) + "… (\(line.utf8.count) bytes)"
        }.joined(separator: "\n")
    }

    /// Bytes of a line of an error that are shown.
    private static let lineLimit = 4_000

    static func report(_ error: CLIError, asJSON: Bool, _ console: Console) {
        guard asJSON else {
            console.talk("relux: \(legible(error.message))")
            if !error.hint.isEmpty { console.talk("       \(legible(error.hint))") }
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
            4 cluster unreachable, 5 timeout, 6 refused, 7 expectation not met, 8 effects lost, 74 output not written, 130 interrupted, 141 reader gone.

            For authors: relux checklist, relux dev, relux generate, relux graph, relux lint and relux new are in the program relux-dev. \
            Any other word runs the program relux-WORD, found beside this one or in PATH.
            """,
        version: "relux \(VersionCommand.version) (\(Console.ownDirectory))",
        subcommands: [
            UpCommand.self, ApplyCommand.self, DownCommand.self, StatusCommand.self, ModuleCommand.self, EffectCommand.self, ContractCommand.self,
            SignalCommand.self, ScheduleCommand.self, TapCommand.self, AuditCommand.self, DeadLetterCommand.self, JournalCommand.self, LogsCommand.self,
            DoctorCommand.self, ExplainCommand.self, SchemaCommand.self, ContextCommand.self, SDKCommand.self, CheatCommand.self, VersionCommand.self, CompletionCommand.self,
        ])
}
