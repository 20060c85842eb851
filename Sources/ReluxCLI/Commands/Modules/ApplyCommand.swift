import ArgumentParser
import Foundation
import ReluxControl
import ReluxSupervisor
import ReluxTap
import ReluxWire

struct ApplyCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Carries out in the running cluster what its file says otherwise.",
        discussion: """
            What the file names more is loaded, what it names no more is unloaded, what it has in another process is moved, and a host whose \
            environment, executable or restart it changes is restarted with that. Versions are none of it: relux module upgrade. Where something \
            is unloaded or restarted, --yes is needed.
            """)
    static let examples = ["relux apply --plan", "relux apply --config deploy/cluster.yaml --yes"]

    @Flag(name: [.customLong("plan"), .customLong("dry-run")], help: "Say what would be done.") var plan = false
    @Flag(help: "Also unload and restart without asking.") var yes = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let configuration = try session.location().configuration(for: "`apply`")
        try MisplacedPlugin.refuse(configuration)
        let client = try session.client()
        let differences = try session.differences(configuration, client)
        let steps = differences.map(\.step).filter { $0 != .none }
        let lines = try self.lines(differences, session, client)
        if plan {
            session.printLines(lines, .plan)
            if lines.isEmpty { session.say("the cluster is as its file says: there is nothing to carry out") }
            return .ok
        }
        for step in steps { try step.checkExecutable() }
        for note in EnvironmentNames.notes(of: configuration) { session.say("note: \(TerminalText.escaped(note))") }
        if steps.contains(where: \.needsYes) {
            try session.confirm(plan: lines, yes: yes)
        } else {
            for line in lines { session.say("PLAN  \(TerminalText.escaped(line))") }
        }
        for step in steps { try carryOut(step, session, client) }
        let (count, left) = try carryOutRest(behind: differences, configuration, session, client)
        _ = try session.differences(configuration, client, isCarriedOut: true)
        // Else the steps have printed it.
        if session.format.isJSON, steps.count + count == 0 { session.printLines([], .done) }
        switch (steps.count + count, left.isEmpty) {
        case (0, true): session.say("there is nothing to carry out")
        case (let count, true): session.say("\(count) carried out: the cluster is as its file says")
        case (let count, false): session.say("\(count) carried out; what is left:\n" + left.map { TerminalText.escaped($0.text) }.joined(separator: "\n"))
        }
        return .ok
    }

    /// For each difference, the step that is taken and the effects that are lost by it.
    private func lines(_ differences: [MembershipDifference], _ session: CommandSession, _ client: borrowing BrokerClient) throws(CLIError) -> [String] {
        let status = differences.contains { $0.step.removed != nil } ? try session.status(client) : nil
        var lines: [String] = []
        for difference in differences {
            lines.append((difference.step.plan ?? "leave     ") + difference.text)
            if let status, let module = difference.step.removed { lines += try session.losses(byRemoving: module, status) }
        }
        return lines
    }

    /// Carries out the steps that come to light by those before: a moved module has another process only then, which may run with other settings.
    ///
    /// - Returns: how many steps more were carried out, and in what the cluster differs from its file after that.
    private func carryOutRest(
        behind first: [MembershipDifference], _ configuration: ClusterConfiguration, _ session: CommandSession, _ client: borrowing BrokerClient
    ) throws(CLIError) -> (count: Int, left: [MembershipDifference]) {
        var (count, last) = (0, first)
        while true {
            let next = try session.differences(configuration, client)
            let steps = next.map(\.step).filter { $0 != .none }
            guard next != last, !steps.isEmpty, yes || !steps.contains(where: \.needsYes) else { return (count, next) }
            for line in try lines(next.filter { $0.step != .none }, session, client) { session.say("PLAN  \(TerminalText.escaped(line))") }
            for step in steps { try step.checkExecutable() }
            for step in steps { try carryOut(step, session, client) }
            (count, last) = (count + steps.count, next)
        }
    }

    /// - Throws: also when what was loaded is refused; what comes behind it is not done then.
    private func carryOut(_ step: MembershipDifference.Step, _ session: CommandSession, _ client: borrowing BrokerClient) throws(CLIError) {
        let fallback = "done"
        switch step {
        case .none: break
        case .load(let host):
            try session.done(.load(host: host, dryRun: false, takesServed: true), client, planned: false, fallback: fallback)
            for module in host.modules { _ = try ModuleWait(module: module).run(session, client) }
        case .unload(let module):
            try session.done(.unload(module: module, yes: true), client, planned: false, fallback: fallback, timeout: .seconds(20))
        case .move(let module, let host):
            try session.done(.move(module: module, to: host, dryRun: false), client, planned: false, fallback: fallback, timeout: .seconds(150))
        case .configure(let host): try session.done(.configure(host: host), client, planned: false, fallback: fallback)
        }
    }
}

