/// How an action ended.
public enum ActionResult: Sendable, Hashable {
    case completed
    /// It began, and found that something it needs is not there.
    case skipped
    /// The reason is for people; decide by the case.
    case failed(String)
    /// It had not ended at its limit. It was asked to end and is not waited for.
    case timedOut
    /// The evaluation was cancelled while it ran.
    case cancelled
    /// Whoever brought it has gone while it ran.
    case lost(owner: String)

    /// Whether what depends on it may go on.
    public var isSuccess: Bool { self == .completed || self == .skipped }
}

/// One action's part in an evaluation.
public struct ActionOutcome: Sendable, Hashable {
    public let id: ActionID
    public let priority: ActionPriority
    public let result: ActionResult
    public let duration: Duration
    /// The module that brought the action; empty for the orchestrator's own.
    public let owner: String

    public init(id: ActionID, priority: ActionPriority, result: ActionResult, duration: Duration, owner: String = "") {
        self.id = id
        self.priority = priority
        self.result = result
        self.duration = duration
        self.owner = owner
    }
}

/// What one call of `evaluate` has done.
public struct Evaluation: Sendable, Hashable {
    /// Another one was under way, and this one did nothing.
    public var isBusy = false
    /// In the order in which they ran.
    public var outcomes: [ActionOutcome] = []
    /// Their gates said no.
    public var ineligible: [ActionID] = []
    /// Their gates said nothing before the deadline; they did not run.
    public var unanswered: [ActionID] = []
    /// Eligible, and not begun: the evaluation was cancelled or its policy ended it.
    public var notStarted: [ActionID] = []

    public init() {}

    /// Of the actions that ran, in their order.
    public var ids: [ActionID] { outcomes.map(\.id) }
    public var results: [ActionResult] { outcomes.map(\.result) }
    public var isSuccess: Bool { !isBusy && notStarted.isEmpty && outcomes.allSatisfy(\.result.isSuccess) }
}

/// When a failure keeps the actions behind it from beginning.
public enum AbortPolicy: Sendable, Hashable {
    case never
    /// Failures of actions of this priority, and of more important ones.
    case onFailure(from: ActionPriority)

    public static let onFailure = AbortPolicy.onFailure(from: .low)

    func ends(after outcome: ActionOutcome) -> Bool {
        switch self {
        case .never: false
        case .onFailure(let priority): !outcome.result.isSuccess && outcome.priority <= priority
        }
    }
}
