internal import Relux

/// The work that follows a reduction: further actions, at once or later, and cancellations of earlier work.
///
/// A value; the store does it. A feature's id reaches its own effects and those of its children. Children of `ifLet`, `ifCaseLet` and
/// `forEach` have ids of their own, which reach nothing of their parent; the ids of a child in a `Scope` reach what its parent runs itself, too. None
/// reaches a sibling.
public struct Effect<Action: Sendable>: Sendable {
    indirect enum Node: Sendable {
        case none
        case send(Action)
        case run(Run)
        case merge([Node])
        case sequence([Node])
        case cancellable(Node, id: EffectID, cancelInFlight: Bool)
        case throttled(Node, id: EffectID, interval: Duration, latest: Bool)
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

    public static func merge(_ effects: some Sequence<Effect>) -> Effect { joined(effects, Node.merge) }

    /// Both at the same time.
    public func merge(with other: Effect) -> Effect { .merge(self, other) }

    /// One after the other: each begins when the one before it has ended. An action has ended when it is handled; what follows from it has not.
    /// A cancellation of the whole, or of the child that it belongs to, ends what runs and begins nothing more.
    public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

    public static func concatenate(_ effects: some Sequence<Effect>) -> Effect { joined(effects, Node.sequence) }

    /// This one, then the other.
    public func concatenate(with other: Effect) -> Effect { .concatenate(self, other) }

    private static func joined(_ effects: some Sequence<Effect>, _ join: ([Node]) -> Node) -> Effect {
        let nodes = effects.map(\.node).filter { if case .none = $0 { false } else { true } }
        return Effect(node: nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .none : join(nodes))
    }

    /// Can be cancelled by this id: by the feature that it belongs to, and by those that this feature is a child of.
    ///
    /// - Parameter cancelInFlight: what runs under this id is cancelled first.
    public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Effect {
        Effect(node: .cancellable(node, id: EffectID(id), cancelInFlight: cancelInFlight))
    }

    /// Begins when this time has passed without another effect under this id; each new one starts the time anew, and cancels what runs.
    ///
    /// The time is the store's: a test turns it.
    public func debounce(
        id: some Hashable & Sendable, for duration: Duration, fileID: StaticString = #fileID, line: UInt = #line
    ) -> Effect {
        .concatenate(
            .run(name: "debounce \(id)", operation: { send in try await send.clock.sleep(until: send.begun + duration) }, fileID: fileID, line: line), self
        )
        .cancellable(id: id, cancelInFlight: true)
    }

    /// Begins at once, unless one under this id has begun less than this time ago. Then it waits until that time has passed, and the latest one
    /// that waits begins; with `latest: false` it is dropped.
    ///
    /// The time is the store's: a test turns it.
    public func throttle(id: some Hashable & Sendable, for interval: Duration, latest: Bool) -> Effect {
        Effect(node: .throttled(node, id: EffectID(id), interval: interval, latest: latest))
    }

    /// Cancels what the feature and its children run under this id.
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
        case .sequence(let nodes): .sequence(nodes.map { $0.map(transform) })
        case .cancellable(let node, let id, let cancelInFlight):
            .cancellable(node.map(transform), id: id, cancelInFlight: cancelInFlight)
        case .throttled(let node, let id, let interval, let latest):
            .throttled(node.map(transform), id: id, interval: interval, latest: latest)
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
