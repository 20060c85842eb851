import Foundation
import Glibc
import Testing

@testable import ReluxSupervisor

/// The executable itself, with a broker that the test plays.
@Suite(.timeLimit(.minutes(2))) struct SupervisorProgramTests {
    @Test func `the executable starts its broker and ends with status 0 on SIGTERM`() async throws {
        let scratch = Scratch()
        let fifo = Fifo(in: scratch)
        var children = try ChildProcesses()
        let pid = try children.spawn(try supervisor(in: scratch, brokerBehaviour: "sleep", fifo))
        #expect(await fifo.line() == "up")
        let broker = try #require(Scratch.children(writing: scratch.path + "/run/logs/broker.log").first)
        children.signal(pid, SIGTERM)
        let end = children.end(of: pid)
        #expect(end == .exited(0), "\(scratch.text("log"))")
        #expect(kill(broker, 0) == -1 && errno == ESRCH)
    }

    @Test func `nothing is orphaned when the executable is killed`() async throws {
        let scratch = Scratch()
        let fifo = Fifo(in: scratch)
        var children = try ChildProcesses()
        let pid = try children.spawn(try supervisor(in: scratch, brokerBehaviour: "lifeline", fifo))
        #expect(await fifo.line() == "up")
        let broker = try #require(Scratch.children(writing: scratch.path + "/run/logs/broker.log").first)
        kill(pid, SIGKILL)
        let end = children.end(of: pid)
        #expect(end == .signalled(SIGKILL))
        #expect(await ended(broker))
        #expect(await fifo.line() == "drained")
    }

    private func supervisor(in scratch: Scratch, brokerBehaviour: String, _ fifo: Fifo) throws -> ChildSpec {
        try Data("cluster: {directory: run}\n".utf8).write(to: URL(fileURLWithPath: scratch.path + "/cluster.yaml"))
        return ChildSpec(
            executable: Scratch.built("relux-supervisor"),
            arguments: ["--config", scratch.path + "/cluster.yaml", "--broker", Scratch.child, "--host", Scratch.child],
            environment: ["PATH": "/usr/bin:/bin", "BEHAVIOUR": brokerBehaviour, "FIFO": fifo.path],
            log: scratch.path + "/log")
    }
}
