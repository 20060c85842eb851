import Foundation
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// Commands that wait for a broker that will not come any more. Each would wait for a minute if nobody told it.
@Suite struct TakenDownTests {
    private static let patience = ["--timeout", "60s"]

    /// Runs the command beside a broker that answers only who looks, and ends when it has been asked for more.
    ///
    /// - Parameter then: what becomes of the cluster when the broker has ended.
    private func run(
        _ arguments: [String], then: @escaping @Sendable (RunDirectory, consuming SupervisorLock) -> SupervisorLock?
    ) throws -> (status: ReluxCLI.ExitStatus, talk: String) {
        let scratch = TemporaryDirectory(isMade: true)
        let run = RunDirectory(path: scratch.path)
        try run.create()
        let lock = Mutex<SupervisorLock?>(try run.lockSupervisor())
        let contracts = try Demo.contracts()
        let isAsked = DispatchSemaphore(value: 0)
        let broker = Mutex<FakeBroker?>(
            try FakeBroker(run: scratch.path) { request in
                switch request {
                case .status: return .status(Demo.status)
                case .contracts: return contracts
                default:
                    isAsked.signal()
                    return nil
                }
            })
        let ender = Thread {
            isAsked.wait()
            broker.withLock { $0 = nil }
            lock.withLock { lock in
                guard let held = lock.take() else { return }
                lock = then(run, held)
            }
        }
        ender.start()
        let console = TestConsole()
        let status = console.run(arguments + ["--run", scratch.path] + Self.patience)
        isAsked.signal()
        lock.withLock { $0 = nil }
        return (status, console.talk.replacingOccurrences(of: scratch.path, with: "RUN"))
    }

    @Test(arguments: [
        ("the move of Auth had come to its end", ["module", "move", "Auth", "--host", "shared"]), ("Auth had left", ["module", "unload", "Auth", "--yes"]),
        ("the recipients of Auth.Business.Effect had answered", ["effect", "send", "Auth.Business.Effect.logout"]),
        ("what was asked had come to its end", ["module", "why-not", "Auth"]),
    ], [true, false])
    func `whoever waits for a cluster that goes down is told so at once`(what: (String, [String]), isOver: Bool) throws {
        let (awaited, command) = what
        let ended = try run(command) { run, lock in
            guard !isOver else { return nil }
            run.noteEnding(true)
            return lock
        }
        #expect(ended.status == .unreachable, "\(ended.talk)")
        #expect(ended.talk.contains("the cluster in RUN \(isOver ? "was taken down" : "is being taken down") before \(awaited)"), "\(ended.talk)")
        #expect(ended.talk.contains("start it again with `relux up`"), "\(ended.talk)")
    }

    @Test func `whoever waits for brokers that die one after the other is told why, in the words that doctor has`() throws {
        let ended = try run(["module", "move", "Auth", "--host", "shared"]) { run, lock in
            run.note(BrokerTrouble(supervisor: getpid(), deaths: BrokerTrouble.manyDeaths, status: "exit 70", words: "the registry is no file"))
            return lock
        }
        #expect(ended.status == .unreachable, "\(ended.talk)")
        #expect(ended.talk.contains("no cluster answers in RUN: 8 brokers in a row have died at their start, the last one by exit 70: the registry is no file"), "\(ended.talk)")
    }

