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
            try Task.checkCancellation()
            await node.dispatcher.actions { StartupOrchestration.Effect.begin }
            await Task.yield()
        }
    }

    @Test func `what is less than critical and fails opens it, and is told`() async throws {
        await boot([ActionBlock("tip", priority: .low) { throw Broken() }])
        #expect(try await wait { $0.isOpen && $0.text.contains("tip of Auth was not done: Broken()") }.isStuck == false)
    }

    @Test func `a mode that no action knows is told beside the barrier, until a known one is entered`() async throws {
        let runner = StartupOrchestration.Runner(mode: "headles")
        await node.register([Listener(progress, Recorder()), StartupOrchestration.Module(runner)])
        await node.register([Domain(moduleID: "Auth", actions: [ActionBlock("tip", priority: .low, excludedModes: ["headless"]) {}])])
        await ready()
        while runner.barrier.gate.state.unknownMode == nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(runner.barrier.gate.state.unknownMode == .init(mode: "headles", known: ["headless"]))
        await node.dispatcher.actions { StartupOrchestration.Effect.enter(mode: "headless") }
        #expect(runner.barrier.gate.state.unknownMode == nil)
        await node.dispatcher.actions { StartupOrchestration.Effect.enter(mode: "haedless") }
        #expect(runner.barrier.gate.state.unknownMode?.mode == "haedless")
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
        while !next.barrier.gate.state.isOpen {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `who has not said what it contributes keeps it closed by name, and what it has to do is done before it opens`() async throws {
        let (clock, answer, migrating) = (ManualClock(), Gate(), Gate())
        let node = Relux(clock: clock.nodeClock)
        let runner = StartupOrchestration.Runner(
            OrchestratorSettings(policy: .onFailure(from: .critical), clock: clock.nodeClock, warn: { _ in }))
        await node.register([Listener(progress, Recorder()), StartupOrchestration.Module(runner)])
        await node.register([
            Domain(moduleID: "Auth", actions: [ActionBlock("auth.migrate", priority: .critical) {}, ActionBlock("onboarding", priority: .high) {}])
        ])
        await node.register([
            Domain(moduleID: "Profile", actions: [ActionBlock("profile.migrate", priority: .critical) { await migrating.pass() }], hold: answer)
        ])
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        try await answer.waitForArrivals(1)
        clock.advance(by: .seconds(5))

        let first = try await progress.wait(count: 4)
        guard case .began(_, 1, ["auth.migrate"], [])? = first.first, case .ended(_, 1, true, nil, []) = first[3] else { throw Broken() }
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        #expect(!runner.barrier.gate.state.isOpen && !runner.barrier.gate.state.isStuck)
        #expect(runner.barrier.gate.state.text == "Profile has not said what it contributes: relux module why-not Profile")

        answer.open()
        clock.advance(by: .seconds(1))
        try await migrating.waitForArrivals(1)
        #expect(!runner.barrier.gate.state.isOpen)
        migrating.open()
        while !runner.barrier.gate.state.isOpen {
            try Task.checkCancellation()
            await Task.yield()
        }
        guard case .began(_, 2, ["auth.migrate", "profile.migrate", "onboarding"], []) = try await progress.wait(count: 5)[4] else { throw Broken() }
    }

    @Test func `who is waited for and quarantined is named with the remedy, and nobody waits for who is removed`() {
        let barrier = StartupOrchestration.Barrier()
        barrier.heard(silent: ["Profile"])
        #expect(barrier.isWaiting && !barrier.gate.state.isStuck)
        barrier.take(Cluster.Business.Effect.moduleQuarantined(module: "Profile", why: "it died 5 times"))
        #expect(barrier.gate.state.isStuck && !barrier.gate.state.isOpen)
        #expect(
            barrier.gate.state.text.hasSuffix(
                "Profile has not said what it contributes and is quarantined: it died 5 times. Mend it, then: relux module restart Profile;"
                    + " or do without it: relux module unload Profile"))
        barrier.take(Cluster.Business.Effect.moduleStarting(module: "Profile"))
        #expect(!barrier.gate.state.isStuck && barrier.isWaiting)
        barrier.take(.passed(.critical))
        #expect(!barrier.gate.state.isOpen)
        barrier.heard(silent: [])
        barrier.take(.passed(.critical))
        #expect(barrier.gate.state.isOpen)
    }
}
