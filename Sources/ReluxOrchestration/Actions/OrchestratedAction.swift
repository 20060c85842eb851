/// What an orchestrator may run: its name, its place, and whether it is due.
public protocol OrchestratedAction: Sendable {
    var id: ActionID { get }
    var priority: ActionPriority { get }
    /// How long it may take; nil for as long as it likes.
    var timeLimit: Duration? { get }
    /// Cheap, without side effects, and asked at every evaluation, beside all other gates.
    func shouldRun() async -> Bool
}

extension OrchestratedAction {
    public var timeLimit: Duration? { nil }
}

/// One of a line of actions, such as what has to be shown at a start.
public protocol SequenceAction: OrchestratedAction {
    /// What it throws ends it as failed.
    func execute() async throws
}

/// One of a line of actions that hand values on.
public protocol PipelineAction: OrchestratedAction {
    func execute(context: PipelineContext) async -> ActionResult
}

/// Something that is looked at again and again.
public protocol MonitorAction: OrchestratedAction {
    /// What it throws ends it as failed; the next tick asks its gate again.
    func execute() async throws
}
