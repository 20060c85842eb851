/// An action that an orchestrator may run: its name, its place, and whether it is due.
public protocol OrchestratedAction: Sendable {
    var id: ActionID { get }
    var priority: ActionPriority { get }
    /// How long it may take; nil for as long as it likes.
    var timeLimit: Duration? { get }
    /// While one of these is the orchestrator's current mode the action is not asked.
    var excludedModes: Set<String> { get }
    /// Cheap, without side effects, and asked at every evaluation, beside all other gates.
    func shouldRun() async -> Bool
}

extension OrchestratedAction {
    public var timeLimit: Duration? { nil }
    public var excludedModes: Set<String> { [] }
}

/// An action in a sequence, such as what has to be shown at a start.
public protocol SequenceAction: OrchestratedAction {
    /// An error that it throws ends it as failed.
    func execute() async throws
}

/// An action in a sequence of actions that hand values on.
public protocol PipelineAction: OrchestratedAction {
    func execute(context: PipelineContext) async -> ActionResult
}

/// Something that is looked at again and again.
public protocol MonitorAction: OrchestratedAction {
    /// An error that it throws ends it as failed; the next tick asks its gate again.
    func execute() async throws
}

/// An action that is not worth a type.
public struct ActionBlock: SequenceAction, MonitorAction {
    public let id: ActionID
    public let priority: ActionPriority
    public let timeLimit: Duration?
    public let excludedModes: Set<String>
    private let gate: @Sendable () async -> Bool
    private let work: @Sendable () async throws -> Void

    public init(
        _ id: ActionID, priority: ActionPriority, timeLimit: Duration? = nil, excludedModes: Set<String> = [],
        shouldRun: @escaping @Sendable () async -> Bool = { true }, execute: @escaping @Sendable () async throws -> Void
    ) {
        self.id = id
        self.priority = priority
        self.timeLimit = timeLimit
        self.excludedModes = excludedModes
        gate = shouldRun
        work = execute
    }

    public func shouldRun() async -> Bool { await gate() }
    public func execute() async throws { try await work() }
}
