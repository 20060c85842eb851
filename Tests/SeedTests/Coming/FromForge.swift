import ReluxOrchestration
import ReluxTestKit
import Testing

/// Compiles and runs what `Sources/ReluxOrchestration/ReluxOrchestration.docc/ComingFromForge.md` says.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct FromForge {
    struct Tip: SequenceAction, MonitorAction {
        let id: ActionID = "tip"
        let priority: ActionPriority = .low
        let shown = Recorder<String>()
        func shouldRun() async -> Bool { true }
        func execute() async { shown.record("tip") }
    }

    struct Fetch: PipelineAction {
        let id: ActionID = "fetch"
        let priority: ActionPriority = .high
        func shouldRun() async -> Bool { true }
        func execute(context: PipelineContext) async -> ActionResult {
            context.set("posts", 3)
            return .completed
        }
    }

    @Test func `the three orchestrators have their names`() async {
        let tip = Tip()
        let sequence = SequenceOrchestrator()
        sequence.register(tip)
        sequence.register([tip] as [any SequenceAction])
        let executed = await sequence.evaluate()
        #expect(executed.ids == ["tip"] && executed.count == 1)
        #expect(sequence.currentActionId == nil && sequence.completedCount == 1 && sequence.eligibleCount == 1 && !sequence.isProcessing)
        let pipeline = PipelineOrchestrator()
        pipeline.register(Fetch())
        #expect(await pipeline.evaluate().results == [.completed])
        #expect(pipeline.results == [.completed])
        let monitor = MonitorOrchestrator(interval: 60)
        monitor.register(tip)
        monitor.setExcludedScreens(["Checkout"])
        monitor.updateCurrentScreen("Checkout")
        await monitor.reevaluate()
        monitor.updateCurrentScreen(nil)
        monitor.start()
        monitor.stop()
        #expect(tip.shown.elements.count == 1)
        #expect(MonitorOrchestrator().interval == nil)
    }

    @Test func `a signal is completed from anywhere`() async {
        let signal = CompletionSignal()
        Task { signal.complete() }
        await signal.wait()
    }
}
