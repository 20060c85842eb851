public import Relux

/// Runs actions one after the other, by priority: what has to be done or shown at a start.
public final class SequenceOrchestrator: ActionOrchestrator {
    public override init(_ settings: OrchestratorSettings = OrchestratorSettings()) { super.init(settings) }

    /// The first of a name stays. What is registered during an evaluation waits for the next one.
    ///
    /// - Parameter owner: the module that brings it; with it the action goes.
    public func register(_ action: some SequenceAction, owner: ModuleID? = nil) {
        evaluator.register(RegisteredAction(action, owner: owner) { _ in await result { try await action.execute() } })
    }

    public func register(_ actions: [any SequenceAction], owner: ModuleID? = nil) {
        for action in actions { register(action, owner: owner) }
    }

    /// The current mode, if no registered action excludes it and some exclude others: it is probably written wrongly.
    public var unknownMode: Relux.StartBarrier.UnknownMode? { evaluator.unknown(currentMode) }

    /// Asks all gates at once, then runs what is eligible, by priority; busy while another evaluation is under way.
    @discardableResult
    public func evaluate() async -> Evaluation { await evaluate(upTo: .low) }

    /// Leaves out what is less important than `least`: it is neither asked nor run.
    @discardableResult
    public func evaluate(upTo least: ActionPriority) async -> Evaluation { await evaluator.evaluate(mode: currentMode, upTo: least) }
}
