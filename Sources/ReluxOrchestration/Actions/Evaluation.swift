public import Relux

/// The result of one call of `evaluate`.
public struct Evaluation: Sendable, Hashable {
    /// Counts the evaluations of one orchestrator from 1; 0 for a call that began none.
    public var number: UInt64 = 0
    /// Another one was under way, and this one did nothing.
    public var isBusy = false
    /// The current mode is excluded, and nothing was asked.
    public var isExcluded = false
    /// It was cancelled before its end.
    public var isCancelled = false
    /// In the order in which they ran.
    public var outcomes: [ActionOutcome] = []
    /// Their gates said no.
    public var ineligible: [ActionID] = []
    /// Not asked, because they exclude the current mode.
    public var excluded: [ActionID] = []
    /// Their gates said nothing before the deadline, or they were still busy with an earlier evaluation; they did not run.
    public var unanswered: [ActionID] = []
    /// The reason that the gate of each of ``unanswered``, or the owner's process, has given instead of an answer; for people.
    public var gateFailures: [ActionID: String] = [:]
    /// Due, and not begun: the evaluation was cancelled or its policy ended it.
    public var notStarted: [ActionID] = []
    /// The action whose failure or silence has ended the evaluation.
    public var endedBy: ActionID?

    public init() {}

    /// The ids of the actions that ran, in their order.
    public var ids: [ActionID] { outcomes.map(\.id) }
    public var results: [ActionResult] { outcomes.map(\.result) }
    /// Nothing that was due, or may have been, was left undone.
    public var isSuccess: Bool {
        !isBusy && !isCancelled && unanswered.isEmpty && notStarted.isEmpty && outcomes.allSatisfy(\.result.isSuccess)
    }
}

/// The outcomes of what ran: `for outcome in await orchestrator.evaluate() { … }`.
extension Evaluation: RandomAccessCollection {
    public var startIndex: Int { outcomes.startIndex }
    public var endIndex: Int { outcomes.endIndex }
    /// - Precondition: an index of the collection, as for an array.
    public subscript(position: Int) -> ActionOutcome { outcomes[position] }
}

/// When a failure keeps the actions behind it from beginning. A gate that did not answer is a failure of its action.
public enum AbortPolicy: Sendable, Hashable {
    case never
    /// Failures of actions of this priority, and of more important ones.
    case onFailure(from: ActionPriority)

    public static let onFailure = AbortPolicy.onFailure(from: .low)

    func endsAfterFailure(of priority: ActionPriority) -> Bool {
        switch self {
        case .never: false
        case .onFailure(let least): priority <= least
        }
    }
}

/// A step of an evaluation, for those who show or publish it.
public enum EvaluationEvent: Sendable, Hashable {
    /// All gates have answered or had their time. `eligible` is in the order in which they run.
    case began(Evaluation, eligible: [ActionID])
    case actionBegan(ActionID, owner: ModuleID?)
    case actionEnded(ActionOutcome)
    /// All actions of this priority, and of more important ones, have had their turn, and no failure or cancellation has ended the evaluation.
    case passed(ActionPriority)
    case ended(Evaluation)
}
