internal import Relux
import ReluxWire

/// The answer of a gate.
enum GateAnswer: Sendable {
    case due(Bool)
    /// It could not say whether.
    case failed(why: String)

    /// The same wherever the limit is noticed: here, or by its owner elsewhere.
    static func silent(_ limit: Duration) -> Self { .failed(why: "its gate gave no answer within \(DurationText.print(limit)); keep shouldRun() cheap") }
}

/// An action as an orchestrator keeps it: its place in the order of registration, whose it is, and how it is asked and run.
struct RegisteredAction: Sendable {
    /// Given by the list: one name that comes again is another registration.
    fileprivate(set) var sequence: UInt64 = 0
    /// Among those of its owner, in the owner's order.
    var index = 0
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

/// The actions of an orchestrator, in the order of their registration: its own first, then those of modules elsewhere by the places that these
/// have in the cluster. Which of them came first to this list, or came back, does not matter. Pure.
struct ActionList: Sendable {
    private(set) var actions: [RegisteredAction] = []
    private var last: UInt64 = 0
    /// The owners' places, in the order in which modules were registered; an owner without a place comes before them.
    private var places: [ModuleID: UInt64] = [:]

    /// nil when it was added; else the one of that name, which stays.
    mutating func add(_ action: RegisteredAction) -> RegisteredAction? {
        if let first = actions.first(where: { $0.id == action.id }) { return first }
        var action = action
        last += 1
        action.sequence = last
        actions.insert(action, at: actions.firstIndex { isOrdered(action, before: $0) } ?? actions.endIndex)
        return nil
    }

    /// Removes the actions that are meant, and returns their ids.
    mutating func remove(where isMeant: (RegisteredAction) -> Bool) -> [ActionID] {
        let gone = actions.filter(isMeant).map(\.id)
        actions.removeAll(where: isMeant)
        return gone
    }

    /// Where owners stand from now on; others stay where they are.
    mutating func place(_ owners: [ModuleID: UInt64]) {
        places.merge(owners.mapValues { max(1, $0) }) { $1 }
        actions.sort(by: isOrdered)
    }

    func isOrdered(_ left: RegisteredAction, before right: RegisteredAction) -> Bool {
        func key(_ action: RegisteredAction) -> (UInt64, ModuleID?, Int, UInt64) {
            guard let owner = action.owner, let place = places[owner] else { return (0, nil, 0, action.sequence) }
            return (place, owner, action.index, action.sequence)
        }
        let (a, b) = (key(left), key(right))
        if a.0 != b.0 { return a.0 < b.0 }
        if let x = a.1, let y = b.1, x != y { return x < y }
        return (a.2, a.3) < (b.2, b.3)
    }
}
