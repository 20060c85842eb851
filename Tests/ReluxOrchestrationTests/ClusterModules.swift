import Relux
import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import Synchronization

/// The module that runs the orchestrator.
@MainActor
final class Runner: Relux.Module {
    enum Effect: Relux.Effect {
        /// Collects before.
        case evaluate
        case evaluateKnown
        case collect
    }

    let moduleID: ModuleID = "Runner"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let saga: RunnerSaga
    let orchestrator: ActionOrchestrator
    let pipeline: PipelineOrchestrator?
    let contributed: ContributedActions
    nonisolated let isSerial: Bool

    /// A serial one evaluates beside its handlers.
    init(isPipeline: Bool = false, isSerial: Bool = false, gateLimit: Duration = .seconds(5), clock: Relux.NodeClock, warn: @escaping @Sendable (String) -> Void) {
        let settings = OrchestratorSettings(gateLimit: gateLimit, clock: clock, warn: warn)
        let sequence = SequenceOrchestrator(settings)
        self.isSerial = isSerial
        let pipeline = isPipeline ? PipelineOrchestrator(settings) : nil
        self.pipeline = pipeline
        orchestrator = pipeline ?? sequence
        contributed = ContributedActions(to: orchestrator)
        saga = RunnerSaga(contributed, isBeside: isSerial) {
            if let pipeline { await pipeline.evaluate() } else { await sequence.evaluate() }
        }
        sagas = [saga]
    }
}

actor RunnerSaga: Relux.Saga {
    private let contributed: ContributedActions
    private let evaluate: @MainActor @Sendable () async -> Evaluation
    private(set) var last = Evaluation()
    private var collected: [ActionID] = []
    private let isBeside: Bool
    private(set) var beside: Task<Void, Never>?

    init(_ contributed: ContributedActions, isBeside: Bool, _ evaluate: @escaping @MainActor @Sendable () async -> Evaluation) {
        self.contributed = contributed
        self.evaluate = evaluate
        self.isBeside = isBeside
    }

    func apply(_ effect: any Relux.Effect) async {
        await contributed.handle(effect)
        switch effect as? Runner.Effect {
        case .evaluate where isBeside: beside = Task { await evaluateAll(collecting: true) }
        case .evaluate: await evaluateAll(collecting: true)
        case .evaluateKnown: await evaluateAll(collecting: false)
        case .collect: collected = await contributed.collect().new
        case nil: break
        }
    }

    private func evaluateAll(collecting: Bool) async {
        if collecting { await contributed.collect() }
        let evaluation = await evaluate()
        if evaluation.isBusy { await contributed.sayBusy() } else { last = evaluation }
    }

    func evaluate(in node: Relux) async -> Evaluation {
        await node.dispatcher.actions { Runner.Effect.evaluateKnown }
        return last
    }

    func collect(in node: Relux) async -> [ActionID] {
        await node.dispatcher.actions { Runner.Effect.collect }
        return collected
    }
}

/// A module that contributes.
struct Contributor: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [Orchestration.Business.Request.self]
    let emits: [any Relux.Effect.Type]?

    init(_ id: ModuleID, _ contributor: ActionContributor, emits: [any Relux.Effect.Type] = [Orchestration.Business.Answer.self]) {
        moduleID = id
        sagas = [contributor]
        self.emits = emits
    }
}

/// Hears what the orchestrator says of its evaluations.
struct Listener: Relux.Module {
    let moduleID: ModuleID
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [Orchestration.Business.Progress.self]
    let heard = Log()

    /// - Parameter hold: awaited before each fact is heard.
    init(_ id: ModuleID = "Listener", hold: @escaping @Sendable () async -> Void = {}) {
        moduleID = id
        sagas = [Saga(heard: heard, hold: hold)]
    }

    actor Saga: Relux.Saga {
        let heard: Log
        let hold: @Sendable () async -> Void
        init(heard: Log, hold: @escaping @Sendable () async -> Void) {
            self.heard = heard
            self.hold = hold
        }

        func apply(_ effect: any Relux.Effect) async {
            await hold()
            switch effect as? Orchestration.Business.Progress {
            case .began(_, _, let eligible, _): heard.record("began \(eligible)")
            case .actionBegan(_, _, let id, let owner): heard.record("actionBegan \(id) \(owner?.rawValue ?? "-")")
            case .actionEnded(_, _, let id, _, let result, _): heard.record("actionEnded \(id) \(result)")
            case .ended(_, _, let isSuccess, _, _): heard.record("ended \(isSuccess)")
            case .busy: heard.record("busy")
            case .tookUp(_, let epoch, let running): heard.record("tookUp \(epoch) \(running)")
            case nil: break
            }
        }
    }
}

/// Hears what contributors answer in the end.
struct AnswerListener: Relux.Module {
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [Orchestration.Business.Answer.self]
    let ended = Log()

    /// - Parameter hold: awaited before an answer is settled.
    init(hold: @escaping @Sendable (Orchestration.Business.Answer) async -> Void = { _ in }) { sagas = [Saga(ended: ended, hold: hold)] }

    actor Saga: Relux.Saga {
        let ended: Log
        let hold: @Sendable (Orchestration.Business.Answer) async -> Void
        init(ended: Log, hold: @escaping @Sendable (Orchestration.Business.Answer) async -> Void) {
            self.ended = ended
            self.hold = hold
        }

        func apply(_ effect: any Relux.Effect) async {
            guard let answer = effect as? Orchestration.Business.Answer else { return }
            await hold(answer)
            if case .ended(let call, let result, let values, _, _) = answer { ended.record("\(call) \(result) \(values.keys.sorted())") }
        }
    }
}
