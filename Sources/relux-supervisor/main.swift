import Foundation
import Logging
import ReluxControl
import ReluxOutput
import ReluxSupervisor
import ReluxSystem
import ReluxZeroMQ

let usage = """
    usage: relux-supervisor --config FILE [--run DIR] [--broker PATH] [--host PATH] [--reset-members] [--packed] [--print]
      --config  the cluster's file, see deploy/cluster.yaml
      --run     the run directory, over cluster.directory
      --broker  relux-broker, default beside this executable
      --host    relux-host, default beside this executable
      --reset-members  drop every member that the file does not name, and what pends on it; relux up asks before
      --packed  start what was packed last instead of what was served last, where its contract allows that
      --print   show the effective configuration with the origin of each value, and end

    """

// Before anything is opened.
let facts = StartConditions.settle(.daemon)
let output = ProgramOutput("relux-supervisor")
if let finding = StartConditions.refusal(facts, .daemon) { fail("\(finding)", status: 71) }

@MainActor func fail(_ message: String, status: Int32) -> Never {
    output.talk("relux-supervisor: \(message)")
    exit(status)
}

var options: [String: String] = [:]
var printOnly = false
var start = SupervisorHello.Start()
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    switch word {
    case "--config", "--run", "--broker", "--host":
        guard let value = words.popFirst() else { fail("\(word) needs a value\n\(usage)", status: 64) }
        options[word] = value
    case "--print": printOnly = true
    case "--reset-members": start.isReset = true
    case "--packed": start.isPacked = true
    case "--help", "-h":
        output.data(usage)
        exit(output.status(0))
    default:
        let known = ["--config", "--run", "--broker", "--host", "--print", "--reset-members", "--packed", "--help"]
        fail("'\(word)' is no option" + (NearestName.meant(word, among: known).map { "; \($0)" } ?? "") + "\n\(usage)", status: 64)
    }
}
guard let file = options["--config"] else { fail("--config is missing\n\(usage)", status: 64) }

let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
let broker = options["--broker"] ?? own + "/relux-broker"
let host = options["--host"] ?? own + "/relux-host"

do {
    var flags: [String: String] = [:]
    flags["cluster.directory"] = options["--run"]
    let configuration = try ClusterConfiguration.load(file: file, flags: flags)
    let notes = EnvironmentNames.notes(ProcessInfo.processInfo.environment, and: configuration)
    if printOnly {
        for note in notes { output.talk("note: \(note)") }
        for value in configuration.effective { output.data(value.description) }
        for spec in configuration.hosts {
            output.data("host \(spec.id) (\(spec.restart.rawValue)): \(spec.plugins.joined(separator: " "))")
        }
        exit(output.status(0))
    }
    for path in [broker, host] where !FileManager.default.isExecutableFile(atPath: path) {
        fail("\(path) is no executable; build it, or name it with --broker or --host", status: 66)
    }
    for spec in configuration.hosts where !spec.executable.isEmpty && !FileManager.default.isExecutableFile(atPath: spec.executable) {
        fail("\(spec.executable), the cluster.plugins.executable of host \(spec.id) in \(file), is no executable; build it, or mend the file", status: 66)
    }
    let findings =
        StartConditions.findings(facts, needed: DescriptorNeed.ofProcess(hosts: configuration.hosts.count))
        + configuration.findings(underData: facts.limits[.data])
    if let fatal = findings.first(where: \.isFatal) { fail("\(fatal)", status: 71) }
    LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
    let logger = Logger(label: "relux.supervisor")
    for note in notes { logger.warning("a variable has no reader", metadata: ["relux.variable": "\(note)"]) }
    for finding in findings { logger.warning("the start is not as it should be", metadata: ["relux.start": "\(finding)"]) }
    // Before the children's environment is made, which is not to have the way to it.
    let manager = ServiceManager()
    let environment = ProcessInfo.processInfo.environment.merging(configuration.childEnvironment) { $1 }
    let launch = Launch(
        broker: broker, host: host, directory: RunDirectory(path: configuration.directory), environment: environment,
        memory: configuration.memory.within(facts.limits[.data]))
    let link = ZeroMQBrokerLink(context: try ZeroMQContext(), logger: logger)
    var service = SupervisorService(
        launch: launch, hosts: configuration.hosts, start: start, settings: configuration.supervision,
        configured: Dictionary(configuration.effective.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 }), link: link, logger: logger,
        takesSignals: true)
    service.manager = manager
    try await service.run()
} catch let error as ConfigurationError {
    fail(error.description, status: 78)
} catch let error as RunDirectoryError {
    fail(error.description, status: error.code == .alreadyRunning ? 75 : 73)
} catch {
    fail("\(error)", status: 71)
}
