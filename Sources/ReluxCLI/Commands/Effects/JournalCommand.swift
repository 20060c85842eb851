import ArgumentParser
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
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the journals of this node.",
        discussion: "Exit status 1 if one cannot be looked at; the others are listed all the same.")
    static let examples = ["relux journal ls --sort bytes:desc", "relux journal ls --json | jq '.journals[] | {module, bytes}'"]

    @OptionGroup var list: ListOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let node = try session.journals()
        let journals = try list.select(node.found, JournalOutput.json)
        switch session.format {
        case .json:
            session.print(
                .object([.init("schema", "relux.journals/1"), .init("journals", .array(journals.map(JournalOutput.json)))]))
        case .ndjson: for journal in journals { session.print(JournalOutput.json(journal)) }
        case .name: for journal in journals { session.print(journal.module.rawValue) }
        case .table, .wide: for line in JournalOutput.table(journals, wide: session.format == .wide, session.style) { session.print(line) }
        }
        if node.found.isEmpty, node.unreadable.isEmpty { session.say("there are no journals in \(node.folder)") }
        return session.report(node.unreadable)
    }
}

struct JournalShowCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what a journal holds: segments, streams, holes.",
        discussion: "Every byte is read. Exit status 1 if something is damaged.")
    static let examples = ["relux journal show Auth", "relux journal show Auth --batches -n 20"]

    @Argument(help: "The module.", completion: Completions.journals) var module: String
    @Flag(help: "List the batches too.") var batches = false
    @Option(name: .short, help: ArgumentHelp("The number of last batches; all without it.", valueName: "count"), transform: CountArgument.parse)
    var n: Int?
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
            let end = try reader.end()
            while let more = try reader.next(before: end) {
                batches += more
                if let count, batches.count > 2 * max(0, count) { batches.removeFirst(batches.count - max(0, count)) }
            }
        } catch where error.code == .damaged {}
        return count.map { batches.suffix(max(0, $0)) } ?? batches
    }
}

struct JournalVerifyCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Reads every byte of journals; exit status 1 if something is damaged or cannot be read.")
    static let examples = ["relux journal verify", "relux journal verify Auth --json"]

    @Argument(help: "Modules; all without one.", completion: Completions.journals) var modules: [String] = []
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let node = try session.journals()
        let named = try Set(modules.map(ModuleID.checked))
        var unreadable = node.unreadable.filter { named.isEmpty || named.contains($0.module) }
        var listings = node.found.filter { !$0.segments.isEmpty }
        if !modules.isEmpty {
            let known = Set(unreadable.map(\.module.rawValue))
            listings = try modules.filter { !known.contains($0) }.map { name throws(CLIError) in try node.listing(of: name) }
        }
        var reports: [JournalReport] = []
        for listing in listings {
            do throws(JournalError) {
                reports.append(try JournalReport(directory: listing.directory, module: listing.module, environment: try .live()))
            } catch {
                guard error.code == .missing else {
                    unreadable.append(UnreadableJournal(listing.module, error))
                    continue
                }
                // Deleted just now, else.
                if !modules.isEmpty { throw CLIError(error) }
            }
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
        let status = session.report(unreadable)
        return reports.allSatisfy(\.faults.isEmpty) ? status : .failed
    }
}

extension CommandSession {
    /// The module's journal directory, which is there.
    func journal(_ name: String) throws(CLIError) -> (ModuleID, String) {
        let found = try journals().listing(of: name)
        return (found.module, found.directory)
    }

    func report(_ module: ModuleID, _ directory: String) throws(CLIError) -> JournalReport {
        try CLIError.journal { () throws(JournalError) in
            try JournalReport(directory: directory, module: module, environment: try .live())
        }
    }
}

extension CLIError {
    /// The answer of a journal, with its error in the tool's words.
    static func journal<Result>(_ body: () throws(JournalError) -> Result) throws(CLIError) -> Result {
        do { return try body() } catch { throw CLIError(error) }
    }

    init(_ error: JournalError) {
        let status: ExitStatus =
            switch error.code {
            case .missing: .notFound
            case .locked: .refused
            default: .failed
            }
        let place = error.position.map { ", byte \($0)" } ?? ""
        self.init(status, "journal.\(error.code)", "\(error.file)\(place): \(error.reason)", hint: error.remedy)
    }
}
