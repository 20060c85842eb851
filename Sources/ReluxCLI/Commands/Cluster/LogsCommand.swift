import ArgumentParser
import Foundation
import ReluxControl
import ReluxOutput
import ReluxTap
import ReluxWire

struct LogsCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs", abstract: "Prints what the cluster's processes have written.",
        discussion: """
            A module's name shows the log of the process that runs it now, and with -f that of the next one too; there are `broker` and `supervisor` \
            besides.
            """)
    static let examples = ["relux logs Auth -n 50", "relux logs -f"]

    @Argument(help: "A module or process; all without one.", completion: Completions.modules) var module: String?
    @Flag(name: .shortAndLong, help: "Go on with what is written from now on.") var follow = false
    @Option(name: .short, help: ArgumentHelp("The number of last lines of each.", valueName: "lines"), transform: CountArgument.parse)
    var n = 200
    @OptionGroup var common: CommonOptions

    private static let pollMicroseconds: UInt32 = 100_000
    /// How often the cluster is asked who runs what.
    private static let lookInterval: Duration = .seconds(1)

    func run(_ session: CommandSession) throws(CLIError) -> ExitStatus {
        let run = try session.location().run
        var logs = try files(run, isPatient: true, session)
        for index in logs.indices {
            let lines = logs[index].readLines()
            for line in lines.suffix(n) { show(line, of: logs[index].name, session) }
        }
        guard follow else { return .ok }
        let interruption = Interruption()
        let clock = ContinuousClock()
        let end = session.options.timeout.map { clock.now + $0.duration }
        var nextLook = clock.now + Self.lookInterval
        while !interruption.hasCome {
            if let end, clock.now >= end { return .ok }
            if session.console.hasLostReader() { return .readerGone }
            if clock.now >= nextLook {
                nextLook = clock.now + Self.lookInterval
                // A module that went over to another process writes there; a process that is new has a log from now on.
                for found in (try? files(run, session)) ?? [] where !logs.contains(where: { $0.path == found.path }) { logs.append(found) }
            }
            for index in logs.indices {
                for line in logs[index].readLines() { show(line, of: logs[index].name, session) }
            }
            usleep(Self.pollMicroseconds)
        }
        return .interrupted
    }

    /// The logs that are meant now.
    ///
    /// - Parameter isPatient: whether a broker is waited for where only that one knows what is meant.
    private func files(_ run: RunDirectory, isPatient: Bool = false, _ session: CommandSession) throws(CLIError) -> [LogFile] {
        let processes = ((try? FileManager.default.contentsOfDirectory(atPath: run.logs)) ?? [])
            .filter { $0.hasSuffix(".log") }.map { String($0.dropLast(4)) }.sorted()
        // Which process runs a module changes with each upgrade and move; only the broker knows.
        var status: ClusterStatus?
        if isPatient, let module, !processes.contains(module), module != BuiltInModule.id.rawValue {
            // It may be that of a module whose broker is coming back.
            do throws(CLIError) { status = try session.status(try session.client()) } catch where run.runningSupervisor() == nil {}
        } else if let client = try? BrokerClient(run: run, patience: .zero), case .status(let found)? = try? client.ask(.status, timeout: .seconds(1)) {
            status = found
        }
        let modules = status?.modules ?? []
        guard let module else {
            guard !processes.isEmpty else {
                throw CLIError(.notFound, "logs.none", "there are no logs in \(run.logs)", hint: "start it: relux up")
            }
            return processes.map { process in
                let inside = modules.filter { $0.host.rawValue == process }
                return LogFile(name: inside.count == 1 ? inside[0].id.rawValue : process, path: run.log(of: process))
            }
        }
        let process = modules.first { $0.id.rawValue == module }?.host.rawValue ?? (module == BuiltInModule.id.rawValue ? BuiltInModule.process : module)
        let unloaded = modules.contains { $0.id.rawValue == module } ? nil : status?.unloaded(module, packed: session.packedModules())
        guard processes.contains(process) else {
            if let unloaded { throw unloaded }
            throw CLIError(
                .notFound, "logs.unknown", "there is no log of '\(module)' in \(run.logs)",
                hint: NearestName.hint(module, among: modules.map(\.id.rawValue) + processes.filter { name in !modules.contains { $0.host.rawValue == name } }))
        }
        if isPatient, let unloaded { session.say("\(unloaded.message), and this is what its process wrote; \(unloaded.hint)") }
        return [LogFile(name: module, path: run.log(of: process))]
    }

    private func show(_ line: String, of name: String, _ session: CommandSession) {
        if session.format.isJSON {
            session.console.out(
                JSONValue.object([
                    .init("schema", "relux.log/1"), .init("process", .string(name)), .init("line", .string(line)),
                ]).text())
        } else {
            session.print((module == nil ? session.style(name, .cyan) + "  " : "") + TerminalText.escaped(line))
        }
    }
}
