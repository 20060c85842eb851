import ArgumentParser
import Relux
import ReluxControl
import ReluxPlugin
import ReluxTap
import ReluxWire

struct EffectSendCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "send", abstract: "Emits an effect, waits for its recipients and prints their results.",
        discussion: """
            The JSON is checked against the contract before anything is emitted. '-' reads it from standard input. \
            Fields of type Secret are sealed with the cluster's key before they leave this process. \
            A recipient that is known to be absent is not waited for: it is printed as parked, with the reason, and handles \
            the effect when it is back.
            """)
    static let examples = [
        "relux effect send Profile.Business.Effect.fetchProfile '{\"userId\": \"u7\"}' --trace",
        "relux effect send Auth.Business.Effect.login '{\"name\": \"ada\"}' --secret password < password.txt",
    ]

    @Argument(help: "Topic and case, such as Auth.Business.Effect.login.", completion: Completions.effects) var effect: String
    @Argument(help: "The fields as a JSON object; - reads standard input.") var json: String = "{}"
    @Option(help: ArgumentHelp("A note that travels with the effect.", valueName: "text")) var label: String = ""
    @Option(help: ArgumentHelp("How long its recipients may take.", valueName: "duration"), transform: DurationArgument.init)
    var deadline: DurationArgument?
    @Option(help: ArgumentHelp("Reads this field's value as a line of standard input; repeatable.", valueName: "field"))
    var secret: [String] = []
    @Flag(help: "Waits for recipients that are known to be absent too.") var everyone = false
    @Flag(help: "Taps the cluster meanwhile and prints what followed from the effect.") var trace = false
    @Flag(help: "Checks the effect and emits nothing.") var dryRun = false
    @OptionGroup var common: CommonOptions

    private static let defaultDeadline: Duration = .seconds(30)

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let given = try input(session)
        let client = try session.client()
        let catalog = try ContractCatalog.fetch(client, session)
        let target: ContractCatalog.Target
        do { target = try catalog.target(effect) } catch {
            let status = try session.status(client)
            // An orchestrator may hear what a module said that is no more.
            throw session.absentModule(of: effect, status) ?? catalog.unwritten(effect, status) ?? error
        }
        for name in secret { try PayloadWriter.check(field: name, of: target) }
        let fields = try withSecrets(given, session)
        let key = ClusterKey(try session.location().run)
        let writer = PayloadWriter { plain throws(CLIError) in try Self.seal(plain, key) }
        let payload = try writer.payload(of: target, from: fields)
        if dryRun {
            session.say("\(effect) fits its contract; nothing was emitted")
            if session.format.isJSON {
                session.print(
                    .object([.init("schema", "relux.effect.plan/1"), .init("effect", .string(effect)), .init("fits", true)]))
            }
            return .ok
        }
        let wait = deadline?.duration ?? session.options.timeout?.duration ?? Self.defaultDeadline
        let request = ClientRequest.Body.emit(
            topic: target.topic, payload: ByteString(payload), deadlineMilliseconds: UInt64(wait / .milliseconds(1)),
            label: label, contract: catalog.fingerprint(of: target.topic)?.rawValue, everyone: everyone ? true : nil)
        let order = FieldOrder(catalog.topics)
        var follower = trace ? try TraceFollower(session.status(client).picture, order) : nil
        // The ingress answers at the deadline by itself; the rest is for its way.
        guard case .emitted(let answer) = try client.ask(request, timeout: wait + .seconds(1), patience: wait) else {
            throw .strangeAnswer("emit")
        }
        EmitOutput.print(answer, effect: effect, trace: try follower?.tree(of: answer.effect), order: order, session)
        sayMode(of: answer, client, session)
        return EmitOutput.status(of: answer)
    }

    /// An orchestrator answers nothing: that its own effect has put it into a mode that no action knows is in its barrier's state.
    private func sayMode(of answer: EmitAnswer, _ client: borrowing BrokerClient, _ session: CommandSession) {
        // A domain's topics have a layer more, and it answers for itself.
        guard let outcome = answer.outcomes.first, answer.outcomes.count == 1, effect.hasPrefix("\(outcome.recipient)."), !effect.contains(".Business."),
            case .status(let status)? = try? client.ask(.status, timeout: .seconds(1)),
            let barrier = status.barriers.first(where: { $0.module == outcome.recipient }), let mode = StatusOutput.mode(barrier)
        else { return }
        session.say("\(barrier.module): \(mode.text); \(mode.remedy)")
    }

    private func input(_ session: CommandSession) throws(CLIError) -> JSONValue {
        if json == "-", !secret.isEmpty {
            throw CLIError(
                .usage, "effect.input", "standard input cannot be both the JSON and a secret's value",
                hint: "give the JSON as an argument")
        }
        let text = Self.withoutMark(json == "-" ? try session.console.text() : json)
        do {
            return try JSONValue(parsing: text)
        } catch {
            throw CLIError(.usage, "effect.json", error.message, hint: json == "-" ? "it was read from standard input" : "put the object into single quotes, or give it on standard input and - here")
        }
    }

    /// The fields with those that are read from standard input.
    private func withSecrets(_ fields: JSONValue, _ session: CommandSession) throws(CLIError) -> JSONValue {
        guard case .object(var members) = fields else { return fields }
        for name in secret {
            if session.console.isInputTerminal { session.say("\(name):") }
            guard let line = try session.console.line(hidden: true) else {
                throw CLIError(.usage, "effect.input", "standard input ended before the value of '\(name)'")
            }
            guard line.unicodeScalars.first != Self.byteOrderMark else {
                throw CLIError(
                    .usage, "effect.input", "the value of '\(name)' begins with a byte order mark (U+FEFF), which nobody sees and which would be a part of it",
                    hint: "write the file without one")
            }
            members.removeAll { $0.key == name }
            members.append(.init(name, .string(line)))
        }
        return .object(members)
    }

    /// Says of a text that it is UTF-8, and is no part of it.
    private static let byteOrderMark: Unicode.Scalar = "\u{FEFF}"

    private static func withoutMark(_ text: String) -> String {
        text.unicodeScalars.first == byteOrderMark ? String(text.unicodeScalars.dropFirst()) : text
    }

    private static func seal(_ plain: [UInt8], _ key: ClusterKey) throws(CLIError) -> [UInt8] {
        do {
            return try key.open().seal(plain)
        } catch {
            let message = (error as? Relux.Failure)?.message ?? "\(error)"
            throw CLIError(
                .failed, "effect.sealing", "the secret was not sealed: \(message)",
                hint: "run relux as the user who started the cluster, on its node")
        }
    }
}
