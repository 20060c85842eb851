import Relux
import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import Synchronization
import Testing

/// The module that runs the monitor.
@MainActor
private final class Watcher: Relux.Module {
    enum Effect: Relux.Effect { case collect }

    let moduleID: ModuleID = "Watcher"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let monitor: MonitorOrchestrator

    init(_ settings: OrchestratorSettings) {
        monitor = MonitorOrchestrator(interval: .seconds(1), settings)
        sagas = [Saga(ContributedActions(to: monitor))]
    }

    actor Saga: Relux.Saga {
        private let contributed: ContributedActions
        init(_ contributed: ContributedActions) { self.contributed = contributed }

        func apply(_ effect: any Relux.Effect) async {
            await contributed.handle(effect)
            if effect is Effect { await contributed.collect() }
        }
    }
}

/// A monitor's action and no other orchestrator's.
private struct Watch: MonitorAction {
    let id: ActionID
    let priority = ActionPriority.medium
    var gate: @Sendable () -> Bool = { true }
    let work: @Sendable () async -> Void

    func shouldRun() async -> Bool { gate() }
    func execute() async throws { await work() }
}

/// A monitor of one module looks at what another one contributes.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct MonitorScenarios {
    private let clock = ManualClock()
    private let node: Relux
    private let watcher: Watcher
    private let listener = Listener()

    init() async {
        node = Relux(clock: clock.nodeClock)
        watcher = Watcher(OrchestratorSettings(clock: clock.nodeClock, warn: { _ in }))
        await node.register([watcher, listener])
    }

    private func start(_ actions: [ModuleID: Watch]) async {
        for (module, action) in actions {
            await node.register([Contributor(module, ActionContributor(["Watcher": [action]], clock: clock.nodeClock))])
        }
        await node.dispatcher.actions { Watcher.Effect.collect }
        watcher.monitor.start()
    }

    /// Lets one interval pass. The monitor is the first of all that wait for the clock: gates and answers have five seconds.
    private func look() async throws {
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
    }

    @Test func `a monitor looks again and again at what a module elsewhere contributes, and runs it when it is due`() async throws {
        let isDue = Atomic(true)
        await start(["Auth": Watch(id: "session", gate: { isDue.load(ordering: .relaxed) }, work: { isDue.store(false, ordering: .relaxed) })])
        #expect(listener.heard.elements.isEmpty, "the first look comes an interval after the start")
        try await look()
        let first = ["began [session]", "actionBegan session Auth", "actionEnded session completed", "ended true"]
        #expect(try await listener.heard.wait(count: 4) == first)
        try await look()
        #expect(try await listener.heard.wait(count: 6).dropFirst(4) == ["began []", "ended true"])
        isDue.store(true, ordering: .relaxed)
        try await look()
        #expect(try await listener.heard.wait(count: 10).dropFirst(6) == first[...])
        watcher.monitor.stop()
    }

    @Test func `a monitor's action whose module goes during a look ends as lost, and the looks go on without it`() async throws {
        let (never, begun) = (CompletionSignal(), Signal("the action to begin"))
        await start([
            "Auth": Watch(id: "session") {
                begun.fire()
                await never.wait()
            }
        ])
        try await look()
        try await begun.wait()
        await node.dispatcher.actions { Cluster.Business.Effect.instanceEnded(module: "Auth", epoch: 0) }
        #expect(
            try await listener.heard.wait(count: 4) == [
                "began [session]", "actionBegan session Auth", "actionEnded session lost(owner: Auth)", "ended false",
            ])
        try await look()
        #expect(try await listener.heard.wait(count: 6).suffix(2) == ["began []", "ended true"])
        watcher.monitor.stop()
        never.complete()
    }
}
