import ErrorHandlingModels
import ErrorHandlingReluxInt
import NavigationModels
import NavigationReluxInt
import Relux
import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
@testable import StartupOrchestrationImpl
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1))) struct StartupOrchestrationTests {
    private struct Broken: Error {}

    private let node = Relux()
    private let progress = Recorder<Orchestration.Business.Progress>()
    private let told = Recorder<any Relux.Effect>()

    private func boot(_ actions: [ModuleID: [any OrchestratedAction]]) async {
        await node.register([Listener(progress, told), StartupOrchestration.Module()])
        for (module, actions) in actions.sorted(by: { $0.key < $1.key }) { await contribute(module, actions) }
        await node.dispatcher.actions { Cluster.Business.Effect.moduleReady(module: "StartupOrchestration", epoch: 1, milliseconds: 1) }
    }

    private func contribute(_ module: ModuleID, _ actions: [any OrchestratedAction]) async {
        await node.register([Domain(moduleID: module, actions: actions)])
    }

    /// In the order in which they were said, as far as the end of so many evaluations.
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
        guard case .track(let error)? = told.first as? ErrorHandling.Business.Effect,
            case .set(let pages)? = told.last as? Navigation.Business.Effect
        else { throw Broken() }
        #expect(error.message == "auth.migrate was not done: Broken()")
        #expect(pages == [.init(domain: "app", name: "maintenance", parameters: ["action": "auth.migrate", "why": "Broken()"])])
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
        // The round is over a moment after it has said so; before that it is still busy.
        while !progress.elements.contains(where: { Self.text($0) == "2: [a, b]" }) {
            await node.dispatcher.actions { StartupOrchestration.Effect.begin }
        }
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
}

private struct Domain: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]

    init(moduleID: ModuleID, actions: [any OrchestratedAction]) {
        self.moduleID = moduleID
        sagas = [ActionContributor(["StartupOrchestration": actions])]
    }
}

private struct Listener: Relux.Module {
    let moduleID: ModuleID = "Listener"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [
        Orchestration.Business.Progress.self, Navigation.Business.Effect.self, ErrorHandling.Business.Effect.self,
    ]

    init(_ progress: Recorder<Orchestration.Business.Progress>, _ told: Recorder<any Relux.Effect>) {
        sagas = [Saga(progress, told)]
    }

    actor Saga: Relux.Saga {
        let progress: Recorder<Orchestration.Business.Progress>
        let told: Recorder<any Relux.Effect>

        init(_ progress: Recorder<Orchestration.Business.Progress>, _ told: Recorder<any Relux.Effect>) {
            self.progress = progress
            self.told = told
        }

        func apply(_ effect: any Relux.Effect) async {
            if let fact = effect as? Orchestration.Business.Progress { progress.record(fact) } else { told.record(effect) }
        }
    }
}
