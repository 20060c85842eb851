internal import Relux

/// What a gate has said.
enum GateAnswer: Sendable {
    case due(Bool)
    /// It could not say whether.
    case failed(why: String)

    /// The same wherever the limit is noticed: here, or by its owner elsewhere.
    static func silent(_ limit: Duration) -> Self { .failed(why: "its gate gave no answer within \(limit); keep shouldRun() cheap") }
}

/// An action as an orchestrator keeps it: its place in the order of registration, whose it is, and how it is asked and run.
struct RegisteredAction: Sendable {
    /// Given by the list: one name that comes again is another registration.
    fileprivate(set) var sequence: UInt64 = 0
    var id: ActionID
    var priority: ActionPriority
    var timeLimit: Duration?
    var excludedModes: Set<String>
    /// nil for the orchestrator's own.
    var owner: ModuleID?
    var shouldRun: @Sendable () async -> GateAnswer
    var execute: @Sendable (PipelineContext) async -> ActionResult

    init(_ action: some OrchestratedAction, owner: ModuleID?, execute: @escaping @Sendable (PipelineContext) async -> ActionResult) {
        id = action.id
        priority = action.priority
        timeLimit = action.timeLimit
        excludedModes = action.excludedModes
        self.owner = owner
        shouldRun = { .due(await action.shouldRun()) }
        self.execute = execute
    }

    init(
        id: ActionID, priority: ActionPriority, timeLimit: Duration?, excludedModes: Set<String>, owner: ModuleID,
        shouldRun: @escaping @Sendable () async -> GateAnswer, execute: @escaping @Sendable (PipelineContext) async -> ActionResult
    ) {
        self.id = id
        self.priority = priority
        self.timeLimit = timeLimit
        self.excludedModes = excludedModes
        self.owner = owner
        self.shouldRun = shouldRun
        self.execute = execute
    }
}

/// The actions of an orchestrator, in the order of their registration. Pure.
struct ActionList: Sendable {
    private(set) var actions: [RegisteredAction] = []
    private var last: UInt64 = 0

    /// nil when it was added; else the one of that name, which stays.
    mutating func add(_ action: RegisteredAction) -> RegisteredAction? {
        if let first = actions.first(where: { $0.id == action.id }) { return first }
        var action = action
        last += 1
        action.sequence = last
        actions.append(action)
        return nil
    }

    /// What went.
    mutating func remove(where isMeant: (RegisteredAction) -> Bool) -> [ActionID] {
        let gone = actions.filter(isMeant).map(\.id)
        actions.removeAll(where: isMeant)
        return gone
    }
}
