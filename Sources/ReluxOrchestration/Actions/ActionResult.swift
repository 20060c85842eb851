public import Relux

/// How an action ended.
public enum ActionResult: Sendable, Hashable, Codable {
    case completed
    /// It began, and found that something it needs is not there.
    case skipped
    /// The reason is for people; decide by the case.
    case failed(String)
    /// It had not ended at its limit. It was asked to end; one that does not listen is not waited for.
    case timedOut
    /// The evaluation was cancelled while it ran.
    case cancelled
    /// Whoever brought it has gone before it had ended.
    case lost(owner: ModuleID)

    /// Whether what depends on it may go on.
    public var isSuccess: Bool { self == .completed || self == .skipped }
}

/// One action's part in an evaluation.
public struct ActionOutcome: Sendable, Hashable {
    public let id: ActionID
    public let priority: ActionPriority
    public let result: ActionResult
    /// From its beginning until it had ended or was given up; the time that an action which was given up got to end is not in it.
    public let duration: Duration
    /// The module that brought the action; nil for the orchestrator's own.
    public let owner: ModuleID?

    public init(id: ActionID, priority: ActionPriority, result: ActionResult, duration: Duration, owner: ModuleID? = nil) {
        self.id = id
        self.priority = priority
        self.result = result
        self.duration = duration
        self.owner = owner
    }
}
