import Foundation
import Glibc
import ReluxControl
import ReluxSupervisor
import ReluxTap
import ReluxWire
import ReluxZeroMQ
import Synchronization

/// The means of a command: where the cluster is, how to print, how to ask.
struct CommandSession {
    let console: Console
    let options: CommonOptions
    private let said = Said()
    private let start: ContinuousClock.Instant

    private final class Said: Sendable {
        let lines = Mutex<Set<String>>([])
        /// The time that a person took to answer.
        let thought = Mutex(Duration.zero)
        /// Why the template of `-o jsonpath` could not be filled in.
        let fault = Mutex<CLIError?>(nil)
        let hasDocument = Mutex(false)
    }

    init(console: Console, options: CommonOptions, start: ContinuousClock.Instant = .now) {
        self.console = console
        self.options = options
        self.start = start
    }

    var format: OutputFormat { options.format }

    var style: TerminalStyle {
        switch options.color {
        case .always: TerminalStyle(hasColor: true)
        case .never: .plain
        case .auto:
            TerminalStyle(
                hasColor: console.isTerminal && (console.environment["NO_COLOR"] ?? "").isEmpty
                    && console.environment["TERM"] != "dumb")
        }
    }

    /// An answer of a broker that is there has that much in any case.
    private static let moment = Duration.seconds(2)

    /// The time that a wait may take: what `--timeout` has left for the whole command, else the fallback.
    func timeout(_ fallback: Duration) -> Duration {
        guard let limit = options.timeout?.duration else { return fallback }
        let gone = start.duration(to: .now) - said.thought.withLock { $0 }
        // Errors print this time: at the start of the command it is the value that the user gave.
        return gone < limit / 20 ? limit : max(limit - gone, min(limit, Self.moment))
    }

    // MARK: Printing

    func print(_ line: String) { console.out(line) }

    func print(_ json: JSONValue) {
        switch options.document {
        case .json: console.out(json.text(pretty: format == .json && console.isTerminal))
        case .yaml:
            // Several documents are one stream.
            if said.hasDocument.withLock({ let had = $0; $0 = true; return had }) { console.out("---") }
            console.out(json.yaml)
        case .path(let path):
            do throws(JSONPath.Fault) {
                // Its own ends of lines count, and one at the end is the line's.
                let text = try path.text(of: json)
                console.out(text.hasSuffix("\n") ? String(text.dropLast()) : text)
            } catch {
                said.fault.withLock { $0 = Self.error(error) }
            }
        case .broken: break
        }
    }

    private static func error(_ fault: JSONPath.Fault) -> CLIError {
        CLIError(.usage, "usage.jsonpath", "-o jsonpath: \(fault.message)", hint: fault.hint)
    }

    /// - Throws: a template that cannot be read, before anything is done.
    func mustBeLegible() throws(CLIError) {
        if case .broken(let fault) = options.document { throw Self.error(fault) }
    }

    /// - Throws: what was asked of a document in vain, after all has been printed that could be.
    func mustHaveFound() throws(CLIError) {
        if let fault = said.fault.withLock({ $0 }) { throw fault }
    }

    /// Talk, for people.
    func say(_ line: String) {
        if !options.quiet { console.talk(line) }
    }

    /// The same once for the whole command, however often it comes up.
    func sayOnce(_ line: String) {
        if said.lines.withLock({ $0.insert(line).inserted }) { say(line) }
    }

    /// An error that does not end the command.
    func report(_ error: CLIError) { CommandLineTool.report(error, asJSON: options.isJSON, console) }

    /// A plan on standard error, and a yes on a terminal or by flag.
    func confirm(plan: [String], yes: Bool) throws(CLIError) {
        for line in plan { console.talk("PLAN  \(line)") }
        if yes { return }
        guard console.isInputTerminal, console.isTerminal else {
            throw CLIError(.usage, "confirmation.needed", "this needs a yes", hint: "say --yes")
        }
        console.talk("Go on? [y/N]")
        let asked = ContinuousClock.now
        let line = try console.line()
        said.thought.withLock { $0 += asked.duration(to: .now) }
        guard let answer = line?.lowercased(), answer == "y" || answer == "yes" else {
            throw CLIError(.failed, "confirmation.denied", "nothing was done")
        }
    }

    // MARK: The cluster

    /// Says once where it was told different things.
    func location() throws(CLIError) -> ClusterLocation {
        let location = try ClusterLocation(options: options, console: console)
        if let conflict = location.conflict { sayOnce(conflict) }
        return location
    }

    /// A connection to the broker of the cluster, or the reason why there is none.
    func client() throws(CLIError) -> BrokerClient {
        let location = try location()
        if let fault = location.fault { sayOnce("the cluster's file is not heeded, and not needed for this: \(fault.message)") }
        return try BrokerClient(run: location.run, patience: timeout(.seconds(3)), packed: packedModules, onWait: { sayOnce("waiting for \($0)") })
    }

    /// The module of that name, and the status that has it.
    func module(named name: String, _ client: borrowing BrokerClient) throws(CLIError) -> (module: ClusterStatus.Module, status: ClusterStatus) {
        let status = try status(client)
        return (try status.module(named: name, packed: packedModules()), status)
    }

    /// The broker's knowledge of its cluster. An empty list is no answer of a broker that nobody has told yet what belongs to the cluster: that is
    /// waited for, and the phase tells it to a caller that has no more time.
    func status(_ client: borrowing BrokerClient) throws(CLIError) -> ClusterStatus {
        let clock = ContinuousClock()
        let limit = timeout(.seconds(5))
        let end = clock.now + limit
        var isSaid = false
        while true {
            guard case .status(let status) = try client.ask(.status, timeout: limit) else { throw .strangeAnswer("status") }
            if status.phase != .idle || clock.now >= end { return status.knowingEnds }
            if !isSaid { say("waiting for the cluster to start") }
            isSaid = true
            usleep(50_000)
        }
    }

    func path(_ text: String) -> String {
        let absolute = text.hasPrefix("/") ? text : console.workingDirectory + "/" + text
        return URL(fileURLWithPath: absolute).standardizedFileURL.path
    }
}
