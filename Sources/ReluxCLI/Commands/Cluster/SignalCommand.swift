import ArgumentParser
import Glibc
import Relux
import ReluxControl
import ReluxOrchestration
import ReluxOutput
import ReluxPlugin
import ReluxTap
import ReluxWire

struct SignalCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signal", abstract: "Lists and completes signals that actions wait for.",
        discussion: "An action that a module contributes to an orchestrator may wait until somebody says that something is done.",
        subcommands: [SignalListCommand.self, SignalCompleteCommand.self])
}

struct SignalListCommand: SessionCommand {
    static let configuration = CommandConfiguration(commandName: "ls", abstract: "Lists the completion signals of all modules.")
    static let examples = ["relux signal ls", "relux signal ls --json | jq '.signals[] | select(.waiting > 0)'"]

    @OptionGroup var list: ListOptions
    @OptionGroup var watch: WatchOptions
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        try watch.run(session) { session throws(CLIError) in try show(session) }
    }

    private func show(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let found = try session.signals(try session.client())
        let signals = try list.select(found.signals, \.json)
        switch session.format {
        case .json:
            session.print(
                .object([.init("schema", "relux.signals/1"), .init("signals", .array(signals.map(\.json)))]))
        case .ndjson: for signal in signals { session.print(signal.json) }
        case .name: for signal in signals { session.print(signal.state.name) }
        case .table, .wide:
            var table = TextTable(["SIGNAL", "MODULE", "STATE", "WAITING"])
            for signal in signals {
                table.add([
                    signal.state.name, signal.module.rawValue, signal.state.isComplete ? "complete" : "open", "\(signal.state.waiters)",
                ])
            }
            if !signals.isEmpty {
                let style = session.style
                for line in table.lines(paint: { row, _, text in row == 0 ? style(text, .dim) : text }) { session.print(line) }
            }
        }
        if found.signals.isEmpty { session.say((found.silent.isEmpty ? "no module" : "none of those that have answered") + " has a completion signal open") }
        found.sayAbsent(session)
        guard found.silent.isEmpty else { throw .silent(found.silent) }
        return .ok
    }
}

struct SignalCompleteCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "complete", abstract: "Completes a signal: what waits for it goes on.",
        discussion: """
            A signal is completed once. As long as its module keeps it, completing it again does nothing and is no error. A signal that is not \
            open yet, or is closed because what waited for it has gone on, is not found: status 3.
            """)
    static let examples = ["relux signal complete onboarding", "relux signal complete onboarding --module Settings --dry-run"]

    @Argument(help: "The signal's name.", completion: Completions.signals) var name: String
    @Option(help: "The module that has it, when several have one of the name.", completion: Completions.modules) var module: String?
    @Flag(help: "Say what would be done.") var dryRun = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let client = try session.client()
        let found = try session.signals(client)
        let meant = found.signals.filter { $0.state.name == name && (module == nil || $0.module.rawValue == module) }
        guard let signal = meant.first else {
            guard found.silent.isEmpty else { throw .silent(found.silent) }
            if let module { _ = try session.module(named: module, client) }
            found.sayAbsent(session)
            throw CLIError(
                .notFound, "signal.none", "no signal '\(name)' is open" + (module.map { " in \($0)" } ?? ""),
                hint: found.hint(for: name))
        }
        guard meant.count == 1 else {
            throw CLIError(
                .usage, "signal.ambiguous", "\(meant.map(\.module.rawValue).joined(separator: " and ")) have a signal '\(name)'",
                hint: "name one with --module")
        }
        if dryRun {
            let waiting = signal.state.waiters
            session.printLines(["complete  \(name) of \(signal.module), for which \(waiting) wait"], .plan)
            return .ok
        }
        let answer = try session.ask(.complete(signal: name, owner: signal.module), client) { answer in
            answer.hasHeard(signal.module) ? [] : [signal.module]
        }
        guard let completed = answer.values(Bool.self).first(where: { $0.module == signal.module })?.value else {
            if let why = answer.parked[signal.module] { throw .parked(signal.module, why) }
            throw .silent([signal.module])
        }
        session.printLines(
            [completed ? "\(name) of \(signal.module) is complete" : "\(name) of \(signal.module) was complete already"], .done)
        return .ok
    }
}

/// The answers of all modules about their signals.
struct FoundSignals {
    /// By name and module.
    let signals: [FoundSignal]
    /// The modules that have not answered: not in time, or because they were gone just then. Sorted.
    let silent: [ModuleID]
    /// The modules that were not asked, and why each is absent: nobody waits for a signal there.
    let absent: [ModuleID: String]

    /// - Parameter asked: the members that are to answer.
    init(_ answer: EmitAnswer, asked: Set<ModuleID>) {
        signals = answer.values([SignalState].self).flatMap { module, states in states.map { FoundSignal(module: module, state: $0) } }
            .sorted { ($0.state.name, $0.module) < ($1.state.name, $1.module) }
        absent = answer.parked
        silent = asked.union(answer.outcomes.map(\.recipient)).filter { !answer.hasHeard($0) }.sorted()
    }

