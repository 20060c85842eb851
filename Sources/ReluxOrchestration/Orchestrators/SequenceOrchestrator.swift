public import Observation
public import Relux

/// Runs actions one after the other, by priority: what has to be done or shown at a start.
@MainActor
public final class SequenceOrchestrator: Observable {
    private let evaluator: Evaluator
    private let registrar = ObservationRegistrar()

    /// - Parameters:
    ///   - gateLimit: how long a gate may take to answer.
    ///   - policy: when a failure ends an evaluation.
    ///   - warn: told of second actions of a name and of gates that did not answer.
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
    public func register(_ action: some SequenceAction, owner: String = "") {
        evaluator.register(RegisteredAction(action, owner: owner) { _ in await result { try await action.execute() } })
    }

    public func register(_ actions: [any SequenceAction], owner: String = "") {
        for action in actions { register(action, owner: owner) }
    }

    /// False when there is none of that name.
    @discardableResult
    public func remove(id: ActionID) -> Bool { evaluator.remove(id: id) }
    public func removeAll() { evaluator.removeAll() }
    /// Takes away what a module has brought; the action of it that runs ends as lost.
    @discardableResult
    public func remove(owner: String) -> [ActionID] { evaluator.remove(owner: owner) }

    /// Asks all gates at once, then runs what is eligible, by priority; busy while another evaluation is under way.
    @discardableResult
    public func evaluate() async -> Evaluation { await evaluator.evaluate(context: PipelineContext()) }

    /// No further action of this evaluation begins, and the one that runs is asked to end.
    public func cancel() { evaluator.cancel() }

    public var actionIDs: [ActionID] { evaluator.list.actions.map(\.id) }
    public var isProcessing: Bool { progress.isProcessing }
    public var currentActionID: ActionID? { progress.currentActionID }

    private var progress: Evaluator.Progress {
        registrar.access(self, keyPath: \.progress)
        return evaluator.progress
    }
}
