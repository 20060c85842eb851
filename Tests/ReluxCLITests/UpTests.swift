import ArgumentParser
import Foundation
import ReluxBus
@testable import ReluxCLI
import ReluxJournal
import ReluxWire
import Synchronization
import Testing

@Suite struct UpTests {
    /// A configuration of one module, packed as far as `up` looks.
    private func cluster(_ scratch: Scratch, isPacked: Bool = true) throws -> (file: String, run: RunDirectory) {
        let file = "\(scratch.path)/cluster.yaml"
        let text = "cluster:\n  name: demo\n  directory: run\n  plugins:\n    - module: Auth\n    - module: Session\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        for module in ["Auth", "Session"] where isPacked {
            let directory = "\(scratch.path)/run/packed/\(module)/current"
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data("{}".utf8).write(to: URL(fileURLWithPath: "\(directory)/manifest.json"))
        }
        let run = RunDirectory(path: "\(scratch.path)/run")
        try run.create()
        return (file, run)
    }

    private func script(_ scratch: Scratch, _ text: String) throws -> String {
        let path = "\(scratch.path)/supervisor"
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test func `up beside a supervisor whose broker does not answer waits for it, and does not say that all is well`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        let lock = try run.lockSupervisor()
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", "/nonexistent", "--timeout", "50ms"]) == .timeout)
        #expect(console.talk.contains("is up already: supervisor \(getpid())"))
        #expect(console.talk.contains("no broker has said what belongs to the cluster of supervisor \(getpid())"), "\(console.talk)")
        withExtendedLifetime(lock) {}
    }

    @Test func `up beside another start waits for what that one declares, also while nobody has told the broker`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        let lock = try run.lockSupervisor()
        let asked = Mutex(0)
        let broker = try FakeBroker(run: run.path) { request in
            switch request {
            case .compare: return .differences([MembershipDifference("Session is in the file, and is no member", step: .unload("Session"))])
            case .status:
                let count = asked.withLock { asked in
                    asked += 1
                    return asked
                }
                var status = Demo.status
                status.supervisorPid = getpid()
                status.modules = count < 4 ? [] : [Demo.module("Auth", "domain", ModuleState(count < 6 ? .starting : .ready), pid: 101)]
                status.phase = count < 4 ? "idle" : count < 6 ? "domains" : "open"
                return .status(status)
            default: return nil
            }
        }
        let console = TestConsole()
        #expect(console.run(["up", "--config", file]) == .ok, "\(console.talk)")
        #expect(console.talk.contains("it is still starting: waiting for its modules"))
        #expect(console.out.contains("Auth    ready") && console.out.contains("1/1 ready in"), "\(console.out)")
        #expect(console.talk.contains("Session is in the file, and is no member"))
        withExtendedLifetime(broker) {}
        withExtendedLifetime(lock) {}
    }

    @Test func `up on a running cluster names in what it differs from its file, and does nothing`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        let lock = try run.lockSupervisor()
        let broker = try FakeBroker(run: run.path) { request in
            if case .status = request {
                var status = Demo.status
                status.phase = "open"
                return .status(status)
            }
            guard case .compare(let file, false) = request, file.map(\.id) == ["Auth", "Session"] else { return nil }
            return .differences([MembershipDifference("Files runs, and the file does not name it", step: .unload("Files"))])
        }
        let console = TestConsole()
        #expect(console.run(["up", "--config", file]) == .ok)
        #expect(console.talk.contains("Files runs, and the file does not name it"))
        let plan = TestConsole()
        #expect(plan.run(["up", "--config", file, "--plan"]) == .ok)
        #expect(plan.out == "PLAN  Files runs, and the file does not name it")
        let reset = TestConsole()
        #expect(reset.run(["up", "--config", file, "--reset-members", "--yes"]) == .refused)
        #expect(reset.talk.contains("relux apply --plan, or relux down first"))
        #expect(broker.requests.count { if case .compare = $0.body { true } else { false } } == 2)
        withExtendedLifetime(lock) {}
    }

    @Test func `without the registry nothing starts whose journals are there, until the file's members are meant`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        for module in ["Auth", "Files"] as [ModuleID] {
            let journals = ModuleJournals(environment: try .live())
            _ = try journals.open(module, at: run.journal(of: module.rawValue), epoch: Epoch(1))
            journals.closeAll()
        }
        let supervisor = try script(scratch, "touch \(scratch.path)/begun; exit 71")
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor]) == .failed)
        #expect(console.talk.contains("the registry \(run.registry) is gone, and the journals of Auth, Files are there"), "\(console.talk)")
        #expect(console.talk.contains("relux up --reset-members --yes") && !FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
        let meant = TestConsole()
        #expect(meant.run(["up", "--config", file, "--supervisor", supervisor, "--reset-members", "--yes"]) == .failed)
        #expect(meant.talk.contains("drop      Files: 0 effects wait for it") && !meant.talk.contains("drop      Auth"), "\(meant.talk)")
        #expect(FileManager.default.fileExists(atPath: "\(scratch.path)/begun"))
    }

    @Test func `who starts a cluster that somebody else starts at the same moment waits for that one`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        let broker = try FakeBroker(run: run.path) { request in
            guard case .status = request else { return nil }
            var status = Demo.status
            status.supervisorPid = getpid()
            status.phase = "open"
            for index in status.modules.indices { status.modules[index].state = ModuleState(.ready) }
            return .status(status)
        }
        let lock = Mutex<SupervisorLock?>(nil)
        // The other one takes the lock while ours starts, as two shells do.
        let supervisor = try script(scratch, "touch \(scratch.path)/begun; while [ ! -e \(scratch.path)/taken ]; do sleep 0.02; done; exit 75")
        let path = scratch.path
        let other = Thread {
            while !FileManager.default.fileExists(atPath: "\(path)/begun") { usleep(10_000) }
            lock.withLock { $0 = try? run.lockSupervisor() }
            try? Data().write(to: URL(fileURLWithPath: "\(path)/taken"))
        }
        other.start()
        let console = TestConsole()
        let ended = console.run(["up", "--config", file, "--supervisor", supervisor, "--timeout", "20s"])
        #expect(ended == .ok, "\(console.talk)")
        #expect(console.talk.contains("somebody else starts this cluster at the same time: waiting for supervisor \(getpid())"), "\(console.talk)")
        #expect(console.out.contains("2/2 ready"), "\(console.out)")
        lock.withLock { $0 = nil }
        withExtendedLifetime(broker) {}
    }

    @Test func `a supervisor that ends at once is quoted with the words of this start only`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        try Data("a word of an earlier life\n".utf8).write(to: URL(fileURLWithPath: run.log(of: "supervisor")))
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", try script(scratch, "echo the key is damaged >&2; exit 71")]) == .failed)
        #expect(console.talk.contains("the key is damaged") && !console.talk.contains("earlier life"), "\(console.talk)")
    }

    @Test func `a broken file is in nobody's way who only needs the run directory`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        let broker = try FakeBroker(run: run.path) { request in if case .status = request { .status(Demo.status) } else { nil } }
        try Data("cluster: [\n".utf8).write(to: URL(fileURLWithPath: file))
        for (arguments, environment) in [
            (["status", "--run", run.path, "--config", file], [:]), (["status"], ["RELUX_RUN": run.path, "RELUX_CONFIG": file]),
            (["status", "--run", run.path], ["RELUX_CONFIG": file]),
        ] {
            let console = TestConsole()
            #expect(console.run(arguments, environment: environment) == .ok, "\(arguments): \(console.talk)")
            #expect(console.talk.contains("the cluster's file is not heeded, and not needed for this: "), "\(console.talk)")
        }
        for command in ["up", "apply"] {
            let console = TestConsole()
            #expect(console.run([command, "--run", run.path, "--config", file]) == .usage)
            #expect(console.talk.contains("cluster.yaml"), "\(console.talk)")
        }
        for environment in [["RELUX_RUN": run.path], [:]] {
            let doctor = TestConsole()
            #expect(doctor.run(["doctor", "--config", file], environment: environment) == .failed)
            #expect(doctor.out.contains("fail  configuration: ") && doctor.out.contains("cluster.yaml"), "\(doctor.out)")
        }
        let unnamed = TestConsole()
        #expect(unnamed.run(["status", "--config", file]) == .usage && unnamed.talk.contains("a cluster that runs is reached with --run DIR"), "\(unnamed.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `a run directory by flag and a file by variable belong together, and a variable that is empty names nothing`() throws {
        let scratch = try Scratch()
        let file = try cluster(scratch).file
        let console = TestConsole()
        let elsewhere = "\(scratch.path)/elsewhere"
        _ = console.run(["up", "--plan", "--run", elsewhere], environment: ["RELUX_CONFIG": file])
        #expect(console.talk.contains("\(elsewhere)/packed/Auth"), "\(console.talk)")
        for (arguments, environment, isSaid) in [
            (["--config", file], ["RELUX_RUN": elsewhere], true), (["--config", file, "--run", elsewhere], ["RELUX_RUN": scratch.path], false),
            (["--config", file], ["RELUX_RUN": "\(scratch.path)/run"], false), ([], ["RELUX_RUN": elsewhere, "RELUX_CONFIG": file], false),
        ] {
            let other = TestConsole()
            _ = other.run(["up", "--plan"] + arguments, environment: environment)
            #expect(other.talk.contains("\(elsewhere)/packed/Auth") || environment["RELUX_RUN"] != elsewhere && !isSaid, "\(other.talk)")
            let conflict = "the run directory is \(elsewhere), as RELUX_RUN says, and not \(scratch.path)/run, as \(file) says: --run chooses"
            #expect(other.talk.contains(conflict) == isSaid, "\(other.talk)")
        }
        for name in ["RELUX_RUN", "RELUX_CONFIG"] {
            let empty = TestConsole()
            #expect(empty.run(["status"], environment: [name: ""]) == .usage)
            #expect(empty.talk.contains("\(name) is set and empty"), "\(empty.talk)")
        }
    }

    @Test func `a plan of a first start names its hosts and no difference, and starts nothing`() throws {
        let scratch = try Scratch()
        let file = try cluster(scratch).file
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--plan", "--supervisor", try script(scratch, "touch \(scratch.path)/ran")]) == .ok)
        let lines = console.out.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("PLAN  start     host Auth: ") && lines[1].hasPrefix("PLAN  start     host Session: "), "\(lines)")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }

    @Test func `what was asked of the start is handed on to the supervisor`() throws {
        let scratch = try Scratch()
        let file = try cluster(scratch).file
        let console = TestConsole()
        let supervisor = try script(scratch, "echo asked for \"$*\"; exit 7")
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor, "--packed", "--reset-members"]) == .failed)
        #expect(console.talk.contains("--packed --reset-members"))
    }

    @Test func `a registry that cannot be read starts nothing`() throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
        try Data("no registry".utf8).write(to: URL(fileURLWithPath: run.registry))
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", try script(scratch, "touch \(scratch.path)/ran")]) == .failed)
        #expect(console.talk.contains(run.registry))
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }

    @Test(arguments: ["gone", "damaged", "another"], [[], ["--plan"]])
    func `a key that is gone, damaged or another one starts nothing, and what is sealed with the right one is named`(
        what: String, plan: [String]
    ) throws {
        let scratch = try Scratch()
        let (file, run) = try cluster(scratch)
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
        let supervisor = try script(scratch, "touch \(scratch.path)/ran")
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor] + plan) == .failed)
        #expect(console.out.isEmpty && console.talk.contains("nothing is started: the cluster's key \(run.key) "), "\(console.talk)")
        #expect(console.talk.contains("the right one"), "\(console.talk)")
        #expect(
            console.talk.contains("sealed with the right one: Auth (1 state), Notes (1 effect that waits for it, 2 dead letters)"), "\(console.talk)")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }

    @Test func `up names what is not packed and starts nothing`() throws {
        let scratch = try Scratch()
        let file = try cluster(scratch, isPacked: false).file
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", try script(scratch, "touch \(scratch.path)/ran")]) == .notFound)
        #expect(console.talk.contains("run/packed/Session/current"))
        #expect(console.talk.contains("relux module pack --configured"))
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }

    @Test func `a supervisor that ends at once is reported with its last words`() throws {
        let scratch = try Scratch()
        let file = try cluster(scratch).file
        let console = TestConsole()
        let supervisor = try script(scratch, "echo no room for \"$2\"; exit 7")
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor]) == .failed)
        #expect(console.talk.contains("relux-supervisor ended with 7"))
        #expect(console.talk.contains("no room for \(file)"))
    }

    /// Runs the wait beside a supervisor that does nothing, and a broker that answers for it.
    private func wait(
        run: RunDirectory, _ console: Console,
        _ answer: @escaping @Sendable (_ request: ClientRequest.Body, _ supervisor: Int32) -> ClientResponse.Body
    ) throws -> ReluxCLI.ExitStatus {
        let sleeper = try DetachedProcess(
            executable: "/bin/sleep", arguments: ["60"], environment: [:], log: run.log(of: "supervisor"))
        let supervisor = sleeper.pid
        var child: DetachedProcess? = sleeper
        defer { kill(supervisor, SIGKILL) }
        let broker = try FakeBroker(run: run.path) { request in answer(request, supervisor) }
        defer { withExtendedLifetime(broker) {} }
        let session = CommandSession(console: console, options: try CommonOptions.parse(["--color", "never"]))
        return try BootWait(expected: ["Auth", "Session"], start: .now, session: session, run: run, logBegin: 0).run(&child, supervisor: supervisor)
    }

    @Test func `up prints a line for each module as it comes to rest, none of an earlier cluster's`() throws {
        let scratch = try Scratch()
        let run = try cluster(scratch).run
        let asked = Mutex(0)
        let lines = Mutex<[String]>([])
        let console = Console(out: { line in lines.withLock { $0.append(line) } }, talk: { _ in })
        let status = try wait(run: run, console) { _, supervisor in
            let count = asked.withLock { count in
                count += 1
                return count
            }
            var status = Demo.status
            status.supervisorPid = supervisor
            if count > 2 { status.modules[1].state = ModuleState(.ready) }
            status.modules[1].readyMilliseconds = 55
            if count == 1 {
                // What an earlier cluster has left in the registry's file.
                status.supervisorPid = 99
                status.modules = status.modules.map { module in
                    var module = module
                    module.state = ModuleState(.ready)
                    module.readyMilliseconds = 0
                    return module
                }
            }
            return .status(status)
        }
        #expect(status == .ok)
        let text = lines.withLock { $0.joined(separator: "\n") }
        let normal = text.replacingOccurrences(of: "(broker  ready  |ready in )[0-9]+ms", with: "$1<n>ms", options: .regularExpression)
        #expect(
            normal == """
                broker  ready  <n>ms  pid 100
                Auth     ready  41ms  process  Auth 1.4.0
                Session  ready  55ms  process  Session 1.4.0  (after Auth)
                2/2 ready in <n>ms
                """)
    }

    @Test func `up waits for a module that was ready and is handed over, not for one that was removed`() throws {
        let scratch = try Scratch()
        let run = try cluster(scratch).run
        for isRemoved in [false, true] {
            let asked = Mutex(0)
            let lines = Mutex<[String]>([])
            let console = Console(out: { line in lines.withLock { $0.append(line) } }, talk: { _ in })
            let status = try wait(run: run, console) { _, supervisor in
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                var status = Demo.status
                status.supervisorPid = supervisor
                if count > 1 { status.modules[1].state = ModuleState(.ready) }
                if isRemoved, count > 1 {
                    status.modules.remove(at: 0)
                } else if count == 2 {
                    status.modules[0].state = ModuleState(.recovering)
                }
                return .status(status)
            }
            #expect(status == (isRemoved ? .failed : .ok))
            #expect(lines.withLock { $0.last?.hasPrefix(isRemoved ? "1/2 ready" : "2/2 ready") } == true)
        }
    }

    @Test func `up waits for a closed start barrier, and ends with 1 and its reason when nothing will open it`() throws {
        let scratch = try Scratch()
        let run = try cluster(scratch).run
        for isStuck in [false, true] {
            let asked = Mutex(0)
            let talk = Mutex<[String]>([])
            let console = Console(out: { _ in }, talk: { line in talk.withLock { $0.append(line) } })
            let status = try wait(run: run, console) { _, supervisor in
                let count = asked.withLock { count in
                    count += 1
                    return count
                }
                var status = Demo.status
                status.supervisorPid = supervisor
                for index in status.modules.indices { status.modules[index].state = ModuleState(.ready) }
                let why = isStuck && count > 2 ? "notes.migrate of Notes was not done: no room" : "evaluation 1: 0 of 1 done"
                status.barriers = [.init(module: "Session", isOpen: !isStuck && count > 3, isStuck: isStuck && count > 2, text: why)]
                return .status(status)
            }
            #expect(status == (isStuck ? .failed : .ok))
            #expect(asked.withLock { $0 } > 2)
            #expect(
                talk.withLock { $0 }.filter { $0.hasPrefix("start:") }
                    == (isStuck ? ["start: the barrier of Session is closed: notes.migrate of Notes was not done: no room"] : []))
        }
    }

    @Test func `up ends with 6 when a module was refused, and tells why not of those that miss`() throws {
        let scratch = try Scratch()
        let run = try cluster(scratch).run
        let talk = Mutex<[String]>([])
        let console = Console(out: { _ in }, talk: { line in talk.withLock { $0.append(line) } })
        let status = try wait(run: run, console) { request, supervisor in
            if case .whyNot = request { return .whyNot(unmet: ["imports AuthReluxInt, and Auth is refused", "note: x"]) }
            var status = Demo.status
            status.supervisorPid = supervisor
            status.modules[0].state = ModuleState(.refused, why: "other runtime")
            return .status(status)
        }
        #expect(status == .refused)
        #expect(talk.withLock { $0.contains("Session: imports AuthReluxInt, and Auth is refused") })
    }

    @Test func `up does not wait for a module that is known to be absent`() throws {
        let scratch = try Scratch()
        let run = try cluster(scratch).run
        let talk = Mutex<[String]>([])
        let console = Console(out: { _ in }, talk: { line in talk.withLock { $0.append(line) } })
        let why = "imports SyncReluxInt, which no module provides; load Sync"
        let status = try wait(run: run, console) { request, supervisor in
            if case .whyNot = request { return .whyNot(unmet: [why]) }
            var status = Demo.status
            status.supervisorPid = supervisor
            status.modules[1].state = ModuleState(.waiting, why: why)
            status.picture.members = [
                .init(module: "Session", epoch: Epoch(1), handles: [], emits: [], provides: [], observes: [], host: "Session", absence: why)
            ]
            return .status(status)
        }
        #expect(status == .failed)
        #expect(talk.withLock { $0.contains("Session: \(why)") })
    }
}