    @Test func `what brokers died of may be mended while somebody waits, and then the next one answers`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = RunDirectory(path: scratch.path)
        try run.create()
        let lock = try run.lockSupervisor()
        run.note(BrokerTrouble(supervisor: getpid(), deaths: 9, status: "exit 70", words: "the registry is no file"))
        let broker = Mutex<FakeBroker?>(nil)
        let console = TestConsole()
        let mender = Thread {
            while !console.talk.contains("waiting for the broker to come back") { usleep(10_000) }
            broker.withLock { $0 = try? FakeBroker(run: run.path) { _ in .status(Demo.status) } }
        }
        mender.start()
        #expect(console.run(["status", "--run", scratch.path] + Self.patience) == .ok, "\(console.talk)")
        withExtendedLifetime(lock) {}
        broker.withLock { $0 = nil }
    }

    @Test(arguments: [["status"], ["module", "ls"], ["effect", "ls"], ["up"], ["apply"], ["tap"], ["doctor"], ["signal", "ls"]])
    func `brokers that die at their start are named by every command, also while one listens`(_ command: [String]) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = RunDirectory(path: "\(scratch.path)/run")
        let broker = try FakeBroker(run: run.path) { _ in nil }
        let file = "\(scratch.path)/cluster.yaml"
        try Data("cluster:\n  name: demo\n  directory: run\n  plugins:\n    - module: Auth\n".utf8).write(to: URL(fileURLWithPath: file))
        let lock = try run.lockSupervisor()
        run.note(BrokerTrouble(supervisor: getpid(), deaths: 9, status: "exit 70", words: "the registry is no file"))
        let console = TestConsole()
        #expect(console.run(command + ["--config", file] + Self.patience) == (command == ["doctor"] ? .failed : .unreachable), "\(console.talk)")
        #expect((console.out + console.talk).contains("9 brokers in a row have died at their start, the last one by exit 70: the registry is no file"), "\(console.talk)")
        #expect((console.out + console.talk).contains("mend that, and the next one serves"), "\(console.talk)")
        withExtendedLifetime(broker) {}
        withExtendedLifetime(lock) {}
    }

    @Test(arguments: [["status"], ["module", "ls"], ["effect", "ls"], ["up"], ["apply"], ["tap"], ["doctor"], ["signal", "ls"]])
    func `a directory in the place of the supervisor's note is named where the note is missed, and the next note sets it aside`(_ command: [String]) throws {
        let scratch = TemporaryDirectory(isMade: true)
        let run = RunDirectory(path: "\(scratch.path)/run")
        try run.create()
        let file = "\(scratch.path)/cluster.yaml"
        try Data("cluster:\n  name: demo\n  directory: run\n  plugins:\n    - module: Auth\n".utf8).write(to: URL(fileURLWithPath: file))
        let lock = try run.lockSupervisor()
        let note = "\(run.path)/broker.trouble"
        try FileManager.default.createDirectory(atPath: "\(note)/kept", withIntermediateDirectories: true)
        let console = TestConsole()
        let wanted: ReluxCLI.ExitStatus = command == ["doctor"] ? .failed : command == ["up"] ? .timeout : .unreachable
        #expect(console.run(command + ["--config", file, "--timeout", "1s"]) == wanted, "\(console.talk)")
        #expect((console.out + console.talk).contains("\(note) is a directory, and the supervisor's note of brokers that die belongs there"), "\(console.talk)")

        let trouble = BrokerTrouble(supervisor: getpid(), deaths: 9, status: "exit 70", words: "the registry is no file")
        let aside = "\(note).replaced-\(getpid())"
        #expect(run.note(trouble) == "a directory lay in the place of the file \(note), and is \(aside) now")
        #expect(run.brokerTrouble == trouble && run.brokerTroubleHindrance == nil && FileManager.default.fileExists(atPath: "\(aside)/kept"))
        #expect(run.note(trouble) == nil)
        let after = TestConsole()
        #expect(after.run(["doctor", "--config", file]) == .failed)
        #expect(after.out.contains("\(aside) lay in the place of a file and was set aside"), "\(after.out)")
        withExtendedLifetime(lock) {}
    }

    @Test func `audit says that brokers die, and goes on without them`() throws {
        let books = try SampleBooks()
        let lock = try books.run.lockSupervisor()
        books.run.note(BrokerTrouble(supervisor: getpid(), deaths: 9, status: "exit 70", words: "the registry is no file"))
        let ended = books.output(["audit"])
        #expect(ended.talk.contains("9 brokers in a row have died at their start"), "\(ended.talk)")
        withExtendedLifetime(lock) {}
    }

    @Test func `a module that is waited for in a cluster that goes down is not waited for`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let packed = try Demo.pack("Notes", "1.0.0", in: scratch.path)
        let broker = try FakeBroker(run: scratch.path) { request in
            if case .load = request { return .done(lines: ["Notes: host Notes starts with it"]) }
            var status = Demo.status
            status.phase = .closing
            status.modules.append(Demo.module("Notes", "domain", ModuleState(.starting), pid: 103))
            return .status(status)
        }
        let console = TestConsole()
        #expect(console.run(["module", "load", packed, "--run", scratch.path] + Self.patience) == .unreachable, "\(console.talk)")
        #expect(console.talk.contains("before Notes was ready"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `what the broker would have gone on with ends with the cluster`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try FakeBroker(run: scratch.path) { request in
            guard case .status = request else { return nil }
            var status = Demo.status
            status.phase = .closing
            return .status(status)
        }
        let console = TestConsole()
        #expect(console.run(["module", "rollback", "Auth", "--timeout", "100ms", "--run", scratch.path]) == .unreachable)
        #expect(console.talk.contains("before the rollback of Auth had come to its end") && !console.talk.contains("goes on with it"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `whoever has asked a broker for something that the next one knows nothing of is told`() throws {
        let next = Mutex<Int32>(0)
        // The one before removes its socket when its thread has come to it: what was bound before that goes with it, and is bound again.
        let listen = """
            import os, socket, sys, time
            (path, server, end) = (sys.argv[1], None, time.time() + 5)
            for _ in range(6000):
                if server is None and time.time() > end and os.path.lexists(path): os.unlink(path)
                if not os.path.lexists(path):
                    server = socket.socket(socket.AF_UNIX)
                    server.bind(path)
                    server.listen(64)
                time.sleep(0.01)
            """
        let ended = try run(["module", "unload", "Auth", "--yes"]) { run, lock in
            let other = try? DetachedProcess(
                executable: "/usr/bin/env", arguments: ["python3", "-c", listen, run.brokerSocket],
                environment: ProcessInfo.processInfo.environment, log: run.log(of: "next"))
            if let pid = other?.pid { next.withLock { $0 = pid } }
            return lock
        }
        let pid = next.withLock { $0 }
        if pid > 0 { kill(pid, SIGKILL) }
        #expect(ended.status == .failed, "\(ended.talk)")
        #expect(ended.talk.contains("the broker that was asked, process \(getpid()), has ended, and process \(pid) has its place"), "\(ended.talk)")
    }
}
