import ArgumentParser
import ReluxBus
import ReluxJournal
import ReluxWire

struct JournalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Lists, shows, verifies and repairs the modules' journals.",
        discussion: "All of it works without a running cluster; only repair wants the module to be down.",
        subcommands: [
            JournalListCommand.self, JournalShowCommand.self, JournalVerifyCommand.self, JournalRepairCommand.self,
        ])
}

struct JournalListCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "Lists the journals of this node.")
    static let examples = ["relux journal ls", "relux journal ls --json | jq '.journals[] | {module, bytes}'"]

    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let run = try session.location().run
        let journals = try CLIError.journal { () throws(JournalError) in
            try JournalListing.all(in: run.journals, environment: try .live())
        }
        switch session.format {
        case .json:
            session.print(
                .object([.init("schema", "relux.journals/1"), .init("journals", .array(journals.map(JournalOutput.json)))]))
        case .ndjson: for journal in journals { session.print(JournalOutput.json(journal)) }
        case .name: for journal in journals { session.print(journal.module.rawValue) }
        case .table, .wide: for line in JournalOutput.table(journals, wide: session.format == .wide, session.style) { session.print(line) }
        }
        if journals.isEmpty { session.say("there are no journals in \(run.journals)") }
        return .ok
    }
}

struct JournalShowCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what a journal holds: segments, streams, holes.",
        discussion: "Every byte is read. Exit status 1 if something is damaged.")
    static let examples = ["relux journal show Auth", "relux journal show Auth --batches -n 20"]

    @Argument(help: "The module.") var module: String
    @Flag(help: "List the batches too.") var batches = false
    @Option(name: .short, help: ArgumentHelp("So many last batches; all without it.", valueName: "count")) var n: Int?
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let (id, directory) = try session.journal(module)
        let report = try session.report(id, directory)
        var listed: [JournalBatch] = []
        if batches || n != nil { listed = try CLIError.journal { () throws(JournalError) in try Self.read(directory, id, n) } }
        switch session.format {
        case .json, .ndjson: session.print(JournalOutput.json(report, batches: batches || n != nil ? listed : nil))
        case .name: for segment in report.segments { session.print(segment.file) }
        case .table, .wide:
            for line in JournalOutput.lines(report) { session.print(line) }
            if !listed.isEmpty { session.print("") }
            for batch in listed { session.print(JournalOutput.line(batch)) }
        }
        return report.faults.isEmpty ? .ok : .failed
    }

    /// Up to where the journal is sound; the report tells the rest.
    private static func read(_ directory: String, _ module: ModuleID, _ count: Int?) throws(JournalError) -> [JournalBatch] {
        let reader = try JournalReader(directory: directory, module: module, environment: try .live())
        var batches: [JournalBatch] = []
        do {
            while case let more = try reader.next(), !more.isEmpty {
                batches += more
                if let count, batches.count > 2 * max(0, count) { batches.removeFirst(batches.count - max(0, count)) }
            }
        } catch where error.code == .damaged {}
        return count.map { batches.suffix(max(0, $0)) } ?? batches
    }
}

struct JournalVerifyCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every byte of journals; exit status 1 if something is damaged.")
    static let examples = ["relux journal verify", "relux journal verify Auth --json"]

    @Argument(help: "Modules; all without one.") var modules: [String] = []
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        var names = modules
        if names.isEmpty {
            let folder = try session.location().run.journals
            names = try CLIError.journal { () throws(JournalError) in
                try JournalListing.all(in: folder, environment: try .live())
            }.filter { !$0.segments.isEmpty }.map(\.module.rawValue)
        }
        var reports: [JournalReport] = []
        for name in names {
            let (id, directory) = try session.journal(name)
            reports.append(try session.report(id, directory))
        }
        switch session.format {
        case .json:
            session.print(
                .object([
                    .init("schema", "relux.journalVerify/1"),
                    .init("journals", .array(reports.map { JournalOutput.json($0, batches: nil) })),
                ]))
        case .ndjson: for report in reports { session.print(JournalOutput.json(report, batches: nil)) }
        case .name: for report in reports where !report.faults.isEmpty { session.print(report.module.rawValue) }
        case .table, .wide: for report in reports { for line in JournalOutput.verdict(report, session.style) { session.print(line) } }
        }
        return reports.allSatisfy(\.faults.isEmpty) ? .ok : .failed
    }
}

extension CommandSession {
    /// The module's journal directory, which is there.
    func journal(_ name: String) throws(CLIError) -> (ModuleID, String) {
        let module = try ModuleID.checked(name)
        let run = try location().run
        let all = try CLIError.journal { () throws(JournalError) in
            try JournalListing.all(in: run.journals, environment: try .live())
        }
        guard let found = all.first(where: { $0.module == module }) else {
            throw CLIError(
                .notFound, "journal.missing", "there is no journal of '\(name)' in \(run.journals)",
                hint: NearestName.hint(name, among: all.map(\.module.rawValue)))
        }
        return (module, found.directory)
    }

    func report(_ module: ModuleID, _ directory: String) throws(CLIError) -> JournalReport {
        try CLIError.journal { () throws(JournalError) in
            try JournalReport(directory: directory, module: module, environment: try .live())
        }
    }
}

extension CLIError {
    /// What a journal answers, in the tool's words.
    static func journal<Result>(_ body: () throws(JournalError) -> Result) throws(CLIError) -> Result {
        do { return try body() } catch {
            let status: ExitStatus =
                switch error.code {
                case .missing: .notFound
                case .locked: .refused
                default: .failed
                }
            let place = error.position.map { ", byte \($0)" } ?? ""
            throw CLIError(status, "journal.\(error.code)", "\(error.file)\(place): \(error.reason)", hint: error.remedy)
        }
    }
}
