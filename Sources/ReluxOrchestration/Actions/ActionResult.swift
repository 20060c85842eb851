public import Relux

/// How an action ended.
public enum ActionResult: Sendable, Hashable, Codable {
    case completed
    /// It began, and found that something it needs is not there.
    case skipped
    /// The reason is for people; decide by the case. What crosses processes of it has at most ``reasonByteLimit`` bytes.
    case failed(String)
    /// It had not ended at its limit and was asked to end; nobody waits until it does.
    case timedOut
    /// The evaluation was cancelled while it ran.
    case cancelled
    /// Its owner has gone before it had ended.
    case lost(owner: ModuleID)
    /// Its owner is known to be absent: it did not begin, and was told not to.
    case parked(owner: ModuleID, why: String)

    /// Whether what depends on it may go on.
    public var isSuccess: Bool { self == .completed || self == .skipped }

    /// UTF-8 bytes of a reason at most, so that a result can always be told.
    public static let reasonByteLimit = 1_024

    /// The same with a reason that can be told: what is too long ends with `…`.
    var tellable: ActionResult {
        switch self {
        case .failed(let reason): .failed(reason.cut(to: Self.reasonByteLimit))
        case .parked(let owner, let why): .parked(owner: owner, why: why.cut(to: Self.reasonByteLimit))
        case .completed, .skipped, .timedOut, .cancelled, .lost: self
        }
    }
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
