import ArgumentParser
import Foundation
import Glibc
import ReluxControl
import ReluxJournal
import ReluxOutput
import ReluxPlugin
import ReluxRegistry
import ReluxSupervisor
import ReluxTap
import ReluxWire

struct UpCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Starts the cluster and waits until its modules are ready.",
        discussion: """
            Who is a member, where and in which version, is what the cluster's registry remembers: what was loaded, moved, upgraded, rolled back \
            or unloaded while it ran is so again. Each difference from the cluster's file is named, with what is done about it; of a cluster that \
            runs, relux apply carries them out. The supervisor goes on by itself, its output in <run>/logs/supervisor.log.
            """)
    static let examples = ["relux up --config deploy/cluster.yaml --timeout 2m", "relux up --reset-members --plan"]

    @Option(help: ArgumentHelp("relux-supervisor; else the one beside this executable.", valueName: "path"))
    var supervisor: String?
    @Option(help: ArgumentHelp("relux-broker; else the one beside the supervisor.", valueName: "path")) var broker: String?
    @Option(help: ArgumentHelp("relux-host; else the one beside the supervisor.", valueName: "path")) var host: String?
    @Flag(help: "Start what was packed last instead of what was served last, where its contract allows that.") var packed = false
    @Flag(help: "Go back to the file: members that it does not name are dropped, and what pends on them is lost.") var resetMembers = false
    @Flag(help: "Drop them without asking.") var yes = false
    @Flag(help: "Begin with empty journals where all of them are gone.") var acceptLoss = false
    @Flag(name: [.customLong("plan"), .customLong("dry-run")], help: "Say what would be started, and in what the file and the registry differ.")
    var plan = false
    @OptionGroup var common: CommonOptions

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        try session.console.installation?.mustBeWhole()
        let location = try session.location()
        let configuration = try location.configuration(for: "`up`")
        for path in [self.supervisor, broker, host].compactMap(\.self).map(session.path) where !FileManager.default.isExecutableFile(atPath: path) {
            throw CLIError(.notFound, "program.missing", "\(path) is no executable", hint: "build it, or name another one with --supervisor, --broker or --host")
        }
        if let pid = try Predecessors(run: location.run, session: session, isPatient: !plan).supervisor() { return try runs(pid, configuration, location.run, session) }
        let prospect = try StartPlan(of: configuration, location.run, .init(isReset: resetMembers, isPacked: packed, acceptsLoss: acceptLoss))
        let start = prospect.members
        var notes = EnvironmentNames.notes(of: configuration)
        if start.hosts.isEmpty { notes.append("no plugin is named in \(location.file ?? "the cluster's file"): no module starts") }
        for note in notes { session.say("note: \(TerminalText.escaped(note))") }
        let drops = try drops(prospect, location.run)
        if plan {
            let hosts = start.hosts.map { "start     host \($0.id): \($0.plugins.joined(separator: " "))" }
            session.printLines(prospect.forecast + start.differences.map(\.text) + drops + hosts, .plan)
            return .ok
        }
        if !drops.isEmpty { try session.confirm(plan: drops, yes: yes) }
        for line in prospect.lost.lines { session.say(line) }
        for difference in start.differences { session.say(TerminalText.escaped(difference.text)) }
        // The supervisor inherits it, and what it says stands in a log.
        for finding in session.console.startFindings + configuration.findings(underData: session.console.start.limits[.data]) { session.say("\(finding)") }
        let begun = ContinuousClock.now
        let logBegin = LogFile.size(location.run.log(of: "supervisor"))
        let supervisor = try launch(location, session)
        var child: DetachedProcess? = supervisor
        let ended = try BootWait(expected: start.modules, start: begun, session: session, run: location.run, logBegin: logBegin)
            .run(&child, supervisor: supervisor.pid)
        sayReturned(start, location.run, session)
        return ended
    }

    /// The members that the start drops, each with what pends on it and is lost.
    private func drops(_ prospect: StartPlan, _ run: RunDirectory) throws(CLIError) -> [String] {
        let named = Set(prospect.members.modules)
        let dropped = prospect.members.dropped + prospect.orphans.filter { !named.contains($0) }
        guard !dropped.isEmpty else { return [] }
        let pending = try PendingWork(run)
        return dropped.map { "drop      \(pending.line(of: $0))" }
    }

    /// A build that ended before it was ever ready has given way to what served last, and the broker has noted that.
    private func sayReturned(_ start: MembershipPlan, _ run: RunDirectory, _ session: CommandSession) {
        guard let client = try? BrokerClient(run: run, patience: .zero), let status = try? session.status(client) else { return }
        let planned = Set(start.hosts.flatMap(\.plugins))
        for module in status.modules where !module.directory.isEmpty && !planned.contains(module.directory) {
            if let note = status.notes.last(where: { $0.kind == .returned && $0.module == module.id }) { session.say(TerminalText.escaped(note.text)) }
        }
    }

    /// The cluster is up: in what it differs from its file is named, and nothing is done.
    private func runs(
        _ pid: pid_t, _ configuration: ClusterConfiguration, _ run: RunDirectory, _ session: CommandSession
    ) throws(CLIError) -> ExitStatus {
        if let stopped = ProcessState.stopped(run) { throw stopped }
        session.say("the cluster \(configuration.name) is up already: supervisor \(pid) in \(run.path)")
        if resetMembers {
            throw CLIError(
                .refused, "cluster.runs", "the members of a cluster that runs are not reset", hint: "relux apply --plan, or relux down first")
        }
        var start: ExitStatus?
        let phase = plan ? "open" : phase(run)
        if phase != "open" {
            session.say(phase.isEmpty ? "its broker does not answer: waiting for it" : "it is still starting: waiting for its modules")
            var none: DetachedProcess?
            start = try BootWait(expected: nil, start: .now, session: session, run: run, logBegin: 0).run(&none, supervisor: pid)
        }
        let client = try session.client()
        let differences = programDifferences(pid, session) + (try session.differences(configuration, client).map(\.text))
        if plan {
            session.printLines(differences, .plan)
            return .ok
        }
        for text in differences { session.say(TerminalText.escaped(text)) }
        if session.format.isJSON, start == nil { session.print(StatusOutput.json(try session.status(client), run: run.path)) }
        return start ?? .ok
    }

    /// The programs that were named and that the supervisor was not started with.
    private func programDifferences(_ pid: pid_t, _ session: CommandSession) -> [String] {
        guard let running = ProcessFiles.executable(of: pid) else { return [] }
        let arguments = ProcessFiles.arguments(of: pid)
        let folder = URL(fileURLWithPath: running).deletingLastPathComponent().path
        func told(_ option: String, _ name: String) -> String {
            guard let index = arguments.firstIndex(of: option), arguments.indices.contains(index + 1) else { return "\(folder)/\(name)" }
            return arguments[index + 1]
        }
        func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        let programs = [("--supervisor", supervisor, running), ("--broker", broker, told("--broker", "relux-broker")), ("--host", host, told("--host", "relux-host"))]
        return programs.compactMap { option, named, present in
            guard let path = named.map(session.path), real(path) != real(present) else { return nil }
            return "\(option) is \(present) since the start, and \(path) now: relux down and relux up take it up"
        }
    }

    /// How far the broker says that the start is; empty when it does not answer.
    private func phase(_ run: RunDirectory) -> String {
        guard let client = try? BrokerClient(run: run, patience: .zero), case .status(let status)? = try? client.ask(.status, timeout: .seconds(1)) else {
            return ""
        }
        return status.phase.rawValue
    }

    private func launch(
        _ location: ClusterLocation, _ session: CommandSession
    ) throws(CLIError) -> DetachedProcess {
        let executable = supervisor.map(session.path) ?? "\(session.console.executableDirectory)/relux-supervisor"
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            throw CLIError(
                .notFound, "supervisor.missing", "\(executable) is no executable",
                hint: "build relux-supervisor, or name it with --supervisor")
        }
        do { try location.run.create() } catch {
            throw CLIError(.failed, "run.directory", error.message)
        }
        var arguments = (location.file.map { ["--config", $0] } ?? []) + ["--run", location.run.path]
        if let broker { arguments += ["--broker", session.path(broker)] }
        if let host { arguments += ["--host", session.path(host)] }
        if packed { arguments.append("--packed") }
        if resetMembers { arguments.append("--reset-members") }
        let child = try DetachedProcess(
            executable: executable, arguments: arguments, environment: session.console.environment,
            log: location.run.log(of: "supervisor"))
        if let trouble = child.logTrouble { session.say(trouble) }
        return child
    }
}
