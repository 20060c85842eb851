public import Relux

/// Runs actions one after the other, by priority, that hand values on in a context.
public final class PipelineOrchestrator: ActionOrchestrator {
    public override init(_ settings: OrchestratorSettings = OrchestratorSettings()) { super.init(settings) }

    /// The first of a name stays. What is registered during an evaluation waits for the next one.
    ///
    /// - Parameter owner: the module that brings it; with it the action goes.
    public func register(_ action: some PipelineAction, owner: ModuleID? = nil) {
        evaluator.register(RegisteredAction(action, owner: owner) { await action.execute(context: $0) })
    }

    public func register(_ actions: [any PipelineAction], owner: ModuleID? = nil) {
        for action in actions { register(action, owner: owner) }
    }

    /// Runs what is eligible with a new context; a failure does not keep later actions from running unless the policy says so.
    @discardableResult
    public func evaluate() async -> Evaluation { await evaluator.evaluate(mode: currentMode) }
}
