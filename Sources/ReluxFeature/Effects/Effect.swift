/// The work that follows a reduction: further actions, at once or later, and cancellations of earlier work.
///
/// A value; the store does it. Effects of a child are known by the path of features that they came through: an id of one feature cancels
/// nothing of another.
public struct Effect<Action: Sendable>: Sendable {
    indirect enum Node: Sendable {
        case none
        case send(Action)
        case run(Run)
        case merge([Node])
        case cancellable(Node, id: EffectID, cancelInFlight: Bool)
        case cancel(EffectID)
        case scoped(Node, EffectScope)
        case cancelPlace(EffectPlace)
    }

    struct Run: Sendable {
        var name: String
        var priority: TaskPriority?
        var operation: @Sendable (Send<Action>) async throws -> Void
        /// nil: an error is reported as an issue.
        var recovery: (@Sendable (any Error, Send<Action>) async -> Void)?
        var fileID: StaticString
        var line: UInt
    }

    let node: Node

    /// Nothing.
    public static var none: Effect { Effect(node: .none) }

    /// The action is handled in the same turn of the store, after those that wait already. A circle of them is reported and cut. It ends like
    /// other effects: with the child that it belongs to, and by its id.
    public static func send(_ action: Action) -> Effect { Effect(node: .send(action)) }

    /// Work that takes time; it ends when the closure returns, and may send actions until then.
    ///
    /// - Parameters:
    ///   - recovery: gets an error that the closure has thrown; without it the error is reported as an issue. A cancelled effect's
    ///     `CancellationError` is none.
    public static func run(
        priority: TaskPriority? = nil, name: String = "",
        operation: @escaping @Sendable (Send<Action>) async throws -> Void,
        catch recovery: (@Sendable (any Error, Send<Action>) async -> Void)? = nil,
        fileID: StaticString = #fileID, line: UInt = #line
    ) -> Effect {
        Effect(
            node: .run(
                Run(name: name, priority: priority, operation: operation, recovery: recovery, fileID: fileID, line: line)))
    }

    /// All of them at the same time.
    public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

    public static func merge(_ effects: some Sequence<Effect>) -> Effect {
        let nodes = effects.map(\.node).filter { if case .none = $0 { false } else { true } }
        return Effect(node: nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .none : .merge(nodes))
    }

    /// Both at the same time.
    public func merge(with other: Effect) -> Effect { .merge(self, other) }

    /// Can be cancelled by this id, by the feature that it belongs to.
    ///
    /// - Parameter cancelInFlight: what runs under this id is cancelled first.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Effect {
        Effect(node: .cancellable(node, id: EffectID(id), cancelInFlight: cancelInFlight))
    }

    /// Cancels what the feature runs under this id.
    public static func cancel(id: some Hashable & Sendable) -> Effect { Effect(node: .cancel(EffectID(id))) }

    /// The same effect of a feature that the action is part of.
    public func map<Parent: Sendable>(_ transform: @escaping @Sendable (Action) -> Parent) -> Effect<Parent> {
        Effect<Parent>(node: node.map(transform))
    }

    func embedded<Parent: Sendable>(by path: CasePath<Parent, Action>) -> Effect<Parent> { map { path.embed($0) } }

    func embedded<ID, Parent: Sendable>(by path: CasePath<Parent, IdentifiedAction<ID, Action>>, of id: ID) -> Effect<Parent> {
        map { path.embed(.element(id: id, action: $0)) }
    }

    /// The effect belongs to that part of a feature.
    func scoped(to scope: @autoclosure () -> EffectScope) -> Effect {
        if case .none = node { return self }
        return Effect(node: .scoped(node, scope()))
    }

    /// Cancels everything that belongs to that part of the feature.
    static func cancel(at place: EffectPlace) -> Effect { Effect(node: .cancelPlace(place)) }
}

extension Effect.Node {
    func map<Parent: Sendable>(_ transform: @escaping @Sendable (Action) -> Parent) -> Effect<Parent>.Node {
        switch self {
        case .none: .none
        case .send(let action): .send(transform(action))
        case .run(let run): .run(run.map(transform))
        case .merge(let nodes): .merge(nodes.map { $0.map(transform) })
        case .cancellable(let node, let id, let cancelInFlight):
            .cancellable(node.map(transform), id: id, cancelInFlight: cancelInFlight)
        case .cancel(let id): .cancel(id)
        case .scoped(let node, let scope): .scoped(node.map(transform), scope)
        case .cancelPlace(let place): .cancelPlace(place)
        }
    }
}

extension Effect.Run {
    func map<Parent: Sendable>(_ transform: @escaping @Sendable (Action) -> Parent) -> Effect<Parent>.Run {
        let operation = operation
        var mapped = Effect<Parent>.Run(
            name: name, priority: priority, operation: { send in try await operation(send.pullback(transform)) }, recovery: nil,
            fileID: fileID, line: line)
        if let recovery { mapped.recovery = { error, send in await recovery(error, send.pullback(transform)) } }
        return mapped
    }
}
