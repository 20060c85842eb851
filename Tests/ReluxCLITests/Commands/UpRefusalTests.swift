import Foundation
import Glibc
@testable import ReluxCLI
import ReluxControl
import ReluxJournal
import ReluxLedger
@testable import ReluxRegistry
import ReluxTestKit
import ReluxWire
import Testing

/// The checks of `relux up` before it starts anything.
@Suite struct UpRefusalTests {
    @Test func `without the registry nothing starts whose journals are there, until the file's members are meant`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        for module in ["Auth", "Files"] as [ModuleID] {
            let journals = ModuleJournals(environment: try .live())
            _ = try journals.open(module, at: run.journal(of: module.rawValue), epoch: Epoch(1))
            journals.closeAll()
        }
        let supervisor = try scratch.script("touch \(scratch.path)/begun; exit 71")
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor]) == .failed)
        #expect(console.talk.contains("the registry \(run.registry) is gone, and the journals of Auth, Files are there"), "\(console.talk)")
        #expect(console.talk.contains("relux up --reset-members --yes") && !FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
        let doctor = TestConsole()
        #expect(doctor.run(["doctor", "--config", file]) == .failed)
        #expect(doctor.out.contains("relux up would start nothing: the registry \(run.registry) is gone"), "\(doctor.out)")
        let plan = TestConsole()
        #expect(plan.run(["up", "--config", file, "--reset-members", "--plan"]) == .ok)
        #expect(plan.out.contains("PLAN  drop      Files: 0 effects wait for it, 0 of its own wait for others"), "\(plan.out)")
        let meant = TestConsole()
        #expect(meant.run(["up", "--config", file, "--supervisor", supervisor, "--reset-members", "--yes"]) == .failed)
        #expect(meant.talk.contains("drop      Files: 0 effects wait for it") && !meant.talk.contains("drop      Auth"), "\(meant.talk)")
        #expect(FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
    }

    @Test func `without the journals nothing starts that the registry knows of, until their loss is accepted; one that is gone, or older, is named`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        var cut = KnownLives()
        for module in ["Auth", "Session", "Cluster", "Cut"] as [ModuleID] {
            let journals = ModuleJournals(environment: try .live())
            _ = try journals.open(module, at: run.journal(of: module.rawValue), epoch: Epoch(2))
            let cursor = CursorRecord(module: "There", topic: "Work", range: 1...2)
            var parts = try JournalPart.parts(of: module, [(CursorRecord.topic, .cursor(cursor))])
            try journals.append(&parts, ledgers: [:])
            journals.closeAll()
            for end in journals.takeEnds().values { _ = cut.note(end) }
        }
        var lives = KnownLives()
        for epoch in [2, 3] as [UInt64] { _ = lives.note(JournalEnd(opened: Epoch(epoch))) }
        var registry = Registry()
        registry.hosts["foreign"] = HostRecord(spec: HostSpec(id: "foreign", plugins: []))
        for (order, id) in (["Auth", "Session", "Cut"] as [ModuleID]).enumerated() {
            registry.modules[id] = ModuleRecord(id: id, declaration: nil, directory: "", host: "foreign", order: UInt64(order))
        }
        var snapshot = registry.snapshot
        snapshot.lives = ["Auth": lives, "Session": lives, "Cluster": lives, "Gone": lives, "Cut": cut]
        try RegistryFile(path: run.registry).write(snapshot)
        func up(_ arguments: String...) throws -> TestConsole {
            let console = TestConsole()
            let supervisor = try scratch.script("touch \(scratch.path)/begun; exit 71")
            #expect(console.run(["up", "--config", file, "--supervisor", supervisor] + arguments) == (arguments == ["--plan"] ? .ok : .failed))
            return console
        }
        let older = "the journal of Auth in \(run.journals) is an older copy: it ends with life 2, and the registry knows of life 3"
        try FileManager.default.removeItem(atPath: run.journal(of: "Session"))
        let plan = try up("--plan")
        #expect(plan.out.contains(older) && !plan.out.contains("of Gone"), "\(plan.out)")
        #expect(plan.out.contains("the journal of Session in \(run.journals) is gone: the registry knows of its life 3"), "\(plan.out)")
        let further = "the registry is an older copy: it knows life 0 of Auth, whose journal in \(run.journals) has come to life 2"
        #expect(plan.out.contains(further), "\(plan.out)")
        #expect(try up().talk.contains(older) && FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
        let audit = TestConsole()
        _ = audit.run(["audit", "--run", run.path])
        #expect(audit.out.contains("gone      the journal of Session"), "\(audit.out)")
        // Its lock file alone is no journal.
        for name in try FileManager.default.contentsOfDirectory(atPath: run.journal(of: "Cut")) where name.hasSuffix(".seg") {
            try FileManager.default.removeItem(atPath: "\(run.journal(of: "Cut"))/\(name)")
        }
        let again = TestConsole()
        _ = again.run(["audit", "--run", run.path])
        #expect(!audit.out.contains("journal of Cut") && again.out.contains("gone      the journal of Cut"), "\(again.out)")
        let doctor = TestConsole()
        #expect(doctor.run(["doctor", "--config", file]) == .failed && doctor.out.contains(older) && doctor.out.contains(further), "\(doctor.out)")
        // Whoever unloads a module may take its journal away.
        #expect(doctor.out.contains("Gone was unloaded, and its journal in \(run.journals) is gone") && !again.out.contains("Gone"), "\(doctor.out)")

        try FileManager.default.removeItem(atPath: run.journals)
        try FileManager.default.removeItem(atPath: "\(scratch.path)/begun")
        let refused = try up()
        #expect(refused.talk.contains("the journals in \(run.journals) are gone, and the registry knows of those of Auth, Cluster, Session"), "\(refused.talk)")
        #expect(refused.talk.contains("relux up --accept-loss") && !FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
        #expect(try up("--accept-loss").talk.contains("the journal of Auth") && FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
    }

    private func clusterFile(_ scratch: TemporaryDirectory, _ text: String) throws -> String {
        let file = "\(scratch.path)/cluster.yaml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    @Test(arguments: [[], ["--plan"]], ["nowhere", "a folder"])
    func `an executable that is none is refused like a plugin that is not packed`(plan: [String], kind: String) throws {
        let scratch = TemporaryDirectory(isMade: true)
        _ = try scratch.cluster()
        let program = kind == "nowhere" ? "\(scratch.path)/nowhere" : scratch.path
        let file = try clusterFile(scratch, "cluster:\n  name: demo\n  directory: run\n  plugins:\n    - {module: Auth, executable: \(program)}\n")
        let console = TestConsole()
        let supervisor = try scratch.script("touch \(scratch.path)/begun; exit 71")
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor] + plan) == .notFound)
        #expect(console.talk.contains("nothing is started: \(program), the executable of host Auth in the cluster's file, is no executable"), "\(console.talk)")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
    }

    @Test func `a variable in the cluster's file that nobody reads is said like one of the process`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        _ = try scratch.cluster()
        let file = try clusterFile(
            scratch, "cluster:\n  name: demo\n  directory: run\n  plugins:\n    - {module: Auth, environment: {RELUX_STARTUP_MOD: headless, RELUX_AUTH_OWN: x}}\n")
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--plan"]) == .ok)
        #expect(
            console.talk.contains("nobody reads the variable RELUX_STARTUP_MOD; did you mean 'RELUX_STARTUP_MODE'? (environment of host Auth in the cluster's file)"),
            "\(console.talk)")
        #expect(!console.talk.contains("RELUX_AUTH_OWN"))
    }

    @Test(arguments: ["", "cluster:\n  plugins: []\n"])
    func `a file that names no plugin is said`(text: String) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = try clusterFile(scratch, text)
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--plan"]) == .ok)
        #expect(console.talk.contains("no plugin is named in \(file)"), "\(console.talk)")
    }

    @Test func `the root of all folders is no run directory`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = try clusterFile(scratch, "cluster:\n  directory: /\n")
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--plan"]) == .usage)
        #expect(console.talk.contains("cluster.yaml:2: cluster.directory: \"/\" is not allowed"), "\(console.talk)")
        let named = TestConsole()
        #expect(named.run(["status", "--run", "/"]) == .usage)
        #expect(named.talk.contains("the run directory / is not the cluster's own") || named.talk.contains("\"/\" is not allowed"), "\(named.talk)")
    }

    @Test func `what is no regular file is not the cluster's, and named as what it is`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let pipe = "\(scratch.path)/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for (file, kind) in [("/dev/zero", "a device"), (pipe, "a pipe")] {
            let console = TestConsole()
            #expect(console.run(["up", "--config", file, "--plan"]) == .notFound)
            #expect(console.talk.contains("it is no regular file but \(kind)"), "\(console.talk)")
        }
    }

    @Test func `a working folder that is gone is named, not the root of all folders`() throws {
        let folder = "/tmp/relux-cli-gone-\(UUID().uuidString.prefix(8))"
        for (directory, arguments, named) in [
            (folder, ["--config", "deploy/commerce.yaml"], "'deploy/commerce.yaml' leads on"), ("", ["--config", "deploy/commerce.yaml"], "'deploy/commerce.yaml' leads on"),
            ("", [], "gone"), ("", ["--run", "run"], "'run' leads on"),
        ] {
            let console = TestConsole()
            #expect(console.run(["status"] + arguments, directory: directory, environment: ["PWD": folder]) == .notFound)
            #expect(console.talk.contains("the working folder \(folder) is gone") && console.talk.contains(named), "\(console.talk)")
        }
    }

    @Test func `a registry that cannot be read starts nothing`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        try Data("no registry".utf8).write(to: URL(fileURLWithPath: run.registry))
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", try scratch.script("touch \(scratch.path)/ran")]) == .failed)
        #expect(console.talk.contains(run.registry))
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }

    @Test(arguments: ["gone", "damaged", "another"], [[], ["--plan"]])
    func `a key that is gone, damaged or another one starts nothing, and what is sealed with the right one is named`(
        what: String, plan: [String]
    ) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        _ = try ClusterKey(run).take()
        let books = try SampleBooks(in: scratch, run)
        // Two more that Notes has to settle, of which one is sealed, beside the two sealed letters that it has.
        let sealed = SampleBooks.sealed[...]
        try books.write(
            [
                (SampleBooks.topic, [11, 12].map { .effect(EffectRecord(position: $0, sequence: $0, caseName: "login", payload: $0 == 11 ? sealed : [0xa0])) }),
                (StateRecord.topic, [.state(StateRecord(stateName: "Auth.State", version: 1, reduced: [], value: sealed))]),
            ], of: "Auth", epoch: 2)
        switch what {
        case "gone": try FileManager.default.removeItem(atPath: run.key)
        case "damaged": try FileHandle(forWritingTo: URL(fileURLWithPath: run.key)).truncate(atOffset: 5)
        default:
            try FileManager.default.removeItem(atPath: run.key)
            try ClusterSealer.makeKeyFile(run.key)
        }
        let console = TestConsole()
        let supervisor = try scratch.script("touch \(scratch.path)/ran")
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor] + plan) == .failed)
        #expect(console.out.isEmpty && console.talk.contains("nothing is started: the cluster's key \(run.key) "), "\(console.talk)")
        #expect(console.talk.contains("the right one"), "\(console.talk)")
        #expect(
            console.talk.contains("sealed with the right one: Auth (1 state), Notes (1 effect that waits for it, 2 dead letters)"), "\(console.talk)")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }

    @Test func `up names what is not packed and starts nothing`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = try scratch.cluster(isPacked: false).file
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", try scratch.script("touch \(scratch.path)/ran")]) == .notFound)
        #expect(console.talk.contains("run/packed/Session/current"))
        #expect(console.talk.contains("relux module pack --configured"))
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }
}
