import Glibc
import Testing

@testable import ReluxSupervisor

@Suite(.timeLimit(.minutes(2))) struct LifelineTests {
    /// Kills a supervisor with SIGKILL, in a group of its own, and returns what its child said until its end.
    private func orphan(_ mode: String) async throws -> [Substring] {
        let scratch = Scratch()
        let fifo = Fifo(in: scratch)
        let said = Fifo(in: scratch, "said")
        var children = try ChildProcesses()
        let parent = try children.spawn(
            ChildSpec(
                executable: Scratch.probe, arguments: ["parent", said.path, mode], environment: [:], log: fifo.path))
        let line = await fifo.line()
        let child = try #require(line.flatMap { Int32($0) })
        #expect(await said.line() == "ready")
        kill(parent, SIGKILL)
        let end = children.end(of: parent)
        #expect(end == .signalled(SIGKILL))
        #expect(await ended(child), "no orphan")
        return (await said.line() ?? "").split(separator: "\n")
    }

    @Test func `a child drains and ends when its supervisor is killed`() async throws {
        #expect(try await orphan("child") == ["drained"])
    }

    @Test func `a child that does not end by itself is ended by its lifeline`() async throws {
        #expect(try await orphan("stuck") == ["drained"])
    }
}