extension HostSpec {
    /// By the names of its directories, `<module>/<version>`.
    var modules: [ModuleID] { plugins.compactMap { $0.split(separator: "/").dropLast().last.flatMap { ModuleID(rawValue: String($0)) } } }
}

extension MembershipDifference.Step {
    /// The first word of its line in a plan; nil when nothing follows.
    fileprivate var plan: String? {
        switch self {
        case .none: nil
        case .load: "load      "
        case .unload: "remove    "
        case .move: "move      "
        case .configure: "restart   "
        }
    }

    /// The module that it takes out.
    fileprivate var removed: ModuleID? { if case .unload(let module) = self { module } else { nil } }

    /// A host that nobody could start is not taken out of its process first.
    fileprivate func checkExecutable() throws(CLIError) {
        let host: HostSpec
        switch self {
        case .load(let spec), .configure(let spec): host = spec
        case .none, .unload, .move: return
        }
        try host.checkExecutable("nothing is carried out")
    }

    /// Whether something ends by it.
    fileprivate var needsYes: Bool {
        switch self {
        case .none, .load, .move: false
        case .unload, .configure: true
        }
    }
}

extension CommandSession {
    /// In what a cluster that runs differs from its file.
    ///
    /// - Parameter isCarriedOut: the file's differences were carried out, or are meant.
    func differences(
        _ configuration: ClusterConfiguration, _ client: borrowing BrokerClient, isCarriedOut: Bool = false
    ) throws(CLIError) -> [MembershipDifference] {
        try membershipDifferences(configuration, client, isCarriedOut: isCarriedOut) + settingsDifferences(configuration).map { MembershipDifference($0) }
    }

    /// In which members, places and versions.
    func membershipDifferences(
        _ configuration: ClusterConfiguration, _ client: borrowing BrokerClient, isCarriedOut: Bool = false
    ) throws(CLIError) -> [MembershipDifference] {
        let body = ClientRequest.Body.compare(file: configuration.hosts, isCarriedOut: isCarriedOut)
        guard case .differences(let differences) = try client.ask(body, timeout: timeout(.seconds(10))) else { throw .strangeAnswer("compare") }
        return differences
    }

    /// Says of each of the modules which build of it is packed and does not serve; nothing where no cluster's file is known.
    func sayUnserved(_ modules: [ModuleID], _ client: borrowing BrokerClient) throws(CLIError) {
        guard let configuration = (try? location())?.configuration else { return }
        for difference in try membershipDifferences(configuration, client) where difference.unserved.map(modules.contains) == true {
            say(TerminalText.escaped(difference.text))
        }
    }

    /// In which settings the file says something else than when the cluster was started; nothing but a start takes them up.
    func settingsDifferences(_ configuration: ClusterConfiguration) -> [String] {
        let inForce = SettingsInForce(RunDirectory(path: configuration.directory)).values
        return configuration.effective.compactMap { setting in
            guard setting.key != "cluster.directory", let value = inForce[setting.key], value != setting.value else { return nil }
            return "\(setting.key) is \(value) since the start, and \(setting.value) now (\(setting.origin)): relux down and relux up take it up"
        }
    }
}

extension HostSpec {
    /// - Throws: when its process is to be made of something that is no program.
    func checkExecutable(_ outcome: String) throws(CLIError) {
        var isFolder: ObjCBool = false
        guard !executable.isEmpty else { return }
        if FileManager.default.isExecutableFile(atPath: executable), FileManager.default.fileExists(atPath: executable, isDirectory: &isFolder), !isFolder.boolValue {
            return
        }
        throw CLIError(
            .notFound, "host.executable", "\(outcome): \(executable), the executable of host \(id) in the cluster's file, is no executable",
            hint: "build it, or mend the file")
    }
}
