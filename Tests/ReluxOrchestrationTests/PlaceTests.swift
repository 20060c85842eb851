@testable import Relux
@testable import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import ReluxWire
import Testing

/// Ties between modules of a cluster go by the places that the broker gives them, whoever comes, goes or is slow.
@MainActor
@Suite(.timeLimit(.minutes(1))) struct PlaceTests {
    private let log = Log()
    private let warnings = Log()
    private let node = Relux()
    private let runner: Runner

    init() async {
        runner = Runner(clock: .continuous, warn: warnings.record)
        await node.register { runner }
        show([])
    }

    /// As a broker's picture says it: Zeta was declared first.
    private func show(_ present: [ModuleID]) {
        node.exchange.setMembership(
            version: 1,
            recipients: [
                Orchestration.Business.Request.wireTopic: present, Orchestration.Business.Answer.wireTopic: [runner.moduleID],
                Runner.Effect.wireTopic: [runner.moduleID], Cluster.Business.Effect.wireTopic: [runner.moduleID],
            ],
            places: ["Zeta": 1 << 56 | 1, "Auth": 1 << 56 | 2, "Notes": 1 << 56 | 3])
    }

    private func leave(_ id: ModuleID) async {
        await node.unregister(id)
        show(node.modules.filter { $0 != runner.moduleID })
        await node.dispatcher.actions { Cluster.Business.Effect.instanceEnded(module: id, epoch: 0) }
    }

    private func join(_ id: ModuleID, _ actions: [any OrchestratedAction]) async {
        await node.register([Contributor(id, ActionContributor([runner.moduleID: actions], warn: warnings.record))])
        show(node.modules.filter { $0 != runner.moduleID })
    }

    private func evaluate() async -> Evaluation {
        await node.dispatcher.actions { Runner.Effect.evaluate }
        return await runner.saga.last
    }

    private func steps(_ id: String) -> [any OrchestratedAction] { [Step(id: ActionID(rawValue: "\(id) 1"), log: log), Step(id: ActionID(rawValue: "\(id) 2"), log: log)] }

    @Test func `48: ties run in registration order also across processes, whichever of them answered first or has come back`() async {
        await join("Notes", steps("n"))
        #expect(await evaluate().ids == ["n 1", "n 2"])
        await join("Zeta", steps("z"))
        await join("Auth", steps("a"))
        let order: [ActionID] = ["z 1", "z 2", "a 1", "a 2", "n 1", "n 2"]
        #expect(await evaluate().ids == order)

        // Zeta has another life; what it contributes is registered anew, at its place.
        await node.unregister("Zeta")
        await join("Zeta", steps("z"))
        #expect(await evaluate().ids == order)
    }

    @Test func `49: of two actions of one id the earlier module's is taken, also when it comes to the runner later`() async {
        let log = log
        await join("Notes", [Step(id: "a", log: log, work: { log.record("Notes") })])
        #expect(await evaluate().outcomes.map(\.owner) == ["Notes"])
        await join("Auth", [Step(id: "a", log: log, work: { log.record("Auth") })])
        #expect(await evaluate().outcomes.map(\.owner) == ["Auth"])
        _ = await evaluate()
        #expect(
            warnings.elements == [
                "an action a of Notes is registered already; the one of Auth, which was registered earlier, takes its place, rename one of them"
            ])
        await leave("Auth")
        #expect(await evaluate().outcomes.map(\.owner) == ["Notes"], "its turn comes when the first has gone")
    }

    @Test func `the orchestrator's own actions come before those of modules, in their order`() {
        var list = ActionList()
        func add(_ id: ActionID, _ owner: ModuleID?, _ index: Int = 0) {
            var action = RegisteredAction(Step(id: id, log: log), owner: owner) { _ in .completed }
            action.index = index
            #expect(list.add(action) == nil)
        }
        list.place(["Auth": 2, "Notes": 0])
        add("a2", "Auth", 1)
        add("own 1", nil)
        add("a1", "Auth", 0)
        add("n", "Notes")
        add("own 2", nil)
        #expect(list.actions.map(\.id) == ["own 1", "own 2", "n", "a1", "a2"])
        list.place(["Notes": 3])
        #expect(list.actions.map(\.id) == ["own 1", "own 2", "a1", "a2", "n"])
    }
}
