import ArgumentParser
import Foundation
import ReluxOutput

/// The tools for authors; `relux lint` runs `relux-dev lint`.
@main
struct ReluxDev: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relux-dev",
        abstract: "Tools for authors of Relux modules.",
        discussion: "Data goes to standard output, talk to standard error. Exit status: 0 done, 1 findings or failed, 2 usage, 3 not found, 6 refused, 74 output not written, 141 reader gone; dev: as relux.",
        subcommands: [LintCommand.self, ChecklistCommand.self, GenerateCommand.self, GraphCommand.self, NewCommand.self, DevCommand.self])

    static func main() {
        Foundation.exit(Output.program.status(run()))
    }

    private static func run() -> Int32 {
        if let fault = UTF8Text.faultInArguments() {
            Output.talk("relux: \(fault)")
            return 2
        }
        do {
            var command = try parseAsRoot()
            try command.run()
            return 0
        } catch {
            if let code = error as? ExitCode { return code.rawValue }
            let arguments = Array(CommandLine.arguments.dropFirst())
            let isHelp = exitCode(for: error).isSuccess
            if let word = unknownWord(in: arguments, isHelp: isHelp) {
                let wantsJSON = arguments.contains { ["--json", "json", "-ojson", "--output=json"].contains($0) }
                return Output.failure("usage.\(word.kind.rawValue)", word.message, hint: word.hint, status: 2, json: wantsJSON).rawValue
            }
            if isHelp { Output.data(fullMessage(for: error)) } else { Output.talk(fullMessage(for: error)) }
            return isHelp ? 0 : 2
        }
    }

    private static func unknownWord(in arguments: [String], isHelp: Bool) -> UnknownWord? {
        let program = try? JSONDecoder().decode(CommandWords.Program.self, from: Data(_dumpHelp().utf8))
        return program.flatMap { UnknownWord.first(in: arguments, of: $0.command, isAnswered: isHelp) }
    }
}

enum Output {
    static let program = ProgramOutput("relux")

    static func data(_ text: String) { program.data(text) }
    static func talk(_ text: String) { program.talk(text) }

    /// Says why nothing was done, as `relux` does, and ends with a status.
    static func failure(_ code: String, _ message: String, hint: String, status: Int32, json: Bool) -> ExitCode {
        if json {
            let object = ["schema": "relux.error/1", "code": code, "message": message, "hint": hint]
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            talk((try? encoder.encode(object)).map { String(decoding: $0, as: UTF8.self) } ?? message)
        } else {
            talk("relux: \(message)\n       \(hint)")
        }
        return ExitCode(status)
    }
}
