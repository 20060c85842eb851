import ErrorHandlingModels
import ErrorHandlingReluxInt
import NavigationModels
import NavigationReluxInt
import Relux
import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
@testable import StartupOrchestrationImpl
import Synchronization
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct StartupOrchestrationTests {
    private struct Broken: Error {}

    private let node = Relux()
    private let progress = Recorder<Orchestration.Business.Progress>()
    private let told = Recorder<any Relux.Effect>()

    private func boot(_ actions: [ModuleID: [any OrchestratedAction]]) async {
        await node.register([Listener(progress, told), StartupOrchestration.Module(Self.patient)])
        for (module, actions) in actions.sorted(by: { $0.key < $1.key }) { await contribute(module, actions) }
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "StartupOrchestration", epoch: 1, milliseconds: 1) }
    }

    /// Nobody is too late for it, however busy the machine is.
    private static var patient: StartupOrchestration.Runner {
        .init(questionLimit: .seconds(600), OrchestratorSettings(gateLimit: .seconds(600), policy: .onFailure(from: .critical)))
    }

    private func contribute(_ module: ModuleID, _ actions: [any OrchestratedAction]) async {
        await node.register([Domain(moduleID: module, actions: actions)])
    }

    /// In the order in which they were said, as far as the end of this number of evaluations.
    private func facts(_ evaluations: Int = 1) async throws -> [String] {
        var count = 1
        while true {
            let facts = try await progress.wait(count: count)
            count = facts.count + 1
            let ends = facts.filter { if case .ended = $0 { true } else { false } }
            if ends.count >= evaluations { return facts.compactMap(Self.text) }
        }
    }

    private static func text(_ fact: Orchestration.Business.Progress) -> String? {
        switch fact {
        case .began(_, let number, let eligible, let unanswered): "\(number): \(eligible)\(unanswered.isEmpty ? "" : " but \(unanswered)")"
        case .actionBegan: nil
        case .actionEnded(_, _, let action, let owner, let result, _): "\(action) of \(owner?.rawValue ?? "-"): \(result)"
        case .ended(_, _, let isSuccess, let endedBy, let left): "\(isSuccess) \(endedBy?.rawValue ?? "-") \(left)"
        case .busy: "busy"
        case .tookUp(_, let epoch, let running): "took up \(running) in \(epoch)"
        }
    }

    @Test func `when it is ready it runs what the modules contribute, migrations first`() async throws {
        await boot([
            "Auth": [ActionBlock("auth.migrate", priority: .critical) {}],
            "Notes": [ActionBlock("notes.tip", priority: .low) {}, ActionBlock("notes.migrate", priority: .critical) {}],
            "Settings": [ActionBlock("settings.onboarding", priority: .high) {}],
        ])
        #expect(
            try await facts() == [
                "1: [auth.migrate, notes.migrate, settings.onboarding, notes.tip]", "auth.migrate of Auth: completed",
                "notes.migrate of Notes: completed", "settings.onboarding of Settings: completed", "notes.tip of Notes: completed",
                "true - []",
            ])
        #expect(told.elements.isEmpty)
    }

    @Test func `a critical migration that fails stops the rest, by its name`() async throws {
        await boot([
            "Auth": [ActionBlock("auth.migrate", priority: .critical) { throw Broken() }],
            "Settings": [ActionBlock("settings.onboarding", priority: .high) {}],
        ])
        #expect(try await facts().suffix(2) == ["auth.migrate of Auth: failed(\"Broken()\")", "false auth.migrate [settings.onboarding]"])
        let told = try await told.wait(count: 2)
        guard case .cover(let page)? = told.first as? Navigation.Business.Effect,
            case .track(let error)? = told.last as? ErrorHandling.Business.Effect
        else { throw Broken() }
        #expect(error.message == "auth.migrate was not done: Broken()")
        #expect(page == Self.page("auth.migrate", "Broken()"))
    }

    private static func page(_ action: String, _ why: String) -> Navigation.Business.Model.Page {
        .init(domain: "app", name: "maintenance", parameters: ["action": action, "why": why])
    }

    /// The pages that covered all others so far, nil for each time that ours was taken away; once there are as many.
    private func covers(_ count: Int) async throws -> [Navigation.Business.Model.Page?] {
        var seen = count
        while true {
            let all = try await told.wait(count: seen)
            let covers = all.compactMap { effect -> Navigation.Business.Model.Page?? in
                switch effect as? Navigation.Business.Effect {
                case .cover(let page): page
                case .uncover("app", "maintenance"): .some(nil)
                default: nil
                }
            }
            if covers.count >= count { return covers }
            seen = all.count + 1
        }
    }

    @Test func `the page of a critical failure goes when that is mended, before anything else is shown`() async throws {
        let isBroken = Atomic(true)
        let (told, shown) = (told, Signal("the onboarding"))
        await boot([
            "Auth": [ActionBlock("auth.migrate", priority: .critical) { if isBroken.load(ordering: .relaxed) { throw Broken() } }],
            "Settings": [ActionBlock("settings.onboarding", priority: .high) {
                if told.elements.compactMap({ $0 as? Navigation.Business.Effect }).count == 2 { shown.fire() }
            }],
        ])
        #expect(try await covers(1) == [Self.page("auth.migrate", "Broken()")])
        isBroken.store(false, ordering: .relaxed)
        #expect(try await again(2) == "2: [auth.migrate, startup.endMaintenance, settings.onboarding]")
        #expect(try await covers(2).last == .some(nil))
        try await shown.wait()
        _ = try await facts(2)
        // Once is enough.
        #expect(try await again(3) == "3: [auth.migrate, settings.onboarding]")
        #expect(try await facts(3).last == "true - []")
        #expect(try await covers(2).count == 2)
    }

    @Test(arguments: [true, false])
    func `the page that an earlier life has left goes when all that is critical is done, and nobody else's`(isMended: Bool) async throws {
        let others = [Navigation.Business.Model.Page(domain: "app", name: "tip"), .init(domain: "auth", name: "maintenance")]
        let navigation = Pages(others + [Self.page("auth.migrate", "it died")])
        await node.register([navigation])
        await boot([
            "Auth": [ActionBlock("auth.migrate", priority: .critical) { if !isMended { throw Broken() } }],
            "Settings": [ActionBlock("settings.onboarding", priority: .high) {}],
        ])
        #expect(try await facts().first == "1: [auth.migrate, startup.endMaintenance, settings.onboarding]")
        guard isMended else {
            // Not mended yet: it stays all the while.
            try await wait(for: others + [Self.page("auth.migrate", "Broken()")], in: navigation)
            return
        }
        try await wait(for: others, in: navigation)
        #expect(try await again(2) == "2: [auth.migrate, settings.onboarding]")
    }

    @Test func `Navigation that has not said what covers is asked again`() async throws {
        let (clock, hold, tip) = (ManualClock(), Gate(), Navigation.Business.Model.Page(domain: "app", name: "tip"))
        let node = Relux(clock: clock.nodeClock)
        let navigation = Pages([tip, Self.page("auth.migrate", "it died")], hold: hold)
        let runner = StartupOrchestration.Runner(OrchestratorSettings(policy: .onFailure(from: .critical), clock: clock.nodeClock))
        await node.register([navigation, Listener(progress, told), StartupOrchestration.Module(runner)])
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        try await hold.waitForArrivals(1)
        clock.advance(by: .seconds(2))
        #expect(try await facts() == ["1: []", "true - []"])
        hold.open()
        try await clock.waitForSleepers(1, dueWithin: .seconds(1))
        clock.advance(by: .seconds(1))
        try await wait(for: [tip], in: navigation)
    }

    /// Navigation hears what is told by a way of its own: that others have heard it says nothing.
    private func wait(for covers: [Navigation.Business.Model.Page], in navigation: Pages) async throws {
        while await navigation.flow.covers != covers {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test func `who is slow to track errors holds up neither the page nor the next evaluation`() async throws {
        let hold = Gate()
        await node.register([Listener(progress, told) { if $0 is ErrorHandling.Business.Effect { await hold.pass() } }, StartupOrchestration.Module()])
        await contribute("Auth", [ActionBlock("auth.migrate", priority: .critical) { throw Broken() }])
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        #expect(try await covers(1) == [Self.page("auth.migrate", "Broken()")])
        // Whoever tracks errors is still at it.
        #expect(try await again(2) == "2: [auth.migrate, startup.endMaintenance]")
        hold.open()
    }

    /// Has it begin until the evaluation of that number begins: a round is over a moment after it has said so, and before that it is busy.
    private func again(_ number: Int) async throws -> String {
        while true {
            if let began = progress.elements.compactMap(Self.text).first(where: { $0.hasPrefix("\(number): ") }) { return began }
            try Task.checkCancellation()
            await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        }
    }

    @Test func `the reason of a gate that fails is on the page`() async throws {
        let runner = StartupOrchestration.Runner()
        var evaluation = Evaluation()
        evaluation.unanswered = ["a"]
        evaluation.gateFailures = ["a": "its owner Auth is gone"]
        evaluation.endedBy = "a"
        await node.register([Listener(progress, told), Teller(runner: runner, evaluation: evaluation)])
        await node.dispatcher.actions { Teller.Effect.tell }
        #expect(try await covers(1) == [Self.page("a", "its owner Auth is gone")])
    }

    @Test func `cancelling while it asks what is contributed keeps that round from beginning, and no later one`() async throws {
        let collecting = Gate()
        await node.register([Listener(progress, told), StartupOrchestration.Module(), Slow(gate: collecting)])
        await contribute("Auth", [ActionBlock("a", priority: .high) {}])
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        try await collecting.waitForArrivals(1)
        await node.dispatcher.actions { StartupOrchestration.Effect.cancel }
        collecting.open()
        // What comes next is the first that is evaluated.
        await contribute("Notes", [ActionBlock("b", priority: .critical) {}])
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "Notes", epoch: 1, milliseconds: 1) }
        #expect(try await facts().first == "1: [b, a]")
    }

    @Test func `a begin behind a cancel begins`() async throws {
        let collecting = Gate()
        await node.register([Listener(progress, told), StartupOrchestration.Module(), Slow(gate: collecting)])
        await contribute("Auth", [ActionBlock("a", priority: .high) {}])
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        try await collecting.waitForArrivals(1)
        await node.dispatcher.actions {
            StartupOrchestration.Effect.cancel
            StartupOrchestration.Effect.begin
        }
        collecting.open()
        #expect(try await facts() == ["1: [a]", "a of Auth: completed", "true - []"])
    }

    @Test func `a module that is unloaded leaves no round behind`() async throws {
        let begun = Signal("a to begin")
        let never = CompletionSignal()
        weak var orchestrator: SequenceOrchestrator?
        do {
            let runner = StartupOrchestration.Runner()
            orchestrator = runner.orchestrator
            await node.register([Listener(progress, told), StartupOrchestration.Module(runner)])
        }
        await contribute("Auth", [ActionBlock("a", priority: .high) {
            begun.fire()
            await never.wait()
        }])
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        try await begun.wait()
        #expect(orchestrator != nil)
        await node.unregister("StartupOrchestration")
        while orchestrator != nil {
            try Task.checkCancellation()
            await Task.yield()
        }
        never.complete()
    }

    @Test func `what is less than critical and fails is tracked, and the rest runs`() async throws {
        await boot(["Notes": [ActionBlock("a", priority: .high) { throw Broken() }, ActionBlock("b", priority: .low) {}]])
        #expect(try await facts().suffix(2) == ["b of Notes: completed", "false - []"])
        #expect(try await told.wait(count: 1).allSatisfy { $0 is ErrorHandling.Business.Effect })
    }

    @Test func `a module that comes later has its turn, and one that brings nothing causes nothing`() async throws {
        await boot(["Auth": [ActionBlock("a", priority: .high) {}]])
        _ = try await facts()
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "Nobody", epoch: 1, milliseconds: 1) }
        await contribute("Notes", [ActionBlock("b", priority: .critical) {}])
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "Notes", epoch: 1, milliseconds: 1) }
        #expect(try await facts(2).suffix(4) == ["2: [b, a]", "b of Notes: completed", "a of Auth: completed", "true - []"])
    }

    @Test func `an action whose name was another module's has its turn when that one goes`() async throws {
        await boot(["Auth": [ActionBlock("a", priority: .high) {}], "Notes": [ActionBlock("a", priority: .high) {}]])
        #expect(try await facts() == ["1: [a]", "a of Auth: completed", "true - []"])
        await node.unregister("Auth")
        await node.dispatcher.actions { Cluster.Business.Effect.instanceEnded(module: "Auth", epoch: 0) }
        #expect(try await facts(2).dropFirst(3) == ["2: [a]", "a of Notes: completed", "true - []"])
    }

    @Test func `it can be asked to begin, is busy meanwhile, and to cancel`() async throws {
        let never = CompletionSignal()
        let begun = Signal("a to begin")
        await boot([
            "Auth": [
                ActionBlock("a", priority: .high) {
                    begun.fire()
                    await never.wait()
                    try Task.checkCancellation()
                }, ActionBlock("b", priority: .low) {},
            ]
        ])
        try await begun.wait()
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        await node.dispatcher.actions { StartupOrchestration.Effect.cancel }
        #expect(try await facts() == ["1: [a, b]", "busy", "a of Auth: cancelled", "false - [b]"])
        never.complete()
        #expect(try await again(2) == "2: [a, b]")
        #expect(try await facts(2).last == "true - []")
    }

    @Test func `a mode keeps out the actions that exclude it`() async throws {
        await node.register([Listener(progress, told), StartupOrchestration.Module()])
        await contribute("Auth", [ActionBlock("a", priority: .high, excludedModes: ["headless"]) {}, ActionBlock("b", priority: .low) {}])
        await node.dispatcher.actions {
            StartupOrchestration.Effect.enter(mode: "headless")
            StartupOrchestration.Effect.begin
        }
        #expect(try await facts() == ["1: [b]", "b of Auth: completed", "true - []"])
    }

    @Test func `it may begin in a mode, which the environment names`() async throws {
        #expect(StartMode.mode { $0 == "RELUX_STARTUP_MODE" ? "headless" : nil } == "headless")
        #expect(StartMode.mode { _ in "" } == nil)
        await node.register([Listener(progress, told), StartupOrchestration.Module(mode: "headless")])
        await contribute("Auth", [ActionBlock("a", priority: .high, excludedModes: ["headless"]) {}, ActionBlock("b", priority: .low) {}])
        await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        #expect(try await facts() == ["1: [b]", "b of Auth: completed", "true - []"])
        await node.dispatcher.actions { StartupOrchestration.Effect.enter(mode: nil) }
        #expect(try await again(2) == "2: [a, b]")
    }
}
