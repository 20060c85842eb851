import Foundation
import Glibc
import Testing

@testable import ReluxSupervisor

@Suite(.timeLimit(.minutes(2))) struct ChildProcessesTests {
    let scratch = Scratch()

    private func shell(_ script: String, log: String = "log") -> ChildSpec {
        ChildSpec(
            executable: "/bin/sh", arguments: ["-c", script], environment: ["PATH": "/usr/bin:/bin", "WORD": "two words"],
            log: scratch.path + "/" + log)
    }

    @Test(arguments: [
        ("exit 0", "exit 0"), ("exit 64", "exit 64"), ("kill -ILL $$", "signal 4 (SIGILL)"),
        ("kill -KILL $$", "signal 9 (SIGKILL)"), ("kill -SEGV $$", "signal 11 (SIGSEGV)"),
        ("kill -TERM $$", "signal 15 (SIGTERM)"),
    ])
    func `an end is told in words`(script: String, words: String) throws {
        var children = try ChildProcesses()
        let pid = try children.spawn(shell(script))
        let end = children.end(of: pid)
        #expect(end?.description == words)
        #expect(kill(pid, 0) == -1 && errno == ESRCH, "reaped, no zombie")
        let pids = children.pids
        #expect(pids.isEmpty)
    }

    @Test func `an end is seen without pidfds too`() throws {
        var children = try ChildProcesses(usesDescriptors: false)
        let pids = Set([try children.spawn(shell("exit 7")), try children.spawn(shell("exit 7"))])
        var seen: Set<Int32> = []
        while seen.count < 2 {
            for end in children.wait(limit: nil) where end.status == .exited(7) { seen.insert(end.pid) }
        }
        #expect(seen == pids)
    }

    @Test func `an end is seen also by a supervisor that was started with such signals ignored`() throws {
        var children = try ChildProcesses()
        // In a process of its own: other tests have children too.
        let pid = try children.spawn(
            ChildSpec(executable: Scratch.probe, arguments: ["deaf", "7"], environment: [:], log: scratch.path + "/log"))
        let end = children.end(of: pid)
        #expect(end == .exited(0))
        #expect(scratch.text("log") == "exit 7\n")
    }

    @Test func `a process that takes memory without end ends at its limit, and its end says how much it held`() throws {
        // Its parent is a process of its own, for the peak of a child says nothing under a parent that is larger; and that one has a larger parent.
        let held = UnsafeMutableRawPointer.allocate(byteCount: 600 << 20, alignment: 16)
        defer { held.deallocate() }
        memset(held, 1, 600 << 20)
        let words = try eaten(limit: 300, parent: 0)
        let peak = Int(words.prefix { $0 != "M" }.filter(\.isNumber)) ?? 0
        #expect(words.hasPrefix("killed, ") && (225...400).contains(peak), "\(words)")
        #expect(words.contains("MiB: it held \(peak) MiB of its limit of 300 MiB (memory.host-mebibytes)"), "\(words)")
    }

    @Test func `a child under a parent that held more is not charged with that`() throws {
        #expect(try eaten(limit: 100, parent: 500) == "killed, 0 MiB: no word\n")
    }

    @Test func `a report speaks of memory only near the limit`() {
        let limit = MemoryLimits.Limit(name: "memory.host-mebibytes", bytes: 300 << 20)
        #expect(limit.reached(by: 100 << 20) == nil && limit.reached(by: 0) == nil && limit.reached(by: 225 << 20) != nil)
    }

    private func eaten(limit: Int, parent: Int) throws -> String {
        var children = try ChildProcesses()
        let pid = try children.spawn(
            ChildSpec(
                executable: Scratch.probe, arguments: ["fed", "\(limit)", "\(parent)"], environment: ["SWIFT_BACKTRACE": "enable=no"],
                log: scratch.path + "/fed"))
        let end = children.end(of: pid)
        #expect(end == .exited(0))
        return scratch.text("fed")
    }

    @Test func `what cannot be executed is an error and no child`() throws {
        var children = try ChildProcesses()
        let spec = ChildSpec(executable: "/nowhere/relux-host", arguments: [], environment: [:], log: scratch.path + "/log")
        let error = #expect(throws: SpawnError.self) { _ = try children.spawn(spec) }
        #expect(error?.description == "cannot start or open /nowhere/relux-host: No such file or directory")
        let pids = children.pids
        #expect(pids.isEmpty)
    }

    @Test func `output and errors are appended to the log and the environment is whole`() throws {
        var children = try ChildProcesses()
        for _ in 0..<2 {
            let pid = try children.spawn(shell("echo \"$WORD\"; echo error >&2"))
            let end = children.end(of: pid)
            #expect(end == .exited(0))
        }
        #expect(scratch.text("log") == "two words\nerror\ntwo words\nerror\n")
    }

    @Test func `a child holds the lifeline as descriptor 3 and nothing else`() throws {
        var children = try ChildProcesses()
        let foreign = open(scratch.path + "/foreign", O_RDWR | O_CREAT, 0o600)  // inheritable on purpose
        defer { close(foreign) }
        let pid = try children.spawn(shell("echo $RELUX_LIFELINE_FD; for f in /proc/$$/fd/*; do readlink $f; done; exit 0"))
        let end = children.end(of: pid)
        #expect(end == .exited(0))
        let lines = scratch.text("log").split(separator: "\n").map(String.init)
        #expect(lines.first == "3")
        #expect(lines.filter { $0.hasPrefix("pipe:") }.count == 1)
        #expect(lines.filter { $0.hasSuffix("/log") }.count == 2)
        #expect(!lines.contains { $0.hasSuffix("/foreign") })
    }

    @Test func `a child leads its own group, and the group ends with it`() async throws {
        let fifo = Fifo(in: scratch)
        var children = try ChildProcesses()
        let pid = try children.spawn(shell("sleep 1000 & echo $! > \(fifo.path); read x < /dev/null; exit 3"))
        let line = await fifo.line()
        let grandchild = try #require(line.flatMap { Int32($0) })
        let end = children.end(of: pid)
        #expect(end == .exited(3))
        #expect(await ended(grandchild))
    }

    @Test func `a child that ignores TERM is killed on the ladder's last rung`() async throws {
        let fifo = Fifo(in: scratch)
        var children = try ChildProcesses()
        let pid = try children.spawn(shell("trap '' TERM; echo up > \(fifo.path); while :; do sleep 1; done"))
        #expect(await fifo.line() == "up")
        let timing = StopLadder.Timing(drain: .milliseconds(20), term: .milliseconds(20))
        let start = ContinuousClock.now
        var ladder = StopLadder.afterDrainRequest(now: .zero, timing: timing)
        var sent: [Int32] = []
        var status: ChildStatus?
        for _ in 0..<6000 where status == nil {
            let now = ContinuousClock.now - start
            while let signal = ladder.step(now: now) {
                sent.append(signal)
                children.signal(pid, signal)
            }
            status = children.wait(limit: ladder.deadline.map { $0 - now } ?? .milliseconds(10)).first?.status
        }
        #expect(sent == [SIGTERM, SIGKILL])
        #expect(status == .signalled(SIGKILL))
    }

    @Test func `fifty spawns leave no descriptor and no zombie behind`() throws {
        var children = try ChildProcesses()
        // In a process of its own: here, other tests open and close descriptors meanwhile.
        let pid = try children.spawn(
            ChildSpec(executable: Scratch.probe, arguments: ["spawns", "50"], environment: [:], log: scratch.path + "/log"))
        let end = children.end(of: pid)
        #expect(end == .exited(0))
        #expect(scratch.text("log") == "spawned 50, descriptors +0, zombies 0\n")
    }

    @Test func `a wake from another thread ends the wait`() async throws {
        var children = try ChildProcesses()
        let wake = children.wake
        Thread { wake() }.start()
        let ends = children.wait(limit: nil)
        #expect(ends.isEmpty)
    }
}
