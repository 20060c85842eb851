import ArgumentParser
import ReluxJournal
import ReluxTap
import ReluxWire

struct JournalRepairCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair", abstract: "Mends a damaged journal at the price of what is lost.",
        discussion: """
            Prints what is damaged and what would be lost. With --accept-loss it is done: whole batches stay, a HOLE names what is lost, \
            the damaged files are kept in `quarantine`, all sequences jump by 2^32. The module has to be down. Exit status 6 while there \
            is something to accept.
            """)
    static let examples = ["relux journal repair Auth", "relux journal repair Auth --accept-loss"]

    @Argument(help: "The module.", completion: Completions.journals) var module: String
    @Flag(help: "Do it, and lose what the plan names.") var acceptLoss = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let (id, directory) = try session.journal(module)
        let repair = try CLIError.journal { () throws(JournalError) in
            try JournalRepair(directory: directory, module: id, environment: try .live())
        }
        var copies: [String] = []
        if acceptLoss, !repair.steps.isEmpty { copies = try CLIError.journal { () throws(JournalError) in try repair.run() } }
        if session.format.isJSON {
            session.print(
                .object([
                    .init("schema", "relux.journalRepair/1"), .init("module", .string(module)),
                    .init("done", .bool(acceptLoss)), .init("steps", .array(repair.steps.map(JournalOutput.json))),
                    .init("copies", .array(copies.map { .string($0) })),
                ]))
        } else {
            for step in repair.steps { for line in JournalOutput.lines(step, isPlan: !acceptLoss) { session.print(line) } }
            for copy in copies { session.print("kept      \(copy)") }
        }
        if repair.steps.isEmpty {
            session.say("\(module) is sound; nothing was changed")
            return .ok
        }
        guard acceptLoss else {
            session.say("nothing was changed; to lose what is named here, say --accept-loss")
            return .refused
        }
        return .ok
    }
}
