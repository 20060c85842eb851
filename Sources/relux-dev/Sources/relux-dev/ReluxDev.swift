import ArgumentParser
import Foundation

/// The tools for authors; `relux lint` runs `relux-dev lint`.
@main
struct ReluxDev: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relux-dev",
        abstract: "Tools for authors of Relux modules.",
        discussion: "Data goes to standard output, talk to standard error. Exit status: 0 done, 1 findings or failed, 2 usage, 3 not found, 6 refused; dev: as relux.",
        subcommands: [LintCommand.self, ChecklistCommand.self, GenerateCommand.self, GraphCommand.self, NewCommand.self, DevCommand.self])

    static func main() {
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch {
            if let code = error as? ExitCode { Foundation.exit(code.rawValue) }
            let isHelp = exitCode(for: error).isSuccess
            Output.write(fullMessage(for: error), to: isHelp ? .standardOutput : .standardError)
            Foundation.exit(isHelp ? 0 : 2)
        }
    }
}

enum Output {
    static func data(_ text: String) { write(text, to: .standardOutput) }
    static func talk(_ text: String) { write(text, to: .standardError) }

    /// What cannot be written has no reader.
    static func write(_ text: String, to stream: FileHandle) {
        try? stream.write(contentsOf: Data((text.hasSuffix("\n") ? text : text + "\n").utf8))
    }

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
