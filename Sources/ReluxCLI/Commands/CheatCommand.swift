import ArgumentParser
import ReluxOutput
import ReluxTap
import ReluxWire

struct CheatCommand: SessionCommand {
    /// A task, and the command for it.
    struct Line: Sendable {
        let want: String
        let command: String
        init(_ want: String, _ command: String) { (self.want, self.command) = (want, command) }
    }

    /// By subject, in the order in which somebody comes to need them.
    static let sheet: [(subject: String, lines: [Line])] = [
        ("cluster", [
            .init("start it, and wait until all is ready", "relux up"),
            .init("what would start, and what the file and the registry differ in", "relux up --plan"),
            .init("start what was packed last, not what was served last", "relux up --packed"),
            .init("carry out what the file says now", "relux apply"),
            .init("how it is, now or all the time", "relux status --watch"),
            .init("is anything wrong", "relux doctor"),
            .init("which cluster is meant here, and by what", "relux context show"),
            .init("go over to another one", "relux context select lab"),
            .init("what a code of an error means", "relux explain loader.guard"),
            .init("stop it in order", "relux down"),
        ]),
        ("module", [
            .init("add one while the cluster runs", "relux module load Notes"),
            .init("another version takes over, without a lost effect", "relux module upgrade Notes"),
            .init("back to the version before", "relux module rollback Notes"),
            .init("into a process of its own, or another's", "relux module move Notes --host shared"),
            .init("why is it not ready", "relux module why-not Notes"),
            .init("all that is known of it", "relux module show Notes"),
            .init("take it out, also where others need it", "relux module unload Notes --yes"),
            .init("make a plugin of a built library", "relux module pack --configured"),
        ]),
        ("effect", [
            .init("which are there", "relux effect ls 'Notes.**'"),
            .init("say one, and see all that it causes", "relux effect send Notes.Business.Effect.list --trace"),
            .init("with a field that must not be seen", "relux effect send Auth.Business.Effect.login '{\"name\": \"ada\"}' --secret password"),
            .init("watch them go by", "relux tap 'Notes.**'"),
            .init("is each accounted for", "relux audit"),
            .init("those that were given up", "relux dlq ls"),
            .init("let one be handled again", "relux dlq retry Notes#1.7"),
            .init("those that come by the clock", "relux schedule ls"),
        ]),
        ("output", [
            .init("for a program", "relux status --json"),
            .init("one field of all", "relux status -o jsonpath='{.modules[*].id}'"),
            .init("a line for each", "relux status -o jsonpath='{range .modules[*]}{.id}{\"\\t\"}{.state}{\"\\n\"}{end}'"),
            .init("only some, in another order", "relux status --filter state!=ready --sort restarts:desc"),
            .init("for people who like YAML", "relux module show Notes -o yaml"),
            .init("more columns", "relux status -o wide"),
            .init("the shape of a document", "relux schema relux.status/1"),
        ]),
        ("trouble", [
            .init("what a module's process has written", "relux logs Notes"),
            .init("the books of a module", "relux journal ls"),
            .init("is a journal whole", "relux journal verify Notes"),
            .init("which change breaks whom", "relux contract diff packed/Notes/1.0.0-0a packed/Notes/2.0.0-0b"),
        ]),
    ]

    static let configuration = CommandConfiguration(commandName: "cheat", abstract: "Prints the commands for what people want most, by subject.")
    static let examples = ["relux cheat", "relux cheat module"]

    @Argument(help: "The subject; all without one.", completion: .list(Self.sheet.map(\.subject))) var subject: String?
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let meant = Self.sheet.filter { subject == nil || $0.subject == subject }
        guard !meant.isEmpty else {
            throw CLIError(
                .notFound, "cheat.unknown", "'\(subject ?? "")' is no subject of the cheat sheet",
                hint: NearestName.hint(subject ?? "", among: Self.sheet.map(\.subject)))
        }
        switch session.format {
        case .json, .ndjson:
            let lines = meant.flatMap { subject, lines in
                lines.map { JSONValue.object([.init("subject", .string(subject)), .init("want", .string($0.want)), .init("command", .string($0.command))]) }
            }
            session.print(.object([.init("schema", "relux.cheat/1"), .init("lines", .array(lines))]))
        case .name: for line in meant.flatMap(\.lines) { session.print(line.command) }
        case .table, .wide:
            for (subject, lines) in meant {
                session.print(session.style(subject, .dim))
                for line in lines {
                    session.print("  # \(line.want)")
                    session.print("  \(line.command)")
                }
            }
        }
        return .ok
    }
}
