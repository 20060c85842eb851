import Relux
import ReluxOrchestration
import ReluxPlugin
import ReluxTestKit
import Synchronization

/// The module that runs the orchestrator.
@MainActor
final class Runner: Relux.Module {
    enum Effect: Relux.Effect {
        case evaluate
        case collect
    }

    let moduleID: ModuleID = "Runner"
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let saga: RunnerSaga
    let orchestrator: ActionOrchestrator
    let pipeline: PipelineOrchestrator?

    init(isPipeline: Bool = false, clock: Relux.NodeClock, warn: @escaping @Sendable (String) -> Void) {
        let settings = OrchestratorSettings(gateLimit: .seconds(5), clock: clock, warn: warn)
        let sequence = SequenceOrchestrator(settings)
        let pipeline = isPipeline ? PipelineOrchestrator(settings) : nil
        self.pipeline = pipeline
        orchestrator = pipeline ?? sequence
        saga = RunnerSaga(ContributedActions(to: orchestrator)) {
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

    init(_ contributed: ContributedActions, _ evaluate: @escaping @MainActor @Sendable () async -> Evaluation) {
        self.contributed = contributed
        self.evaluate = evaluate
    }

    func apply(_ effect: any Relux.Effect) async {
        await contributed.handle(effect)
        switch effect as? Runner.Effect {
        case .evaluate:
            await contributed.collect()
            let evaluation = await evaluate()
            if evaluation.isBusy { await contributed.sayBusy() } else { last = evaluation }
        case .collect: collected = await contributed.collect()
        case nil: break
        }
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
    let states: [any Relux.AnyState] = []
    let sagas: [any Relux.Saga]
    let handles: [any Relux.Effect.Type]? = [Orchestration.Business.Progress.self]
    let heard = Log()

    init() { sagas = [Saga(heard: heard)] }

    actor Saga: Relux.Saga {
        let heard: Log
        init(heard: Log) { self.heard = heard }

        func apply(_ effect: any Relux.Effect) async {
            switch effect as? Orchestration.Business.Progress {
            case .began(_, _, let eligible, _): heard.record("began \(eligible)")
            case .actionBegan(_, _, let id, let owner): heard.record("actionBegan \(id) \(owner?.rawValue ?? "-")")
            case .actionEnded(_, _, let id, _, let result, _): heard.record("actionEnded \(id) \(result)")
            case .ended(_, _, let isSuccess, _, _): heard.record("ended \(isSuccess)")
            case .busy: heard.record("busy")
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

    init() { sagas = [Saga(ended: ended)] }

    actor Saga: Relux.Saga {
        let ended: Log
        init(ended: Log) { self.ended = ended }

        func apply(_ effect: any Relux.Effect) async {
            if case .ended(let call, let result, let values, _, _)? = effect as? Orchestration.Business.Answer {
                ended.record("\(call) \(result) \(values.keys.sorted())")
            }
        }
    }
}
