public import Relux
public import ReluxWire

/// Names an orchestrator for those who look at its progress; they need not know its plugin.
///
/// ```swift
/// enum Startup: OrchestratorName { static let orchestrator: ModuleID = "StartupOrchestration" }
/// ```
public protocol OrchestratorName: Sendable {
    /// The module that runs it.
    static var orchestrator: ModuleID { get }
}

/// Where an orchestrator is, as a snapshot: whoever comes in the middle of an evaluation gets the present one first.
///
/// Its runner relays it from a ``ProgressBoard``; who observes it names it in the plugin's `observes`. What happens step by step is said by
/// ``Orchestration/Business/Progress``.
public struct OrchestratorProgress<Name: OrchestratorName>: Relux.SharedSnapshot {
    /// Something that was due, or may have been, and was not done.
    public struct Failure: Codable, Sendable, Hashable {
        public let action: ActionID
        public let owner: ModuleID?
        public let why: String
    }

    /// The number of failures that are named; all of them are counted.
    public static var failureLimit: Int { 8 }
    /// UTF-8 bytes of a failure's reason at most: one snapshot is one record.
    public static var reasonByteLimit: Int { 256 }

    public static var wireTopic: Topic { Topic(rawValue: "\(Name.orchestrator).Orchestration.Progress") ?? "Orchestration.Progress" }

    /// The running evaluation, or the last one; 0 before the first.
    public internal(set) var evaluation: UInt64 = 0
    public internal(set) var isProcessing = false
    public internal(set) var current: ActionID?
    public internal(set) var currentOwner: ModuleID?
    /// How many are due, and how many of them have ended.
    public internal(set) var eligibleCount = 0
    public internal(set) var endedCount = 0
    public internal(set) var failureCount = 0
    public internal(set) var failures: [Failure] = []
    /// How many were due and did not begin because the evaluation had ended.
    public internal(set) var notStartedCount = 0
    public internal(set) var endedBy: ActionID?
    public internal(set) var isCancelled = false

    public init() {}
}

extension OrchestratorProgress: CustomStringConvertible {
    /// A line for people; empty when there is nothing to say.
    public var description: String {
        guard evaluation > 0 else { return "" }
        let ended = "\(endedCount) of \(eligibleCount) done"
        let failed = failures.map { "\($0.action)\($0.owner.map { " of \($0)" } ?? "") was not done: \($0.why)" }
            + (failureCount > failures.count ? ["\(failureCount - failures.count) more were not done"] : [])
        let now: [String] =
            if isProcessing {
                ["evaluation \(evaluation): \(ended)" + (current.map { ", \($0)\(currentOwner.map { " of \($0)" } ?? "") runs" } ?? "")]
            } else if isCancelled {
                ["evaluation \(evaluation) was cancelled: \(ended)"]
            } else {
                []
            }
        return (now + failed).joined(separator: "; ")
    }

    mutating func take(_ event: EvaluationEvent) {
        switch event {
        case .began(let begun, let eligible):
            self = Self()
            evaluation = begun.number
            isProcessing = true
            eligibleCount = eligible.count
            for id in begun.unanswered { fail(id, nil, begun.gateFailures[id] ?? "its gate did not answer") }
        case .actionBegan(let id, let owner): (current, currentOwner) = (id, owner)
        case .actionEnded(let outcome):
            (current, currentOwner) = (nil, nil)
            endedCount += 1
            switch outcome.result {
            case .completed, .skipped, .cancelled: break
            case .failed(let why): fail(outcome.id, outcome.owner, why)
            case .timedOut: fail(outcome.id, outcome.owner, "it took longer than its limit")
            case .lost(let owner): fail(outcome.id, owner, "\(owner) went away meanwhile")
            case .parked(let owner, let why): fail(outcome.id, owner, "\(owner) is absent: \(why)")
            }
        case .passed: break
        case .ended(let evaluation):
            isProcessing = false
            (current, currentOwner) = (nil, nil)
            endedBy = evaluation.endedBy
            isCancelled = evaluation.isCancelled
            notStartedCount = evaluation.notStarted.count
        }
    }

    private mutating func fail(_ action: ActionID, _ owner: ModuleID?, _ why: String) {
        failureCount += 1
        guard failures.count < Self.failureLimit else { return }
        failures.append(Failure(action: action, owner: owner, why: why.cut(to: Self.reasonByteLimit)))
    }
}

/// The latest progress of an orchestrator: the runner hands it each step, and relays it with a `StateRelay`.
@MainActor
public final class ProgressBoard<Name: OrchestratorName>: SnapshotProviding {
    public private(set) var current = OrchestratorProgress<Name>()
    private let readers = Snapshots<OrchestratorProgress<Name>>()

    public init() {}

    public var snapshots: AsyncStream<OrchestratorProgress<Name>> { readers.stream() }

    public func take(_ event: EvaluationEvent) {
        let before = current
        current.take(event)
        guard current != before else { return }
        readers.publish(current)
    }
}
