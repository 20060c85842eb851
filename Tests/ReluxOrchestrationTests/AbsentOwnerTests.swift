@testable import Relux
@testable import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

/// Modules that contribute and are known to be absent: nothing waits for them.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct AbsentOwnerTests {
    private let log = Log()
    private let warnings = Log()
    /// Nobody moves it on: what waits for a limit waits for ever.
    private let clock = ManualClock()
    private let node: Relux
    private let runner: Runner
    private let why = "imports SyncReluxInt, which no module provides; load Sync"

    init() async {
        node = Relux(clock: clock.nodeClock)
        runner = Runner(clock: clock.nodeClock, warn: warnings.record)
        await node.register { runner }
        for id: ModuleID in ["Auth", "Notes"] {
            let steps: [any OrchestratedAction] = [Step(id: ActionID(rawValue: id.rawValue), log: log)]
            await node.register([Contributor(id, ActionContributor([runner.moduleID: steps], clock: clock.nodeClock, warn: warnings.record))])
        }
        show([:])
    }

    private func show(_ absences: [ModuleID: String]) {
        node.exchange.setMembership(
            version: 1,
            recipients: [
                Orchestration.Business.Request.wireTopic: ["Auth", "Notes", "Far"], Orchestration.Business.Answer.wireTopic: [runner.moduleID],
                Runner.Effect.wireTopic: [runner.moduleID],
            ],
            absences: absences.merging(["Far": "gone"]) { $1 })
    }

    @Test func `an absent module is not waited for when all are asked, and is named with the reason`() async {
        await node.dispatcher.actions { Runner.Effect.collect }
        let found = await runner.contributed.collect()
        #expect(found.silent == ["Far"] && found.absent == ["Far": "gone"])
        #expect(warnings.elements == ["Far is absent and was not asked what it contributes to Runner: gone"])
        #expect(Set(runner.orchestrator.evaluator.list.actions.map(\.id)) == ["Auth", "Notes"])
    }

    @Test func `an action of an absent module does not hold up the others, and its gate says why`() async {
        await node.dispatcher.actions { Runner.Effect.collect }
        show(["Auth": why])
        await node.dispatcher.actions { Runner.Effect.evaluateKnown }
        let ran = await runner.saga.last
        #expect(ran.ids == ["Notes"] && ran.unanswered == ["Auth"])
        #expect(ran.gateFailures["Auth"]?.contains(why) == true)
    }

    @Test func `an action whose module has become absent ends as parked, and the module is told not to begin it`() async throws {
        await node.register([Hearing(heard: log)])
        await node.dispatcher.actions { Runner.Effect.collect }
        let result = await runner.contributed.execute("far", by: "Far", PipelineContext())
        #expect(result == .parked(owner: "Far", why: "gone"))
        // The requests that it hears when it is back it hears here at once, for it is there all the time.
        #expect(try await log.wait(count: 2) == ["execute", "cancel"])
    }
}

/// Says which requests have come.
private struct Hearing: Relux.Module {
    let moduleID: ModuleID = "Far"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [Orchestration.Business.Request.self]

    init(heard: Log) { sagas = [Saga(heard: heard)] }

    private actor Saga: Relux.Saga {
        let heard: Log
        init(heard: Log) { self.heard = heard }

        func apply(_ effect: any Relux.Effect) async {
            switch effect as? Orchestration.Business.Request {
            case .execute: heard.record("execute")
            case .cancel: heard.record("cancel")
            default: break
            }
        }
    }
}
