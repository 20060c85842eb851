import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxPlugin
import ReluxSupervisor
import ReluxTap
import ReluxTestKit
import ReluxWire
import Testing

/// Names that match nothing are said, with the nearest that would.
@Suite struct UnmatchedNameTests {
    private let scratch: TemporaryDirectory
    private let broker: FakeBroker

    init() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let contracts = try Demo.contracts()
        self.scratch = scratch
        broker = try FakeBroker(run: scratch.path) { request in
            switch request {
            case .status: .status(Demo.status)
            case .contracts: contracts
            case .whyNot(let module) where module != "Auth": .refused(code: "unknown-module", message: "there is no module \(module)")
            case .upgrade(let module, _, _), .rollback(let module, _), .move(let module, _, _), .evict(let module, _, _):
                module == "Auth" ? .done(lines: ["done"]) : .refused(code: "unknown-module", message: "there is no module \(module)")
            default: .done(lines: ["done"])
            }
        }
    }

    private func run(_ arguments: [String], environment: [String: String] = [:]) -> (status: ReluxCLI.ExitStatus, talk: String) {
        let console = TestConsole()
        return (console.run(arguments + ["--run", scratch.path], environment: environment), console.talk)
    }

    @Test(arguments: [
        ("Auht.**", "Auth.**"), ("auth.**", "Auth.**"), ("Auth.Busines.*.login", "Auth.Business.*.login"),
        ("Auth.Business.Effect.logn", "Auth.Business.Effect.login"), ("Auth.Business.Efect", "Auth.Business.Effect"), ("Auht", "Auth.**"), ("Auth.Openedd", "Auth.Opened"),
        ("*", "**"), ("*.*.*.*.*", "**"), ("Auth.Business.*", "Auth.Business.**"), ("Auht.Business.*", "Auth.Business.**"), ("logout", "Auth.Business.Effect.logout"),
        ("auth.Logn", "Auth.Business.Effect.login"), ("Auth.*.Effect.logn", "Auth.*.Effect.login"), ("*.Openedd", "*.Opened"),
    ])
    func `a pattern that nothing matches is said with the nearest that matches`(_ pattern: String, _ meant: String) throws {
        let lines = PatternAdvice(Demo.catalog, Demo.status).lines([try TapPattern(pattern)])
        #expect(lines == ["no known topic or case matches '\(pattern)'; did you mean '\(meant)'?"])
    }

    @Test func `a pattern that is near to nothing is said too`() throws {
        let lines = PatternAdvice(Demo.catalog, Demo.status).lines([try TapPattern("Zebra.**"), try TapPattern("Auth.*.Zebra"), try TapPattern("*.Zebra"), try TapPattern("Auht.*.Zebra")])
        #expect(lines.count == 4 && lines.allSatisfy { $0.hasSuffix("`relux effect ls` shows what there is") }, "\(lines)")
    }

    @Test(arguments: ["**", "Auth.**", "*.Business.**", "Auth.Business.Effect", "Auth.Business.Effect.login", "Auth.Opened", "Plain.Topic.anything"])
    func `nothing is said of what may match`(_ pattern: String) throws {
        var status = Demo.status
        status.modules[0].emits.append("Plain.Topic")
        #expect(PatternAdvice(Demo.catalog, status).lines([try TapPattern(pattern)]).isEmpty)
    }

    @Test func `the tap says it and goes on`() throws {
        let ended = run(["tap", "Auht.**", "--tree", "Auht#3.1", "--timeout", "100ms"])
        #expect(ended.status == .ok)
        #expect(ended.talk.contains("no known topic or case matches 'Auht.**', the tap waits for one; did you mean 'Auth.**'?"), "\(ended)")
        #expect(ended.talk.contains("no module says Auht#3.1; did you mean 'Auth'?"), "\(ended)")
    }

    @Test(arguments: [
        ("login", "did you mean 'Auth.Business.Effect.login'?"), ("auth.business.effect.login", "did you mean 'Auth.Business.Effect.login'?"),
        ("Effect.Logn", "did you mean 'Auth.Business.Effect.login'?"), ("Auht", "`relux effect ls 'Auth.**'` shows its effects"),
    ])
    func `an effect that leaves something of its name out is answered with the whole name`(_ effect: String, _ hint: String) {
        let ended = run(["effect", "send", effect])
        #expect(ended.status == .notFound && ended.talk.hasSuffix("\n       \(hint)"), "\(ended)")
    }

    @Test(arguments: [
        (["module", "ls", "Auth"], "'Auth' is too much: `relux module ls` takes no operand\n       `relux module ls --help` tells what it takes"),
        (["journal", "show", "Auth", "3"], "'3' is too much: `relux journal show` takes one operand\n       `relux journal show --help` tells what it takes"),
        (["dlq", "ls", "Auth"], "'Auth' is too much: `relux dlq ls` takes no operand\n       a module is named by --module"),
        (["contract", "diff", "A", "B", "C"], "'C' is too much: `relux contract diff` takes 2 operands\n       `relux contract diff --help` tells what it takes"),
        (["module", "rollback", "Auth", "--to", "3"], "'--to' is no option of `relux module rollback`\n       `relux module rollback --help` names those that there are"),
    ])
    func `a word that the command does not take is said to be too much`(_ arguments: [String], _ talk: String) {
        let console = TestConsole()
        #expect(console.run(arguments) == .usage && console.talk == "relux: \(talk)", "\(console.talk)")
    }

    @Test func `the broker's own module is shown, and said to be fixed by whatever would change it`() throws {
        let shown = TestConsole()
        #expect(shown.run(["module", "show", "Cluster", "--run", scratch.path]) == .ok)
        #expect(shown.out.contains("Cluster, the broker's own") && shown.out.contains("broker  pid 100"), "\(shown.out)")
        let json = TestConsole()
        #expect(json.run(["module", "show", "Cluster", "--json", "--run", scratch.path]) == .ok)
        #expect(try JSONValue(parsing: json.out)["kind"] == "built-in")
        for words in [["unload"], ["restart"], ["why-not"], ["rollback"], ["upgrade"], ["evict"], ["move", "--own"]] {
            let ended = run(["module", words[0], "Cluster"] + words.dropFirst())
            #expect(ended.status == .refused && ended.talk.hasPrefix("relux: Cluster is the broker's own module"), "\(words): \(ended)")
        }
    }

    @Test func `effects are listed by patterns that match, or the nearest is named`() {
        let ended = run(["effect", "ls", "Auht.**"])
        #expect(ended.status == .notFound && ended.talk.contains("did you mean 'Auth.**'?"), "\(ended)")
        let half = run(["effect", "ls", "Auth.**", "Auth.Business.Effect.logn"])
        #expect(half.status == .ok && half.talk.contains("did you mean 'Auth.Business.Effect.login'?"), "\(half)")
    }

    @Test(arguments: [
        ["module", "why-not", "Auht"], ["module", "rollback", "Auht"], ["module", "move", "Auht", "--own"], ["module", "evict", "Auht", "--dry-run"],
        ["module", "show", "Auht"], ["module", "unload", "Auht"], ["module", "restart", "Auht"], ["logs", "Auht"],
    ])
    func `a module that is not there is answered with the nearest that is`(_ arguments: [String]) throws {
        try Data().write(to: URL(fileURLWithPath: broker.directory.log(of: "Auth")))
        let ended = run(arguments)
        #expect(ended.status == .notFound && ended.talk.contains("did you mean 'Auth'?"), "\(ended)")
    }

    @Test func `a module that is packed and not loaded is answered with how to load it`() throws {
        try FileManager.default.createDirectory(atPath: "\(scratch.path)/packed/Sync/current", withIntermediateDirectories: true)
        for command in ["show", "why-not", "unload", "rollback"] {
            let ended = run(["module", command, "Sync"])
            #expect(ended.status == .notFound && ended.talk.contains("it is packed and not loaded: relux module load Sync"), "\(command): \(ended)")
        }
        #expect(run(["module", "show", "Synk"]).talk.contains("did you mean 'Sync'?"))
    }

    @Test func `a packed module that is not there is answered with the nearest that is`() throws {
        _ = try Demo.pack("Notes", "1.0.0", in: scratch.path)
        let ended = run(["module", "load", "Ntoes"])
        #expect(ended.status == .notFound && ended.talk.contains("did you mean 'Notes'?"), "\(ended)")
    }

    @Test func `an effect of a module that is packed and not loaded is not found, with the command that loads it`() throws {
        let topic = TopicContract(topic: "Uptime.Business.Effect", cases: [CaseContract(name: "check")])
        _ = try Demo.pack("Uptime", "1.0.0", in: scratch.path, contract: Contract(topics: [topic]))
        let ended = run(["effect", "send", "Uptime.Business.Effect.check"])
        #expect(ended.status == .notFound)
        #expect(ended.talk.contains("Uptime.Business.Effect.check is an effect of Uptime, which is not loaded") && ended.talk.contains("relux module load Uptime"), "\(ended)")
        let other = run(["effect", "send", "Uptime.Business.Effect.chek"])
        #expect(other.status == .notFound && other.talk.contains("Uptime is packed and not loaded") && other.talk.contains("did you mean 'check'?"), "\(other)")
        let short = run(["effect", "send", "uptime.check"])
        #expect(
            short.status == .notFound && short.talk.contains("Uptime is packed and not loaded")
                && short.talk.contains("did you mean 'Uptime.Business.Effect.check'?"), "\(short)")
    }

    @Test func `a new host that is named nearly like one that runs is said to be new`() throws {
        let ended = run(["module", "move", "Auth", "--host", "Sesion"])
        #expect(ended.status == .ok && ended.talk.contains("there is no host Sesion yet, it will be a new one; did you mean 'Session'?"), "\(ended)")
        #expect(!run(["module", "move", "Auth", "--host", "elsewhere"]).talk.contains("no host"))
    }

    @Test(arguments: [(["staus"], "status"), (["module", "lod"], "load"), (["lnit"], "lint"), (["effect", "sned"], "send")])
    func `a word that is no command is answered with the nearest`(_ arguments: [String], _ meant: String) throws {
        let console = TestConsole()
        #expect(console.run(arguments) == .usage)
        #expect(console.talk.hasSuffix("\n       did you mean '\(meant)'?"), "\(console.talk)")
        let json = TestConsole()
        #expect(json.run(arguments + ["--json"]) == .usage)
        #expect(try JSONValue(parsing: json.talk)["hint"]?.string == "did you mean '\(meant)'?")
    }

    @Test func `a variable that nobody reads is said when it is spelled nearly like one that is`() {
        let ended = run(["status"], environment: ["RELUX_CONFGI": "x", "RELUX_PAYMENT_URL": "y", "RELUX_BUS_PATIENC": "5ms", "PATH": ""])
        #expect(ended.talk.contains("nobody reads the variable RELUX_CONFGI; did you mean 'RELUX_CONFIG'?"), "\(ended)")
        #expect(ended.talk.contains("did you mean 'RELUX_BUS_PATIENCE'?") && !ended.talk.contains("PAYMENT"), "\(ended)")
        let services = EnvironmentNames.notes(["RELUX_SERVICES_Ntoes": "mock", "RELUX_SERVICES_Auth": "mock"], modules: ["Notes", "Auth"])
        #expect(services == ["nobody reads RELUX_SERVICES_Ntoes: the cluster's file names no module Ntoes; did you mean 'RELUX_SERVICES_Notes'?"])
    }

    @Test func `the supervisor's configuration is shown with the variables that nobody reads`() async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = scratch.path + "/cluster.yaml"
        try Data("cluster: {directory: ., plugins: [{module: Notes, environment: {RELUX_SERVICES_Ntoes: mock}}]}\n".utf8).write(to: URL(fileURLWithPath: file))
        // The notes are said besides the configuration, which finds no room.
        let ended = try await Program.run(
            ["--config", file, "--print"], .full, program: "relux-supervisor", environment: ["RELUX_SUPERVISOR_PERIO": "3s"])
        #expect(ended.talk.contains("note: nobody reads the variable RELUX_SUPERVISOR_PERIO; did you mean 'RELUX_SUPERVISOR_PERIOD'?"), "\(ended)")
        #expect(ended.talk.contains("did you mean 'RELUX_SERVICES_Notes'? (environment of host Notes in the cluster's file)"), "\(ended)")
    }

    @Test func `a variable that would be an option is said with the option`() {
        #expect(run(["status"], environment: ["RELUX_TIMEOUT": "5s"]).talk.contains("nobody reads the variable RELUX_TIMEOUT: give the option --timeout"))
    }

    @Test(arguments: [
        (["status", "--timeout", "5"], "write 5s"), (["status", "--timeout", "5sec"], "write 5s"), (["status", "--timeout", "soon"], "write 30s"),
        (["status", "--timeout", "0.5s"], "write 500ms"), (["status", "--timeout", "1.5m"], "write 90s"), (["status", "--timeout", "5d"], "write 120h"),
        (["status", "--timeout", "2 min"], "write 2m"), (["status", "--timeout", "0.1ms"], "write 1ms"),
        (["status", "--timeout", "0s"], "above zero"), (["status", "--timeout", "9999999999999s"], "at most 12 digits"),
        (["tap", "-n", "99999999999999999999"], "from 0 to 9223372036854775807"), (["logs", "-n", "many"], "from 0 to 9223372036854775807"),
        (["status", "--timeout", "-1s"], "'-1s' is no value of --timeout: it is below zero"), (["logs", "-n", "-3"], "'-3' is no value of -n: it is below zero"),
    ])
    func `a number that is no good is answered with what would be`(_ arguments: [String], _ words: String) {
        let ended = run(arguments)
        #expect(ended.status == .usage && ended.talk.contains(words), "\(ended)")
    }

    @Test func `the version is also an option`() {
        let console = TestConsole()
        #expect(console.run(["--version"]) == .ok && console.out.hasPrefix("relux \(VersionCommand.version) (/"))
    }
}
