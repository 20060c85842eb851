import ArgumentParser
import Foundation
import ReluxContract
import ReluxPack
import ReluxWire

struct ContractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "contract", abstract: "Compares what modules promise each other.", subcommands: [ContractDiffCommand.self])
}

struct ContractDiffCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff", abstract: "Tells what changes for others when a contract becomes another one.",
        discussion: """
            Either is the file beside an interface, a plugin's package, a packed version's directory or its manifest, or - for standard input. \
            Each change is named with its case and field. An upgrade of a running module is judged by the same rules.

            Exit status: 0 compatible (the same bytes, either may stand in for the other), 7 a new version is needed (something is added that \
            who was built against the old contract need not know), 6 breaking, 2 usage, 3 there is no contract, 1 it cannot be read.
            """)
    static let examples = [
        "relux contract diff packed/Auth/1.0.0-3f2a packed/Auth/current",
        "git show main:Plugins/Auth/Sources/AuthReluxInt/Auth.contract.json | relux contract diff - Plugins/Auth",
    ]

    @Argument(help: "The contract that others were built against.") var old: String
    @Argument(help: "The one that takes its place.") var new: String
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        guard old != "-" || new != "-" else {
            throw CLIError(.usage, "contract.input", "standard input cannot be both contracts", hint: "name a file for one of them")
        }
        let (before, after) = (try read(old, session), try read(new, session))
        let output = ContractDiffOutput(ContractComparison(from: before.contract, to: after.contract), from: before.version, to: after.version)
        switch session.format {
        case .json: session.print(output.json)
        case .ndjson: for change in output.changes { session.print(change) }
        case .name: session.print(output.verdict.rawValue)
        case .table, .wide:
            for line in output.lines { session.print(line) }
            session.say(output.summary)
        }
        return output.status
    }

    private func read(_ path: String, _ session: CommandSession) throws(CLIError) -> WrittenContract {
        let input = path == "-" ? Data(try session.console.text().utf8) : nil
        do throws(PackError) {
            if let input { return try WrittenContract(input, name: "standard input") }
            return try WrittenContract(at: session.path(path))
        } catch {
            let isMissing = error.code == .missingContract
            throw CLIError(
                isMissing ? .notFound : .failed, error.code.name, error.message,
                hint: isMissing
                    ? "write it: relux module pack … --write-contract, or name its file"
                    : "pack it with this relux, and change the interface's source instead of the file")
        }
    }
}
