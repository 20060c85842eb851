import Relux
import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
@testable import StartupOrchestrationImpl
import Synchronization
import Testing

/// Users are kept out until all that is critical has been done.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct StartBarrierTests {
    private struct Broken: Error {}

    private let node = Relux()
    private let progress = Recorder<Orchestration.Business.Progress>()
    private let runner = StartupOrchestration.Runner()

    private func boot(_ actions: [any OrchestratedAction]) async {
        await node.register([Listener(progress, Recorder()), StartupOrchestration.Module(runner)])
        await node.register([Domain(moduleID: "Auth", actions: actions)])
        await ready()
    }

    private func ready() async {
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "StartupOrchestration", epoch: 1, milliseconds: 1) }
    }

    private func wait(_ isMeant: (Relux.StartBarrier.State) -> Bool) async throws -> Relux.StartBarrier.State {
        while !isMeant(runner.barrier.gate.state) {
            try Task.checkCancellation()
            await Task.yield()
        }
        return runner.barrier.gate.state
    }

    @Test func `it opens when all that is critical is done, before anything waits for a user`() async throws {
        let (hold, user) = (Gate(), Gate())
        await boot([
            ActionBlock("onboarding", priority: .high) { await user.pass() }, ActionBlock("migrate", priority: .critical) { await hold.pass() },
        ])
        try await hold.waitForArrivals(1)
        #expect(runner.barrier.gate.state.text == "evaluation 1: 0 of 2 done, migrate of Auth runs")
        #expect(!runner.barrier.gate.state.isOpen && !runner.barrier.gate.state.isStuck)
        hold.open()
        try await user.waitForArrivals(1)
        #expect(runner.barrier.gate.state.isOpen)
        #expect(runner.barrier.gate.state.text == "evaluation 1: 1 of 2 done, onboarding of Auth runs")
        user.open()
        _ = try await wait { $0.isOpen && $0.text.isEmpty }
    }

    @Test func `a critical action that fails keeps it closed by name, until it is mended and asked for again`() async throws {
        let isBroken = Atomic(true)
        await boot([
            ActionBlock("migrate", priority: .critical) { if isBroken.load(ordering: .relaxed) { throw Broken() } },
            ActionBlock("tip", priority: .low) {},
        ])
        let stuck = try await wait(\.isStuck)
        #expect(!stuck.isOpen)
        #expect(
            stuck.text
                == "migrate of Auth was not done: Broken(). Mend it, then: relux effect send StartupOrchestration.Effect.begin")
        isBroken.store(false, ordering: .relaxed)
        while !runner.barrier.gate.state.isOpen {
            await node.dispatcher.actions { StartupOrchestration.Effect.begin }
            await Task.yield()
        }
    }

    @Test func `what is less than critical and fails opens it, and is told`() async throws {
        await boot([ActionBlock("tip", priority: .low) { throw Broken() }])
        #expect(try await wait { $0.isOpen && $0.text.contains("tip of Auth was not done: Broken()") }.isStuck == false)
    }

    @Test func `it opens also when nobody has anything to do`() async throws {
        await boot([])
        _ = try await wait(\.isOpen)
    }

    @Test func `a cancelled start keeps it closed and says what to do`() async throws {
        let never = Gate()
        await boot([ActionBlock("migrate", priority: .critical) {
            await never.pass()
            try Task.checkCancellation()
        }])
        try await never.waitForArrivals(1)
        await node.dispatcher.actions { StartupOrchestration.Effect.cancel }
        #expect(try await wait(\.isStuck).text.contains("evaluation 1 was cancelled"))
        never.open()
    }

    @Test func `another life of the runner opens it at once when all says that it is done`() async throws {
        let isDone = Atomic(false)
        let action = ActionBlock("migrate", priority: .critical, shouldRun: { !isDone.load(ordering: .relaxed) }) { isDone.store(true, ordering: .relaxed) }
        await boot([action])
        _ = try await wait(\.isOpen)
        await node.unregister("StartupOrchestration")
        let next = StartupOrchestration.Runner()
        await node.register([StartupOrchestration.Module(next)])
        #expect(!next.barrier.gate.state.isOpen)
        await ready()
        while !next.barrier.gate.state.isOpen { await Task.yield() }
    }
}