    /// A hint at the signal that was probably meant by the name of one that is not open where it was looked for.
    fileprivate func hint(for name: String) -> String {
        if let other = signals.first(where: { $0.state.name == name }) { return "\(other.module) has one of that name" }
        return signals.isEmpty ? "`relux signal ls` shows those that are" : NearestName.hint(name, among: signals.map(\.state.name))
    }

    func sayAbsent(_ session: CommandSession) {
        for (module, why) in absent.sorted(by: { $0.key < $1.key }) { session.say("\(module) is absent and was not asked: \(why)") }
    }
}

/// A signal and whose it is.
struct FoundSignal {
    let module: ModuleID
    let state: SignalState

    var json: JSONValue {
        .object([
            .init("name", .string(state.name)), .init("module", .string(module.rawValue)), .init("complete", .bool(state.isComplete)),
            .init("waiting", .integer(Int128(state.waiters))),
        ])
    }
}

extension CommandSession {
    /// The time after which a question to all modules is asked again: it is lost with a connection that is just being made.
    private static let questionTime: Duration = .seconds(1)
    private static let pauseMicroseconds: UInt32 = 100_000

    fileprivate func signals(_ client: borrowing BrokerClient) throws(CLIError) -> FoundSignals {
        // The status says which modules are to answer: an answer from nobody is no empty list.
        let members = try status(client).picture.members
        let asked = Set(members.filter { $0.absence == nil && $0.handles.contains(Orchestration.Business.Request.wireTopic) }.map(\.module))
        return FoundSignals(try ask(.signals, client) { FoundSignals($0, asked: asked).silent }, asked: asked)
    }

    /// Asks, and while somebody is silent, once more until the time is over: a module that is coming back is lost to a question at once.
    fileprivate func ask(
        _ request: Orchestration.Business.Request, _ client: borrowing BrokerClient, silent: (EmitAnswer) -> [ModuleID]
    ) throws(CLIError) -> EmitAnswer {
        let clock = ContinuousClock()
        let end = clock.now + timeout(.seconds(5))
        var named: [ModuleID] = []
        while true {
            let left = max(clock.now.duration(to: end), .milliseconds(1))
            let answer = try emit(request, client, within: min(left, Self.questionTime), patience: left)
            let silent = silent(answer)
            if silent.isEmpty || clock.now >= end { return answer }
            if silent != named { say("waiting for \(silent.map(\.rawValue).joined(separator: ", ")) to answer") }
            named = silent
            usleep(Self.pauseMicroseconds)
        }
    }

    private func emit(
        _ request: Orchestration.Business.Request, _ client: borrowing BrokerClient, within wait: Duration, patience: Duration
    ) throws(CLIError) -> EmitAnswer {
        let payload: [UInt8]
        do { payload = try CBOR.encode(request) } catch {
            throw CLIError(.usage, "signal.name", "the signal's name could not be coded: \(error)")
        }
        let body = ClientRequest.Body.emit(
            topic: Orchestration.Business.Request.wireTopic, payload: ByteString(payload),
            deadlineMilliseconds: UInt64(max(1, wait / .milliseconds(1))), label: "relux signal",
            contract: PlatformContracts.fingerprints[Orchestration.Business.Request.wireTopic]?.rawValue)
        guard case .emitted(let answer) = try client.ask(body, timeout: wait + .seconds(1), patience: patience) else { throw .strangeAnswer("emit") }
        return answer
    }
}

extension EmitAnswer {
    /// The absent modules, each with the reason.
    fileprivate var parked: [ModuleID: String] {
        Dictionary(outcomes.filter { $0.status == .parked }.map { ($0.recipient, $0.message) }) { $1 }
    }

    /// Whether the module has answered, or is known to be absent.
    fileprivate func hasHeard(_ module: ModuleID) -> Bool {
        outcomes.contains { $0.recipient == module && ($0.status == .succeeded || $0.status == .parked) }
    }

    /// The values of that type that modules have answered.
    fileprivate func values<Value: Decodable>(_ type: Value.Type) -> [(module: ModuleID, value: Value)] {
        outcomes.compactMap { outcome in
            guard outcome.status == .succeeded, !outcome.value.bytes.isEmpty,
                let value = try? CBOR.decode(type, from: outcome.value.bytes)
            else { return nil }
            return (outcome.recipient, value)
        }
    }
}

extension CLIError {
    fileprivate static func parked(_ module: ModuleID, _ why: String) -> Self {
        Self(.failed, "signal.parked", "\(module) is absent: \(why)", hint: "see `relux module why-not \(module)`")
    }

    fileprivate static func silent(_ modules: [ModuleID]) -> Self {
        Self(
            .timeout, "signal.unanswered", "\(modules.map(\.rawValue).joined(separator: ", ")) did not answer in time",
            hint: "see `relux status`; --timeout gives them longer")
    }
}
