internal import Relux

/// An action as an orchestrator keeps it: its place in the order of registration, whose it is, and how it is asked and run.
struct RegisteredAction: Sendable {
    var id: ActionID
    var priority: ActionPriority
    var timeLimit: Duration?
    /// Empty for the orchestrator's own.
    var owner: String
    var shouldRun: @Sendable () async -> Bool
    var execute: @Sendable (PipelineContext) async -> ActionResult

    init(_ action: some OrchestratedAction, owner: String, execute: @escaping @Sendable (PipelineContext) async -> ActionResult) {
        id = action.id
        priority = action.priority
        timeLimit = action.timeLimit
        self.owner = owner
        shouldRun = { await action.shouldRun() }
        self.execute = execute
    }
}

/// The actions of an orchestrator, in the order of their registration. Pure.
struct ActionList: Sendable {
    private(set) var actions: [RegisteredAction] = []

    /// False when there is one of that name, which stays.
    mutating func add(_ action: RegisteredAction) -> Bool {
        guard !actions.contains(where: { $0.id == action.id }) else { return false }
        actions.append(action)
        return true
    }

    /// What went.
    mutating func remove(where isMeant: (RegisteredAction) -> Bool) -> [ActionID] {
        let gone = actions.filter(isMeant).map(\.id)
        actions.removeAll(where: isMeant)
        return gone
    }

    /// Those of these names, by priority; equals stay in the order of their registration.
    static func ordered(_ actions: [RegisteredAction]) -> [RegisteredAction] {
        actions.enumerated().sorted { ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset) }.map(\.element)
    }
}
