import Foundation
import Glibc
import ReluxBus
import ReluxSupervisor
import ReluxTap
import ReluxWire
import ReluxZeroMQ

/// What a command works with: where the cluster is, how to print, how to ask.
struct CommandSession {
    let console: Console
    let options: CommonOptions

    init(console: Console, options: CommonOptions) {
        self.console = console
        self.options = options
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

    func timeout(_ fallback: Duration) -> Duration { options.timeout?.duration ?? fallback }

    // MARK: Printing

    func print(_ line: String) { console.out(line) }

    func print(_ json: JSONValue) {
        console.out(json.text(pretty: format == .json && console.isTerminal))
    }

    /// Talk, for people.
    func say(_ line: String) {
        if !options.quiet { console.talk(line) }
    }

    /// An error that does not end the command.
    func report(_ error: CLIError) { CommandLineTool.report(error, asJSON: format.isJSON, console) }

    /// A plan on standard error, and a yes on a terminal or by flag.
    func confirm(plan: [String], yes: Bool) throws(CLIError) {
        for line in plan { console.talk("PLAN  \(line)") }
        if yes { return }
        guard console.isInputTerminal, console.isTerminal else {
            throw CLIError(.usage, "confirmation.needed", "this needs a yes", hint: "say --yes")
        }
        console.talk("Go on? [y/N]")
        guard let answer = try console.line()?.lowercased(), answer == "y" || answer == "yes" else {
            throw CLIError(.failed, "confirmation.denied", "nothing was done")
        }
    }

    // MARK: The cluster

    func location() throws(CLIError) -> ClusterLocation { try ClusterLocation(options: options, console: console) }

    /// A connection to the broker of the cluster, or the reason why there is none.
    func client() throws(CLIError) -> BrokerClient {
        let location = try location()
        if let fault = location.fault { say("the cluster's file is not heeded, and not needed for this: \(fault.message)") }
        return try BrokerClient(run: location.run, patience: timeout(.seconds(3)), packed: packedModules, onWait: { say("waiting for \($0)") })
    }

    /// The module of that name, and the status that has it; while the cluster has not said yet what belongs to it, that is waited for.
    func module(named name: String, _ client: borrowing BrokerClient) throws(CLIError) -> (module: ClusterStatus.Module, status: ClusterStatus) {
        let clock = ContinuousClock()
        let end = clock.now + timeout(.seconds(10))
        var isSaid = false
        while true {
            let status = try status(client)
            if status.phase != "idle" || clock.now >= end || status.modules.contains(where: { $0.id.rawValue == name }) {
                return (try status.module(named: name, packed: packedModules()), status)
            }
            if !isSaid { say("waiting for the cluster to start") }
            isSaid = true
            usleep(50_000)
        }
    }

    func status(_ client: borrowing BrokerClient) throws(CLIError) -> ClusterStatus {
        guard case .status(let status) = try client.ask(.status, timeout: timeout(.seconds(5))) else {
            throw .strangeAnswer("status")
        }
        return status
    }

    func path(_ text: String) -> String {
        let absolute = text.hasPrefix("/") ? text : console.workingDirectory + "/" + text
        return URL(fileURLWithPath: absolute).standardizedFileURL.path
    }
}
