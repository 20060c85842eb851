import Foundation
import Glibc
@testable import ReluxCLI
import ReluxControl
import ReluxTestKit
import ReluxWire
import Synchronization
import Testing

/// `relux module upgrade`, `rollback`, `move` and `evict` against a fake broker on a real socket.
@Suite struct HandoverCommandTests {
    private func broker(
        _ scratch: TemporaryDirectory, _ answer: @escaping @Sendable (ClientRequest.Body) -> ClientResponse.Body? = { _ in nil }
    ) throws -> FakeBroker {
        try FakeBroker(run: scratch.path) { request in
            if let body = answer(request) { return body }
            switch request {
            case .status: return .status(Demo.status)
            case .upgrade(_, _, let dryRun), .rollback(_, let dryRun), .move(_, _, let dryRun), .evict(_, _, let dryRun):
                return .done(lines: [dryRun ? "would be done" : "was done"])
            default: return nil
            }
        }
    }

    @Test func `an upgrade takes the named version, or the one that was packed last`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let console = TestConsole()
        let old = try Demo.pack("Auth", "1.0.0", in: scratch.path)
        let new = try Demo.pack("Auth", "1.1.0", in: scratch.path)
        #expect(console.run(["module", "upgrade", "Auth", old, "--run", scratch.path]) == .ok)
        #expect(console.run(["module", "upgrade", "Auth", "--dry-run", "--run", scratch.path]) == .ok)
        #expect(console.out == "was done\nPLAN  would be done")
        let asked = broker.requests.compactMap { request -> String? in
            guard case .upgrade("Auth", let directory, let dryRun) = request.body else { return nil }
            return "\(directory) \(dryRun)"
        }
        #expect(asked == ["\(old) false", "\(new) true"])
        #expect(console.run(["module", "upgrade", "Notes", "--run", scratch.path]) == .notFound)
        #expect(console.talk.contains("relux module pack"))
    }

    @Test func `a version that is named is one of the packed ones, or an error with those that there are and the nearest`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let old = try Demo.pack("Auth", "1.0.0", in: scratch.path)
        _ = try Demo.pack("Auth", "1.10.0", in: scratch.path)
        func run(_ words: String...) -> (status: ReluxCLI.ExitStatus, console: TestConsole) {
            let console = TestConsole()
            return (console.run(["module"] + words + ["--run", scratch.path]), console)
        }
        for version in ["1.0.0", "1.0.0-a"] { #expect(run("upgrade", "Auth", "--version", version).status == .ok) }
        let asked = broker.requests.compactMap { if case .upgrade("Auth", let directory, false) = $0.body { directory } else { nil } }
        #expect(asked == [old, old])
        for verb in ["upgrade", "load"] {
            let none = run(verb, "Auth", "--version", "1.0.1")
            #expect(none.status == .notFound)
            #expect(none.console.talk.contains("Auth 1.0.1 is not packed in") && none.console.talk.contains("there are: 1.0.0-a, 1.10.0-a"), "\(none.console.talk)")
            #expect(none.console.talk.contains("the nearest is --version 1.0.0"), "\(none.console.talk)")
        }
        #expect(run("upgrade", "Auth", "--version", "3").console.talk.contains("the nearest is --version 1.0.0"))
        #expect(run("load", old, "--version", "1.0.0").status == .usage)
        try FileManager.default.copyItem(atPath: old, toPath: URL(fileURLWithPath: old).deletingLastPathComponent().path + "/1.0.0-b")
        let two = run("upgrade", "Auth", "--version", "1.0.0")
        #expect(two.status == .usage && two.console.talk.contains("Auth 1.0.0 is packed 2 times: 1.0.0-a, 1.0.0-b"), "\(two.console.talk)")
        #expect(run("upgrade", "Auth", old, "--version", "1.0.0").status == .usage)
        // Elsewhere it is relux's own version that would be printed, and nothing done.
        let other = run("restart", "Auth", "--version")
        #expect(other.status == .usage && other.console.out.isEmpty && other.console.talk.contains("--version is relux's own and stands alone"), "\(other.console.talk)")
        #expect(broker.requests.allSatisfy { if case .restart = $0.body { false } else { true } })
    }

    @Test func `a restart says which build is packed and does not serve`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let (file, run) = try scratch.cluster()
        let restarted = Mutex(false)
        let broker = try FakeBroker(run: run.path) { request in
            switch request {
            case .compare:
                return .differences([
                    MembershipDifference("Auth 1.4.0 is served; 2.0.2 is packed but not served: relux module upgrade Auth", unserved: "Auth"),
                    MembershipDifference("Session 2 is packed but not served", unserved: "Session"), MembershipDifference("Auth runs in host b", step: .move("Auth", to: "a")),
                ])
            case .restart:
                restarted.withLock { $0 = true }
                return .done(lines: ["host Auth restarts"])
            default:
                var status = Demo.status
                if restarted.withLock({ $0 }) { status.modules[0].epoch = Epoch(4) }
                return .status(status)
            }
        }
        let console = TestConsole()
        #expect(console.run(["module", "restart", "Auth", "--config", file]) == .ok, "\(console.talk)")
        #expect(console.talk.contains("Auth 1.4.0 is served; 2.0.2 is packed but not served: relux module upgrade Auth"), "\(console.talk)")
        #expect(!console.talk.contains("Session 2") && !console.talk.contains("runs in host b"), "\(console.talk)")
        let doctor = TestConsole()
        _ = doctor.run(["doctor", "--config", file])
        #expect(doctor.out.contains("warn  Auth: Auth 1.4.0 is served; 2.0.2 is packed but not served") && doctor.out.contains("warn  membership: Auth runs in host b"), "\(doctor.out)")
        withExtendedLifetime(broker) {}
    }

    @Test func `a load of a build that gave way before it was ready has failed, whatever is ready instead`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch) { request in
            guard case .status = request else { return if case .load = request { .done(lines: ["host Auth starts with it"]) } else { nil } }
            var status = Demo.status
            status.notes = [
                ClusterNote(.returned, "Auth starts 1.4.0, which was served last: 2.0.0 was started and has not been ready, it ended with exit 3 (no licence)", of: "Auth")
            ]
            return .status(status)
        }
        let new = try Demo.pack("Auth", "2.0.0", in: scratch.path)
        let console = TestConsole()
        #expect(console.run(["module", "load", new, "--run", scratch.path]) == .failed)
        #expect(console.talk.contains("Auth is ready from /packed/Auth/1.4.0-abc: what lies in \(new) ended before it was ready"), "\(console.talk)")
        #expect(console.talk.contains("it ended with exit 3 (no licence)"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `what has not come to its end in time is told from a broker that says nothing`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try FakeBroker(run: scratch.path) { if case .status = $0 { .status(Demo.status) } else { nil } }
        let console = TestConsole()
        #expect(console.run(["module", "move", "Auth", "--host", "shared", "--timeout", "100ms", "--run", scratch.path]) == .timeout)
        #expect(console.talk.contains("has not come to its end within"), "\(console.talk)")
        #expect(console.talk.contains("the broker, which answers, goes on with it") && !console.talk.contains("did not answer"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `a module is loaded as the cluster's file has it`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try FakeBroker(run: "\(scratch.path)/run") { request in
            if case .load = request { return .done(lines: ["would be done"]) }
            var status = Demo.status
            status.modules.removeAll { $0.id == "Auth" }
            return .status(status)
        }
        let file = "\(scratch.path)/cluster.yaml"
        let text = "cluster:\n  name: demo\n  directory: run\n  plugins:\n    - module: Auth\n      host: keys\n      environment: {FOO: bar}\n      restart: transient\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let packed = try Demo.pack("Auth", "1.0.0", in: "\(scratch.path)/run")
        let console = TestConsole()
        #expect(console.run(["module", "load", "Auth", "--dry-run", "--config", file]) == .ok, "\(console.talk)")
        #expect(console.run(["module", "load", packed, "--host", "other", "--dry-run", "--config", file]) == .ok, "\(console.talk)")
        let asked = broker.requests.compactMap { if case .load(let host, _, _, _) = $0.body { host } else { nil } }
        #expect(asked.map(\.id) == ["keys", "other"])
        #expect(asked.first?.environment == ["FOO": "bar"] && asked.first?.restart == .transient && asked.first?.plugins.count == 1)
        #expect(asked.last?.environment == [:] && asked.last?.restart == .permanent)
    }

    @Test func `what is refused for a reason that goes over by itself is waited for, and the wait is said once`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let asked = Mutex(0)
        let broker = try broker(scratch) { request in
            guard case .move = request else { return nil }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            return count < 4 ? .refused(code: "host-not-running", message: "it is stopping", passes: "host shared to have stopped") : nil
        }
        let console = TestConsole()
        #expect(console.run(["module", "move", "Auth", "--host", "shared", "--run", scratch.path]) == .ok)
        #expect(console.out == "was done")
        #expect(console.talk.split(separator: "\n").map(String.init) == ["waiting for host shared to have stopped"])
        let moves = broker.requests.filter { if case .move = $0.body { true } else { false } }
        #expect(moves.count == 4 && Set(moves.map(\.id)).count == 1, "it is one request to the end")
    }

    @Test func `what is refused for good is not waited for, and what has not gone over in time is told with the time`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch) { request in
            switch request {
            case .move: .refused(code: "host-not-running", message: "it is stopping", passes: "host shared to have stopped")
            case .rollback: .refused(code: "no-way-back", message: "no way back")
            case .upgrade: .refused(code: "shutting-down", message: "the cluster is closing")
            default: nil
            }
        }
        var console = TestConsole()
        #expect(console.run(["module", "move", "Auth", "--host", "shared", "--timeout", "3s", "--run", scratch.path]) == .refused)
        #expect(console.talk.contains("it is stopping") && console.talk.contains("3s"))
        #expect(broker.requests.count > 1)
        #expect(broker.requests.last?.waits == false && broker.requests.dropLast().allSatisfy { $0.waits == true }, "it does not come again")
        console = TestConsole()
        #expect(console.run(["module", "rollback", "Auth", "--run", scratch.path]) == .refused)
        #expect(!console.talk.contains("waiting for"))
        #expect(broker.requests.count(where: { if case .rollback = $0.body { true } else { false } }) == 1)
        console = TestConsole()
        let new = try Demo.pack("Auth", "1.1.0", in: scratch.path)
        #expect(console.run(["module", "upgrade", "Auth", new, "--run", scratch.path]) == .refused)
        #expect(console.talk.contains("the cluster is closing") && console.talk.contains("relux up"), "\(console.talk)")
    }

    @Test(arguments: [true, false])
    func `a restart whose time is over says which process has to end first, and that it was stopped`(_ isStopped: Bool) async throws {
        let scratch = TemporaryDirectory(isMade: true)
        let frozen = try Process.run(URL(fileURLWithPath: "/bin/sleep"), arguments: ["600"])
        defer { kill(frozen.processIdentifier, SIGKILL) }
        if isStopped {
            kill(frozen.processIdentifier, SIGSTOP)
            var info = siginfo_t()
            while waitid(P_PID, id_t(frozen.processIdentifier), &info, WSTOPPED | WNOWAIT) != 0, errno == EINTR {}
        }
        let broker = try broker(scratch) { request in
            guard case .status = request else { return .done(lines: ["host Auth restarts"]) }
            var status = Demo.status
            for place in status.modules.indices where status.modules[place].id == "Auth" { status.modules[place].pid = frozen.processIdentifier }
            return .status(status)
        }
        let console = TestConsole()
        #expect(console.run(["module", "restart", "Auth", "--yes", "--timeout", "1s", "--run", scratch.path]) == .timeout)
        let words = "Auth is not ready: its process of before, \(frozen.processIdentifier), has to end first, and "
        #expect(console.talk.contains(words + (isStopped ? "was stopped by a signal" : "is ready")), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `a restart that ends in quarantine ends there at once, with its reason`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let asked = Mutex(0)
        let broker = try broker(scratch) { request in
            guard case .status = request else { return .done(lines: ["was done"]) }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            var status = Demo.status
            guard let place = status.modules.firstIndex(where: { $0.id == "Auth" }) else { return nil }
            // The first two looks: it is quarantined from before, then it starts.
            status.modules[place].state = count == 3 ? ModuleState(.declared) : ModuleState(.quarantined, why: "exit 1: read its log")
            return .status(status)
        }
        let console = TestConsole()
        #expect(console.run(["module", "restart", "Auth", "--yes", "--run", scratch.path]) == .refused)
        #expect(console.talk.contains("Auth is quarantined: exit 1: read its log"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `a module that waits for what comes by itself is waited for, with a line that says for what, and one that nothing brings is told`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let asked = Mutex(0)
        let isBrought = Mutex(true)
        let why = "it needs Notes, which is starting again"
        let broker = try broker(scratch) { request in
            guard case .status = request else { return .done(lines: ["was done"]) }
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            var status = Demo.status
            guard let place = status.modules.firstIndex(where: { $0.id == "Auth" }) else { return nil }
            status.modules[place].epoch = Epoch(count > 1 ? 1000 : 1)
            let isReady = count > 80 && isBrought.withLock { $0 }
            status.modules[place].state = isReady ? ModuleState(.ready) : ModuleState(.waiting, why: why)
            status.picture.members.removeAll { $0.module == "Auth" }
            status.picture.members.append(
                .init(
                    module: "Auth", epoch: Epoch(1000), handles: [], emits: [], provides: [], observes: [], host: nil,
                    absence: isBrought.withLock { $0 } ? nil : why))
            return .status(status)
        }
        let restart = ["module", "restart", "Auth", "--yes", "--run", scratch.path]
        var console = TestConsole()
        #expect(console.run(restart) == .ok)
        #expect(console.talk.contains("waiting for Auth to be ready: it is waiting: \(why)"), "\(console.talk)")
        #expect(console.talk.contains("Auth  ready"), "\(console.talk)")

        asked.withLock { $0 = 0 }
        console = TestConsole()
        #expect(console.run(restart + ["--timeout", "2s"]) == .timeout)
        #expect(console.talk.contains("Auth is still waiting: \(why); --timeout waits longer"), "\(console.talk)")

        isBrought.withLock { $0 = false }
        asked.withLock { $0 = 0 }
        console = TestConsole()
        #expect(console.run(restart) == .ok)
        #expect(console.talk.contains("Auth  waiting  \(why)") && !console.talk.contains("waiting for"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `what takes long is said once, with what it waits for, and what does not take long is not said`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let isAnswered = Mutex(false)
        let broker = try FakeBroker(run: scratch.path) { request in
            guard case .status = request else { return isAnswered.withLock { $0 } ? .done(lines: ["was done"]) : nil }
            var status = Demo.status
            guard let place = status.modules.firstIndex(where: { $0.id == "Auth" }) else { return nil }
            status.modules[place].handover = "to host Auth.2: the new one starts"
            return .status(status)
        }
        let rollback = ["module", "rollback", "Auth", "--run", scratch.path]
        var console = TestConsole()
        #expect(console.run(rollback + ["--timeout", "2500ms"]) == .timeout)
        let line = "waiting for the rollback of Auth to end: to host Auth.2: the new one starts"
        #expect(console.talk.components(separatedBy: line).count == 2, "\(console.talk)")

        isAnswered.withLock { $0 = true }
        console = TestConsole()
        #expect(console.run(rollback) == .ok)
        #expect(!console.talk.contains("waiting for"), "\(console.talk)")
        withExtendedLifetime(broker) {}
    }

    @Test func `rollback and move ask for what they are told`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let console = TestConsole()
        #expect(console.run(["module", "rollback", "Auth", "--run", scratch.path, "--json"]) == .ok)
        #expect(console.run(["module", "move", "Auth", "--host", "shared", "--run", scratch.path]) == .ok)
        #expect(console.run(["module", "move", "Auth", "--own", "--dry-run", "--run", scratch.path]) == .ok)
        #expect(console.out.hasPrefix(#"{"schema":"relux.done/1","lines":["was done"]}"#))
        let asked = broker.requests.compactMap { request -> String? in
            switch request.body {
            case .status: nil
            case .rollback(let module, let dryRun): "rollback \(module) \(dryRun)"
            case .move(let module, let host, let dryRun): "move \(module) \(host?.rawValue ?? "own") \(dryRun)"
            default: "other"
            }
        }
        #expect(asked == ["rollback Auth false", "move Auth shared false", "move Auth own true"])
    }

    @Test func `what is refused ends with 6, what was tried and failed with 1`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch) { request in
            switch request {
            case .rollback: .refused(code: "no-way-back", message: "no way back: State is stored in version 2")
            case .move: .refused(code: "hand-over-failed", message: "it did not come about")
            default: nil
            }
        }
        let console = TestConsole()
        #expect(console.run(["module", "rollback", "Auth", "--run", scratch.path]) == .refused)
        #expect(console.talk.contains("no way back: State is stored in version 2"))
        #expect(console.run(["module", "move", "Auth", "--own", "--run", scratch.path]) == .failed)
        withExtendedLifetime(broker) {}
    }

    @Test func `evicting what others import needs a yes off a terminal, after the plan`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch)
        let console = TestConsole()
        #expect(console.run(["module", "evict", "Auth", "--run", scratch.path]) == .usage)
        #expect(console.talk.contains("PLAN  would be done"))
        #expect(console.run(["module", "evict", "Auth", "--dry-run", "--run", scratch.path]) == .ok)
        #expect(console.run(["module", "evict", "Auth", "--yes", "--run", scratch.path]) == .ok)
        #expect(console.out == "PLAN  would be done\nwas done")
        let done = broker.requests.count { if case .evict(_, true, false) = $0.body { true } else { false } }
        #expect(done == 1)
    }

    @Test func `status shows a hand-over that is under way`() throws {
        let scratch = TemporaryDirectory(isMade: true)
        let broker = try broker(scratch) { request in
            guard case .status = request else { return nil }
            var status = Demo.status
            status.modules[0].handover = "upgrade to 1.1.0 in host Auth.2: ready to take over"
            return .status(status)
        }
        let console = TestConsole()
        #expect(console.run(["status", "--run", scratch.path]) == .ok)
        #expect(console.run(["module", "show", Demo.status.modules[0].id.rawValue, "--run", scratch.path]) == .ok)
        #expect(console.run(["status", "--json", "--run", scratch.path]) == .ok)
        #expect(console.out.components(separatedBy: "upgrade to 1.1.0 in host Auth.2: ready to take over").count == 4)
        #expect(console.out.contains(#""handOver":"upgrade to 1.1.0"#))
        withExtendedLifetime(broker) {}
    }
}
