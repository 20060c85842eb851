import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// `relux up`: beside what runs already, and what becomes of a start.
@Suite struct UpTests {
    @Test func `up beside a supervisor whose broker does not answer waits for it, and does not say that all is well`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        let lock = try run.lockSupervisor()
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--timeout", "50ms"]) == .timeout)
        #expect(console.talk.contains("is up already: supervisor \(getpid())"))
        #expect(console.talk.contains("no broker has said what belongs to the cluster of supervisor \(getpid())"), "\(console.talk)")
        withExtendedLifetime(lock) {}
    }

    @Test func `up beside another start waits for what that one declares, also while nobody has told the broker`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
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
                status.phase = count < 4 ? .idle : count < 6 ? .domains : .open
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

    @Test func `up beside a cluster that is ending waits for its end, and starts it then`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        let lock = Mutex<SupervisorLock?>(try run.lockSupervisor())
        run.noteEnding(true)
        let console = TestConsole()
        let other = Thread {
            while !console.talk.contains("waiting for the cluster in \(run.path) to end: supervisor \(getpid())") { usleep(10_000) }
            // A supervisor takes its note away before it lets go of the lock.
            run.noteEnding(false)
            usleep(300_000)
            lock.withLock { $0 = nil }
        }
        other.start()
        #expect(console.run(["up", "--config", file, "--supervisor", try scratch.script("exit 7"), "--timeout", "30s"]) == .failed)
        #expect(console.talk.contains("relux-supervisor ended with 7") && !console.talk.contains("is up already"), "\(console.talk)")
    }

    @Test func `up on a running cluster names in what it differs from its file, and does nothing`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        let lock = try run.lockSupervisor()
        let broker = try FakeBroker(run: run.path) { request in
            if case .status = request {
                var status = Demo.status
                status.phase = .open
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

    @Test func `a program that is named for a cluster that runs is an error or a difference, and never silent`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        let lock = try run.lockSupervisor()
        let broker = try FakeBroker(run: run.path) { request in
            if case .compare = request { return .differences([]) }
            var status = Demo.status
            status.phase = .open
            return .status(status)
        }
        for option in ["--supervisor", "--broker", "--host"] {
            let none = TestConsole()
            #expect(none.run(["up", "--config", file, option, "/nope"]) == .notFound)
            #expect(none.talk.contains("/nope is no executable"), "\(none.talk)")
            let other = TestConsole()
            #expect(other.run(["up", "--config", file, option, "/bin/true"]) == .ok)
            #expect(other.talk.contains("\(option) is /") && other.talk.contains("/bin/true now: relux down and relux up take it up"), "\(other.talk)")
        }
        // The programs that run are no difference: this process plays the supervisor.
        let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
        let same = TestConsole()
        #expect(same.run(["up", "--config", file, "--supervisor", own]) == .ok && !same.talk.contains("take it up"), "\(same.talk)")
        withExtendedLifetime(broker) {}
        withExtendedLifetime(lock) {}
    }

    @Test func `who starts a cluster that somebody else starts at the same moment waits for that one`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        let broker = try FakeBroker(run: run.path) { request in
            guard case .status = request else { return nil }
            var status = Demo.status
            status.supervisorPid = getpid()
            status.phase = .open
            for index in status.modules.indices { status.modules[index].state = ModuleState(.ready) }
            return .status(status)
        }
        let lock = Mutex<SupervisorLock?>(nil)
        // The other one takes the lock while ours starts, as two shells do.
        let supervisor = try scratch.script("touch \(scratch.path)/begun; while [ ! -e \(scratch.path)/taken ]; do sleep 0.02; done; exit 75")
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
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        try Data("a word of an earlier life\n".utf8).write(to: URL(fileURLWithPath: run.log(of: "supervisor")))
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--supervisor", try scratch.script("echo the key is damaged >&2; exit 71")]) == .failed)
        #expect(console.talk.contains("the key is damaged") && !console.talk.contains("earlier life"), "\(console.talk)")
    }

    @Test func `a plan of a first start names its hosts and no difference, and starts nothing`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = try scratch.cluster().file
        let console = TestConsole()
        #expect(console.run(["up", "--config", file, "--plan", "--supervisor", try scratch.script("touch \(scratch.path)/ran")]) == .ok)
        let lines = console.out.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].hasPrefix("PLAN  start     host Auth: ") && lines[1].hasPrefix("PLAN  start     host Session: "), "\(lines)")
        #expect(!FileManager.default.fileExists(atPath: "\(scratch.path)/ran"))
    }

    @Test func `what was asked of the start is handed on to the supervisor`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = try scratch.cluster().file
        let console = TestConsole()
        let supervisor = try scratch.script("echo asked for \"$*\"; exit 7")
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor, "--packed", "--reset-members"]) == .failed)
        #expect(console.talk.contains("--packed --reset-members"))
    }

    @Test func `a program that is no supervisor is not taken for a cluster that was taken down`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let console = TestConsole()
        #expect(console.run(["up", "--config", try scratch.cluster().file, "--supervisor", "/bin/true"]) == .failed)
        #expect(console.talk.contains("relux-supervisor ended with 0 before it served") && console.talk.contains("is a relux-supervisor"), "\(console.talk)")
    }

    @Test func `a supervisor that ends at once is reported with its last words`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let file = try scratch.cluster().file
        let console = TestConsole()
        let supervisor = try scratch.script("echo no room for \"$2\"; exit 7")
        #expect(console.run(["up", "--config", file, "--supervisor", supervisor]) == .failed)
        #expect(console.talk.contains("relux-supervisor ended with 7"))
        #expect(console.talk.contains("no room for \(file)"))
    }
}
