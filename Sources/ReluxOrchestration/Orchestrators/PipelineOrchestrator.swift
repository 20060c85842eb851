public import Observation
public import Relux

/// Runs actions one after the other, by priority, that hand values on in a context.
@MainActor
public final class PipelineOrchestrator: Observable {
    private let evaluator: Evaluator
    private let registrar = ObservationRegistrar()

    /// - Parameters: as for ``SequenceOrchestrator``.
    public init(
        gateLimit: Duration = .seconds(5), policy: AbortPolicy = .never, clock: Relux.NodeClock = .continuous,
        warn: (@Sendable (String) -> Void)? = nil
    ) {
        evaluator = Evaluator(clock: clock, gateLimit: gateLimit, policy: policy, warn: warn ?? printWarning)
        evaluator.onChange = { [weak self, registrar] change in
            guard let self else { return change() }
            registrar.withMutation(of: self, keyPath: \.progress, change)
        }
    }

    /// The first of a name stays. What is registered during an evaluation waits for the next one.
    ///
    /// - Parameter owner: the module that brings it; with it the action goes.
    public func register(_ action: some PipelineAction, owner: String = "") {
        evaluator.register(RegisteredAction(action, owner: owner) { await action.execute(context: $0) })
    }

    public func register(_ actions: [any PipelineAction], owner: String = "") {
        for action in actions { register(action, owner: owner) }
    }

    /// False when there is none of that name.
    @discardableResult
    public func remove(id: ActionID) -> Bool { evaluator.remove(id: id) }
    public func removeAll() { evaluator.removeAll() }
    /// Takes away what a module has brought; the action of it that runs ends as lost.
    @discardableResult
    public func remove(owner: String) -> [ActionID] { evaluator.remove(owner: owner) }

    /// Runs what is eligible with a new context; a failure does not keep later actions from running unless the policy says so.
    @discardableResult
    public func evaluate() async -> Evaluation { await evaluator.evaluate(context: PipelineContext()) }

    /// No further action of this evaluation begins, and the one that runs is asked to end.
    public func cancel() { evaluator.cancel() }

    public var actionIDs: [ActionID] { evaluator.list.actions.map(\.id) }
    public var isProcessing: Bool { progress.isProcessing }
    public var currentActionID: ActionID? { progress.currentActionID }
    /// Of the running evaluation, or of the last one until the next begins.
    public var outcomes: [ActionOutcome] { progress.outcomes }
    public var results: [ActionResult] { progress.outcomes.map(\.result) }
    public var eligibleCount: Int { progress.eligibleCount }
    public var completedCount: Int { progress.outcomes.count { $0.result == .completed } }

    private var progress: Evaluator.Progress {
        registrar.access(self, keyPath: \.progress)
        return evaluator.progress
    }
}
