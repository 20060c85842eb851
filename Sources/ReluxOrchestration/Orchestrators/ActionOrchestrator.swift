public import Observation
public import Relux

/// The common part of the three orchestrators: the list of actions, one evaluation at a time, and what can be seen of it.
@MainActor
public class ActionOrchestrator: Observable {
    let evaluator: Evaluator
    /// The present activity of the user, or of the cluster: a screen, maintenance. nil excludes nothing.
    public var currentMode: String?

    init(_ settings: OrchestratorSettings) { evaluator = Evaluator(settings) }

    /// False when there is none of that name.
    @discardableResult
    public final func remove(id: ActionID) -> Bool { evaluator.remove(id: id) }
    public final func removeAll() { evaluator.removeAll() }
    /// Takes away what a module has brought; what of it is asked or runs ends as lost, also when the module brings it again meanwhile.
    @discardableResult
    public final func remove(owner: ModuleID) -> [ActionID] { evaluator.remove(owner: owner) }

    /// No further action of this evaluation begins, and the one that runs is asked to end.
    public final func cancel() { evaluator.cancel() }

    public final var actionIDs: [ActionID] { evaluator.list.actions.map(\.id) }
    public final var isProcessing: Bool { evaluator.progress.isProcessing }
    public final var currentActionID: ActionID? { evaluator.progress.currentActionID }
    /// ForgeOrchestrator's spelling of ``currentActionID``.
    public final var currentActionId: ActionID? { currentActionID }
    /// The outcomes of the running evaluation, or of the last one until the next begins.
    public final var outcomes: [ActionOutcome] { evaluator.progress.outcomes }
    public final var results: [ActionResult] { outcomes.map(\.result) }
    public final var eligibleCount: Int { evaluator.progress.eligibleCount }
    public final var completedCount: Int { outcomes.count { $0.result == .completed } }
}

/// How an orchestrator waits, and whom it tells.
public struct OrchestratorSettings: Sendable {
    /// How long a gate may take to answer.
    public var gateLimit: Duration
    /// How long an action that was given up may take to end before the next one begins beside it.
    public var grace: Duration
    /// When a failure ends an evaluation.
    public var policy: AbortPolicy
    public var clock: Relux.NodeClock
    /// Told of second actions of a name, of gates that did not answer, and of values of another type than asked for.
    public var warn: @Sendable (String) -> Void

    /// - Parameter warn: nil writes to standard error.
    public init(
        gateLimit: Duration = .seconds(5), grace: Duration = .seconds(1), policy: AbortPolicy = .never,
        clock: Relux.NodeClock = .continuous, warn: (@Sendable (String) -> Void)? = nil
    ) {
        self.gateLimit = gateLimit
        self.grace = grace
        self.policy = policy
        self.clock = clock
        self.warn = warn ?? printWarning
    }
}
