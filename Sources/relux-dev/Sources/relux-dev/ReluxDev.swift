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
            let isHelp = exitCode(for: error).isSuccess
            if isHelp { Output.data(fullMessage(for: error)) } else { Output.talk(fullMessage(for: error)) }
            if !isHelp, let meant = unknownWord(in: CommandLine.arguments.dropFirst()) { Output.talk("relux: \(meant)") }
            return isHelp ? 0 : 2
        }
    }

    /// What was probably meant by a word in the place of a command; nil where a command stands.
    private static func unknownWord(in arguments: some Sequence<String>) -> String? {
        var command: any ParsableCommand.Type = ReluxDev.self
        for word in arguments {
            let below = command.configuration.subcommands
            if below.isEmpty || word.hasPrefix("-") { return nil }
            guard let next = below.first(where: { $0.configuration.commandName == word }) else {
                return NearestName.meant(word, among: below.compactMap { $0.configuration.commandName })
            }
            command = next
        }
        return nil
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
