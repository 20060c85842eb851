import ArgumentParser
import ReluxControl
import ReluxTap
import ReluxWire

struct StatusCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows the modules of the cluster and their states.")
    static let examples = ["relux status --watch", "relux status --filter state!=ready --sort restarts:desc"]

    @OptionGroup var list: ListOptions
    @OptionGroup var watch: WatchOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        try watch.run(session) { session throws(CLIError) in try show(session) }
    }

    private func show(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let status = try session.status(try session.client())
        let run = try session.location().run
        let stopped = ProcessState.stopped(run).map { "\($0.message); \($0.hint)" }
        // The summary is of the whole cluster, whatever rows are shown.
        var shown = status
        shown.modules = try list.select(status.modules, StatusOutput.json)
        switch session.format {
        case .json:
            // A stopped process cannot tell the broker.
            if let stopped { shown.notes.append(ClusterNote(stopped)) }
            session.print(StatusOutput.json(shown, run: run.path))
        default:
            StatusOutput.printModules(shown, session)
            if !session.format.isJSON, session.format != .name {
                for line in StatusOutput.troubles(status) { session.print(TerminalText.escaped(line)) }
                for line in StatusOutput.barriers(status) { session.print(TerminalText.escaped(line)) }
                if let line = StatusOutput.ingress(status) { session.print(line) }
                if let stopped { session.print(stopped) }
                session.print(StatusOutput.summary(status))
            }
        }
        return .ok
    }
}

extension StatusOutput {
    static func printModules(_ status: ClusterStatus, _ session: CommandSession) {
        switch session.format {
        case .table, .wide:
            for line in table(status, wide: session.format == .wide, style: session.style) + reasons(status) { session.print(line) }
        case .json:
            session.print(
                .object([.init("schema", "relux.modules/1"), .init("modules", .array(status.modules.map(json)))]))
        case .ndjson: for module in status.modules { session.print(json(module)) }
        case .name: for module in status.modules { session.print(module.id.rawValue) }
        }
    }
}
