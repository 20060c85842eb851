import ArgumentParser
import Glibc
import ReluxControl
import ReluxWire

struct DeadLetterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dlq", abstract: "Lists, shows, retries and drops effects that were given up.",
        discussion: """
            An effect whose handler has ended its module's process again and again, or that its handler cannot decode, is settled as dead \
            and kept in the module's journal. ls and show work without a running cluster.
            """,
        subcommands: [
            DeadLetterListCommand.self, DeadLetterShowCommand.self, DeadLetterRetryCommand.self, DeadLetterDropCommand.self,
        ])
}

struct DeadLetterListCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists dead letters that nobody has dealt with.",
        discussion: "Exit status 1 if a journal cannot be read; the letters of the others are listed all the same.")
    static let examples = ["relux dlq ls", "relux dlq ls --all --json | jq '.letters[] | {effect, reason}'"]

    @Option(help: "Only those of this module.", completion: Completions.modules) var module: String?
    @Flag(help: "Those that were retried or dropped too.") var all = false
    @OptionGroup var list: ListOptions
    @OptionGroup var watch: WatchOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        try watch.run(session) { session throws(CLIError) in try show(session) }
    }

    private func show(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let (found, unreadable) = try session.letters(of: module)
        let meant = found.filter { all || $0.record.resolution == .open }
        let letters = try list.select(meant) { DeadLetterOutput.json($0) }
        switch session.format {
        case .json:
            session.print(
                .object([
                    .init("schema", "relux.deadLetters/1"), .init("letters", .array(letters.map { DeadLetterOutput.json($0) })),
                ]))
        case .ndjson: for letter in letters { session.print(DeadLetterOutput.json(letter)) }
        case .name: for letter in letters { session.print("\(letter.record.effect)") }
        case .table, .wide:
            for line in DeadLetterOutput.table(letters, wide: session.format == .wide, session.style) { session.print(line) }
        }
        if meant.isEmpty { session.say("there are no dead letters" + (unreadable.isEmpty ? "" : " in what could be read")) }
        return session.report(unreadable)
    }
}

struct DeadLetterShowCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows a dead letter with its cause, its payload and the crash that it led to.")
    static let examples = ["relux dlq show Auth#3.42", "relux dlq show Auth#3.42 --module Notes --json"]

    @Argument(help: "The effect's id.", completion: Completions.deadLetters) var effect: String
    @Option(help: "The module that gave it up, when several did.", completion: Completions.modules) var module: String?
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let letter = try session.letter(effect, of: module)
        let crashes = try session.crashReports(of: letter)
        switch session.format {
        case .json, .ndjson: session.print(DeadLetterOutput.json(letter, crashes: crashes))
        case .name: session.print("\(letter.record.effect)")
        case .table, .wide: for line in DeadLetterOutput.lines(letter, crashes) { session.print(line) }
        }
        return .ok
    }
}

struct DeadLetterRetryCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Emits the payload of a dead letter again, as a new effect.",
        discussion: """
            It comes from the ingress, goes to all recipients that its topic has now, its label names the old id, and it says the contract that \
            the effect was said under. The letter is then \
            marked as retried, whatever becomes of the new effect. The module that gave it up must have a process.
            """)
    static let examples = ["relux dlq retry Auth#3.42", "relux dlq retry Auth#3.42 --dry-run"]

    @Argument(help: "The effect's id.", completion: Completions.deadLetters) var effect: String
    @Option(help: "The module that gave it up, when several did.", completion: Completions.modules) var module: String?
    @Option(help: ArgumentHelp("How long its recipients may take.", valueName: "duration"), transform: DurationArgument.init)
    var deadline: DurationArgument?
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let letter = try session.openLetter(effect, of: module)
        let client = try session.client()
        try session.requireProcess(of: letter.module, to: "note it in its journal", client)
        if dryRun {
            session.printLines(["emit      \(letter.effect)  again, for \(letter.record.effect)"], .plan)
            return .ok
        }
        let wait = deadline?.duration ?? session.options.timeout?.duration ?? .seconds(30)
        let request = ClientRequest.Body.emit(
            topic: letter.record.topic, payload: ByteString(Array(letter.record.payload)),
            deadlineMilliseconds: UInt64(wait / .milliseconds(1)), label: "retry of \(letter.record.effect)",
            contract: letter.record.contractFingerprint == 0 ? nil : letter.record.contractFingerprint)
        guard case .emitted(let answer) = try client.ask(request, timeout: wait + .seconds(1), patience: wait) else {
            throw .strangeAnswer("emit")
        }
        EmitOutput.print(answer, effect: letter.effect, trace: nil, session)
        try session.resolve(letter, as: .retried, client)
        return EmitOutput.status(of: answer)
    }
}

struct DeadLetterDropCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop", abstract: "Marks a dead letter as dropped: nobody wants the effect any more.",
        discussion: "It stays in the journal; ls --all and show have it. The module that gave it up must have a process.")
    static let examples = ["relux dlq drop Auth#3.42 --yes", "relux dlq drop Auth#3.42 --dry-run"]

    @Argument(help: "The effect's id.", completion: Completions.deadLetters) var effect: String
    @Option(help: "The module that gave it up, when several did.", completion: Completions.modules) var module: String?
    @Flag(help: "Do it without a question.") var yes = false
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let letter = try session.openLetter(effect, of: module)
        let plan = ["drop      \(letter.record.effect)  \(letter.effect), given up by \(letter.module)"]
        if dryRun {
            session.printLines(plan, .plan)
            return .ok
        }
        let client = try session.client()
        try session.requireProcess(of: letter.module, to: "note it in its journal", client)
        try session.confirm(plan: plan, yes: yes)
        try session.resolve(letter, as: .dropped, client)
        session.printLines(["\(letter.record.effect) is dropped"], .done)
        return .ok
    }
}

extension CommandSession {
    fileprivate func resolve(
        _ letter: DeadLetter, as resolution: DeadRecord.Resolution, _ client: borrowing BrokerClient
    ) throws(CLIError) {
        let request = ClientRequest.Body.resolve(
            module: letter.module, effect: letter.record.effect, resolution: resolution)
        do throws(CLIError) {
            // Whatever the emission took: a letter that stays open is emitted once more.
            guard case .done = try client.ask(request, timeout: .seconds(10)) else { throw .strangeAnswer("resolve") }
        } catch {
            throw CLIError(
                error.status, "dlq.unmarked", "the letter of \(letter.record.effect) may not be marked as \(resolution): \(error.message)",
                hint: "see `relux dlq ls --all`" + (resolution == .retried ? "; the effect was emitted again" : ""))
        }
    }
}
