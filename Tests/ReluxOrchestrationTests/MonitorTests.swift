import Relux
import ReluxOrchestration
import ReluxTestKit
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct MonitorTests {
    private let log = Log()
    private let clock = ManualClock()

    private var settings: OrchestratorSettings { OrchestratorSettings(clock: clock.nodeClock, warn: { _ in }) }

    @MainActor @Test func `ForgeOrchestrator's spellings mean the same`() async {
        let monitor = MonitorOrchestrator()
        #expect(monitor.interval == nil)
        monitor.register(Step(id: "one", log: Log()))
        monitor.setExcludedScreens(["Checkout"])
        monitor.updateCurrentScreen("Checkout")
        #expect(await monitor.reevaluate().isEmpty)
        monitor.updateCurrentScreen(nil)
        let evaluation = await monitor.reevaluate()
        #expect(evaluation.count == 1 && evaluation[0].id == "one" && evaluation.map(\.result) == [.completed])
        #expect(monitor.currentActionId == nil)
        #expect(MonitorOrchestrator(interval: 60).interval == .seconds(60))
        #expect(MonitorOrchestrator(interval: 1e300).interval == .seconds(1_000_000_000))
        for refused in [-Double.infinity, 0, .nan] {
            #expect(MonitorOrchestrator(interval: refused, OrchestratorSettings(warn: { _ in })).interval == nil)
        }
    }

    @Test func `stop ends a look that somebody has asked for by hand`() async throws {
        let monitor = MonitorOrchestrator(interval: nil, settings)
        let never = CompletionSignal()
        monitor.register([
            Step(id: "a", priority: .high, log: log, work: { await never.wait() }), Step(id: "b", log: log),
        ])
        async let look = monitor.reevaluate()
        _ = try await log.wait(count: 3)
        monitor.stop()
        let ran = await look
        #expect(ran.isCancelled)
        #expect(ran.notStarted == ["b"])
    }

    @Test func `the first look's time begins with start, not with the timer's task`() async throws {
        let monitor = MonitorOrchestrator(interval: .seconds(1), settings)
        monitor.register(Step(id: "a", log: log))
        monitor.start()
        clock.advance(by: .seconds(1))
        _ = try await log.wait(count: 1)
        monitor.stop()
    }

    @Test func `cancel ends the look and the timer goes on`() async throws {
        let monitor = MonitorOrchestrator(interval: .seconds(1), settings)
        let never = CompletionSignal()
        monitor.register(Step(id: "a", log: log, work: { await never.wait() }))
        monitor.start()
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        _ = try await log.wait(count: 2)
        monitor.cancel()
        #expect(monitor.isRunning)
        while monitor.isProcessing { await Task.yield() }
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        _ = try await log.wait(count: 4)
        monitor.stop()
    }

    @Test func `a tick dispatches for the module that has begun the monitor, and not in its handler`() async throws {
        let node = Relux()
        let starter = Starter(settings)
        await node.register([starter])
        await node.dispatcher.actions { Starter.Effect.start }
        for tick in 1...2 {
            try await clock.waitForSleepers(1, dueWithin: .seconds(1))
            clock.advance(by: .seconds(1))
            #expect(try await starter.results.wait(count: tick).last == "Starter true")
        }
        starter.monitor.stop()
    }

    @Test func `jitter lengthens an interval by as much at most`() async throws {
        let monitor = MonitorOrchestrator(interval: .seconds(10), jitter: .seconds(5), settings)
        monitor.register(Step(id: "a", log: log))
        monitor.start()
        try await clock.waitForSleepers(1, dueWithin: .seconds(15))
        clock.advance(by: .milliseconds(9_999))
        #expect(log.elements.isEmpty)
        clock.advance(by: .milliseconds(5_001))
        _ = try await log.wait(count: 2)
        monitor.stop()
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `an interval that is not above zero is refused with its value, and nothing spins`(interval: Duration) async {
        let warnings = Log()
        let monitor = MonitorOrchestrator(interval: interval, OrchestratorSettings(clock: clock.nodeClock, warn: warnings.record))
        #expect(warnings.elements.count == 1)
        #expect(warnings.elements.first?.contains("interval of \(interval) is refused") == true)
        monitor.register(Step(id: "a", log: log))
        monitor.start()
        #expect(monitor.interval == nil && !monitor.isRunning)
        #expect(await monitor.reevaluate().ids == ["a"], "it looks when it is asked to")
    }

    @Test func `an excluded look says that it was one`() async {
        let monitor = MonitorOrchestrator(interval: nil, excludedModes: ["onboarding"], settings)
        monitor.currentMode = "onboarding"
        #expect(monitor.isExcluded)
        #expect(await monitor.reevaluate().isExcluded)
        monitor.currentMode = "home"
        #expect(!monitor.isExcluded)
        #expect(await !monitor.reevaluate().isExcluded)
    }

    @Test func `a monitor that is dropped during a look that hangs goes away, and its action is asked to end`() async throws {
        var monitor: MonitorOrchestrator? = MonitorOrchestrator(interval: .seconds(1), settings)
        weak let dropped = monitor
        let (never, ended) = (CompletionSignal(), Signal("the action to be cancelled"))
        monitor?.register(
            Step(
                id: "a", log: log,
                work: {
                    await never.wait()
                    ended.fire()
                }))
        monitor?.start()
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        _ = try await log.wait(count: 2)
        monitor = nil
        try await ended.wait()
        #expect(dropped == nil)
    }
}

/// Begins a monitor in a handler; its action dispatches, and says as whom and how it went.
@MainActor
private struct Starter: Relux.Module {
    enum Effect: Relux.Effect { case start, tick }

    let moduleID: ModuleID = "Starter"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let monitor: MonitorOrchestrator
    let results = Recorder<String>()

    init(_ settings: OrchestratorSettings) {
        monitor = MonitorOrchestrator(interval: .seconds(1), settings)
        monitor.register(ActionBlock("tick", priority: .low) { [results] in
            let result = await Relux.Dispatcher.current.actions { Effect.tick }
            results.record("\(Relux.handledEffect == nil ? result.outcomes.first?.recipient.module.rawValue ?? "nobody" : "a handler") \(result.isSuccess)")
        })
        sagas = [Saga(monitor)]
    }

    actor Saga: Relux.Saga {
        private let monitor: MonitorOrchestrator
        init(_ monitor: MonitorOrchestrator) { self.monitor = monitor }
        func apply(_ effect: any Relux.Effect) async {
            if case .start? = effect as? Effect { await monitor.start() }
        }
    }
}
