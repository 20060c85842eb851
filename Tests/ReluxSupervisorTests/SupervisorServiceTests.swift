import Foundation
import Glibc
import Logging
import ReluxWire
import Testing

@testable import ReluxControl
@testable import ReluxSupervisor
import ReluxSystem

/// The whole service with real processes and a broker that the test plays.
@Suite(.timeLimit(.minutes(2))) struct SupervisorServiceTests {
    private final class Stage: Sendable {
        let scratch: Scratch
        let link = FakeBrokerLink()
        let fifo: Fifo
        let run: RunDirectory
        private let task: Task<Void, any Error>

        /// - Parameter time: the supervisor's time instead of the clock's.
        init(_ limits: RestartPolicy.Limits = .init(), stop: Duration = .seconds(5), time: ReportTime? = nil, manager: ServiceManager? = nil) throws {
            scratch = Scratch()
            fifo = Fifo(in: scratch)
            run = RunDirectory(path: scratch.path + "/run")
            let launch = Launch(
                broker: Scratch.child, host: Scratch.child, directory: run, environment: ["PATH": "/usr/bin:/bin"])
            let handler: any LogHandler = if let time { time } else { SwiftLogNoOpLogHandler() }
            var service = SupervisorService(
                launch: launch, hosts: [HostSpec(id: HostID(rawValue: "Auth"), plugins: ["/p/Auth/current"])],
                settings: .init(limits: limits, stop: .init(drain: stop, term: stop)), link: link,
                logger: Logger(label: "test") { _ in handler })
            if let time { service.elapsed = { time.now } }
            service.manager = manager
            let ready = service
            task = Task { try await ready.run() }
        }

        func spec(_ name: String, _ behaviour: String) -> HostSpec {
            HostSpec(
                id: HostID(rawValue: name), plugins: ["/p/\(name)/current"],
                environment: ["BEHAVIOUR": behaviour, "FIFO": behaviour == "crash" ? "" : fifo.path])
        }

        func finish() async throws { try await task.value }

        func cancel() { task.cancel() }
    }

    /// The messages of the supervisor, in order, `hello` and pongs included.
    private func messages(_ stage: Stage) -> AsyncCompactMapSequence<AsyncStream<BrokerInbound>, SupervisorMessage> {
        stage.link.heard.compactMap { if case .supervisor(let message) = $0 { message } else { nil } }
    }

    private func startedPid(_ heard: inout AsyncCompactMapSequence<AsyncStream<BrokerInbound>, SupervisorMessage>.Iterator)
        async -> Int32?
    {
        while let message = await heard.next() { if case .started(_, let process) = message { return process.pid } }
        return nil
    }

    @Test func `it says hello, declares its hosts, and ends the broker when cancelled`() async throws {
        let stage = try Stage()
        var heard = stage.link.heard.makeAsyncIterator()
        guard case .supervisor(.hello(let hello)) = await heard.next() else {
            Issue.record("no hello")
            return
        }
        #expect(hello.running.isEmpty && hello.pid == getpid() && !hello.instance.isEmpty)
        #expect(hello.declared.map(\.id.rawValue) == ["Auth"])
        stage.cancel()
        try await stage.finish()
        #expect(stage.run.runningSupervisor() == nil)
    }

    @Test(arguments: [false, true]) func `a service manager hears that it is ready, that it lives, and that it ends`(_ isAbstract: Bool) async throws {
        let folder = Scratch()
        let listener = try ManagerListener(isAbstract ? "@relux-\(UUID().uuidString)" : folder.path + "/notify")
        let stage = try Stage(manager: ServiceManager(address: listener.address, watchdog: .milliseconds(90)))
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        // It lives before anybody has asked for anything.
        #expect(await listener.next() == "WATCHDOG=1")
        stage.link.order(.start(stage.spec("Auth", "sleep")))
        var words: [String] = []
        while words.last?.hasPrefix("READY=1\n") != true { words.append(await listener.next()) }
        #expect(words.dropLast().allSatisfy { $0 == "WATCHDOG=1" })
        stage.cancel()
        repeat { words.append(await listener.next()) } while words.last?.hasPrefix("STOPPING=1") != true
        try await stage.finish()
        #expect(words.filter { $0.hasPrefix("READY=1") }.count == 1)
    }

    @Test func `a process that says why it ends is quoted, also when it ends with 0`() async throws {
        let stage = try Stage()
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        let program = stage.scratch.path + "/licensed"
        try Data("#!/bin/sh\necho 'zip: no licence'\nexit 0\n".utf8).write(to: URL(fileURLWithPath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        var spec = stage.spec("Auth", "crash")
        spec.executable = program
        stage.link.order(.start(spec))
        var why: String?
        while why == nil, let message = await heard.next() { if case .exited(_, _, let end) = message, case .backoff(_, let told) = end.next { why = told } }
        #expect(why == "exit 0 (the last line of its log is: zip: no licence)")
        stage.cancel()
        try await stage.finish()
    }

    @Test func `a crash loop is reported, borne so often as allowed, and then quarantined`() async throws {
        let stage = try Stage(.init(intensity: 2, base: .milliseconds(1)))
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        stage.link.order(.start(stage.spec("Auth", "crash")))
        var words: [String] = []
        var report = ""
        while let message = await heard.next() {
            switch message {
            case .started: words.append("started")
            case .exited(_, _, let end):
                words.append(end.status)
                report = end.report
                switch end.next {
                case .backoff: words.append("backoff")
                case .quarantined: words.append("quarantined")
                case .resting, .replaced: break
                }
            case .hello, .decided, .ending, .pong: break
            }
            if words.last == "quarantined" { break }
        }
        let death = ["started", "signal 4 (SIGILL)"]
        #expect(words == death + ["backoff"] + death + ["backoff"] + death + ["quarantined"])
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains("host       Auth") && text.contains("modules    Auth") && text.contains("SIGILL"))
        #expect(FileManager.default.fileExists(atPath: String(report.dropLast(3)) + "json"))
        // The cluster goes on.
        stage.link.order(.ping)
        #expect({ if case .pong = $0 { true } else { false } }(await heard.next()))
        stage.cancel()
        try await stage.finish()
    }

    @Test func `a process's modules are those that it has by now, in its report and where its death is charged`() async throws {
        let stage = try Stage(.init(base: .seconds(100), cap: .seconds(100)))
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        var spec = stage.spec("Auth", "serve")
        stage.link.order(.start(spec))
        let pid = try #require(await startedPid(&heard))
        // Moved there since; its handler ran again alone.
        spec.plugins.append("/p/Notes/current")
        stage.link.order(.update(spec))
        stage.link.order(.ping)
        while let message = await heard.next() { if case .pong = message { break } }
        let path = stage.run.openTable(of: "Notes")
        let table = try OpenTable(path: path, epoch: Epoch(1), boot: [UInt8](repeating: 1, count: 16))
        table.began(run: 1, effect: EffectID(module: "Auth", position: 7), isCharged: true)
        try table.takePlace()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        withUnsafeBytes(of: UInt64(pid)) { bytes.replaceSubrange(OpenTableFormat.pidOffset..<OpenTableFormat.pidOffset + 8, with: $0) }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        kill(pid, SIGILL)
        var (report, why) = ("", "")
        while let message = await heard.next() {
            guard case .exited(_, _, let end) = message else { continue }
            report = end.report
            if case .backoff(_, let reason) = end.next { why = reason }
            break
        }
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains("modules    Auth, Notes"), "\(text)")
        #expect(why.contains("charged to Auth#7"), "\(why)\n\(text)")
        stage.cancel()
        try await stage.finish()
    }

    @Test func `the delay before a restart counts from the end of the process, not from its report`() async throws {
        let stage = try Stage(.init(base: .seconds(100), cap: .seconds(100)), time: ReportTime())
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        stage.link.order(.start(stage.spec("Auth", "crash")))
        var words: [String] = []
        // The first pong may be said before the deadline is looked at, the second one only behind it.
        var pongs = 0
        while pongs < 2, words.filter({ $0 == "started" }).count < 2, let message = await heard.next() {
            switch message {
            case .started: words.append("started")
            case .exited(_, _, let end):
                words.append("exited")
                if case .backoff = end.next { words.append("backoff") }
                stage.link.order(.ping)
            case .pong:
                pongs += 1
                stage.link.order(.ping)
            case .hello, .decided, .ending: break
            }
        }
        // Its report took longer than any delay.
        #expect(words == ["started", "exited", "backoff", "started"])
        stage.cancel()
        try await stage.finish()
    }

    @Test func `a host that ignores TERM is killed after the ladder and only then succeeded`() async throws {
        let stage = try Stage(stop: .milliseconds(20))
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        let spec = stage.spec("Auth", "stubborn")
        stage.link.order(.start(spec))
        let first = try #require(await startedPid(&heard))
        #expect(await stage.fifo.line() == "up")
        stage.link.order(.stop(host: spec.id))
        stage.link.order(.start(spec))
        guard case .exited(_, let process, let end) = await heard.next(), process.pid == first else {
            Issue.record("something came before its end")
            return
        }
        #expect(end.status == "signal 9 (SIGKILL)" && end.next == .replaced(nil))
        #expect(await startedPid(&heard) != first)
        stage.cancel()
        try await stage.finish()
    }

    @Test func `a process that is cut because it does not answer leaves a report of why and of what was in flight`() async throws {
        let stage = try Stage()
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        let spec = stage.spec("Auth", "sleep")
        stage.link.order(.start(spec))
        let pid = try #require(await startedPid(&heard))
        #expect(await stage.fifo.line() == "up")
        stage.link.order(.cut(spec.id, why: "the executor of Auth answered no ping for 3.0 seconds"))
        guard case .exited(_, let process, let end) = await heard.next(), process.pid == pid else {
            Issue.record("something came before its end")
            return
        }
        let report = end.report
        let cause = "cause      killed by the watchdog: the executor of Auth answered no ping for 3.0 seconds\n"
        #expect(try String(contentsOfFile: report, encoding: .utf8).contains(cause))
        let second = try #require(await startedPid(&heard))
        stage.link.order(.inFlight(host: spec.id, pid: pid, count: 1, effects: [EffectID(module: "Notes", position: 42)]))
        stage.link.order(.ping)
        while let message = await heard.next() { if case .pong = message { break } }
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains("in flight  Notes#42\n") && text.contains(cause), "\(text)")
        // Without a reason somebody wanted it: no crash.
        stage.link.order(.kill(andStart: spec.id))
        guard case .exited(_, let process, let again) = await heard.next(), process.pid == second else {
            Issue.record("something came before its end")
            return
        }
        #expect(again.report.isEmpty)
        stage.cancel()
        try await stage.finish()
    }

    @Test func `a crash report names the modules that the process had at its end, not those that it began with`() async throws {
        let stage = try Stage()
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        var spec = stage.spec("Auth", "sleep")
        stage.link.order(.start(spec))
        let pid = try #require(await startedPid(&heard))
        #expect(await stage.fifo.line() == "up")
        // Auth has moved away, Notes has come.
        spec.plugins = ["/p/Notes/1.0.0-a"]
        stage.link.order(.update(spec))
        stage.link.order(.ping)
        while let message = await heard.next() { if case .pong = message { break } }
        kill(pid, SIGKILL)
        guard case .exited(_, let process, let end) = await heard.next(), process.pid == pid else {
            Issue.record("something came before its end")
            return
        }
        let report = end.report
        let text = try String(contentsOfFile: report, encoding: .utf8)
        #expect(text.contains("modules    Notes\n"), "\(text)")
        stage.cancel()
        try await stage.finish()
    }

    @Test func `a broker that dies returns and is told which hosts run`() async throws {
        let stage = try Stage()
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        stage.link.order(.start(stage.spec("Auth", "sleep")))
        let host = try #require(await startedPid(&heard))
        #expect(await stage.fifo.line() == "up")
        let broker = try #require(Scratch.children(writing: stage.run.log(of: "broker")).first)
        kill(broker, SIGKILL)
        guard case .hello(let hello) = await heard.next() else {
            Issue.record("no hello")
            return
        }
        #expect(hello.running.mapValues(\.pid) == [HostID(rawValue: "Auth"): host])
        #expect(stage.link.connections == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: stage.run.crashes).contains("broker-\(broker).txt"))
        stage.cancel()
        try await stage.finish()
        #expect(kill(host, 0) == -1 && errno == ESRCH)
    }

    @Test func `the order to shut down ends hosts in reverse, then the broker, then the service`() async throws {
        let stage = try Stage()
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        var pids: [Int32] = []
        for name in ["Auth", "Notes", "Sync"] {
            stage.link.order(.start(stage.spec(name, "sleep")))
            pids.append(try #require(await startedPid(&heard)))
            #expect(await stage.fifo.line() == "up")
        }
        stage.link.order(.shutdown)
        guard case .ending = await heard.next() else {
            Issue.record("the broker was not told")
            return
        }
        for name in ["Sync", "Notes", "Auth"] {
            guard case .exited(let host, _, let end) = await heard.next() else {
                Issue.record("\(name) did not end in its turn")
                return
            }
            #expect(host.rawValue == name && end == ProcessEnd(status: "signal 15 (SIGTERM)", next: .resting, order: end.order))
        }
        try await stage.finish()
        for pid in pids { #expect(kill(pid, 0) == -1 && errno == ESRCH) }
    }

    @Test func `the group of a host that ends goes with it`() async throws {
        let stage = try Stage()
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        var spec = stage.spec("Auth", "leaves-a-child")
        spec.restart = .temporary
        stage.link.order(.start(spec))
        let line = await stage.fifo.line()
        let grandchild = try #require(line.flatMap { Int32($0) })
        #expect(await ended(grandchild))
        stage.cancel()
        try await stage.finish()
    }

    @Test func `a second supervisor of the same directory is refused before it starts anything`() async throws {
        let stage = try Stage()
        var heard = messages(stage).makeAsyncIterator()
        _ = await heard.next()
        let second = FakeBrokerLink()
        let service = SupervisorService(
            launch: Launch(broker: Scratch.child, host: Scratch.child, directory: stage.run, environment: [:]), hosts: [],
            settings: .init(), link: second, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let error = await #expect(throws: RunDirectoryError.self) { try await service.run() }
        #expect(error?.code == .alreadyRunning)
        #expect(second.connections == 0)
        stage.cancel()
        try await stage.finish()
    }
}
