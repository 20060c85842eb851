public import Observation
public import Relux
import Synchronization

/// A feature that runs: it owns the state, takes actions and does their effects.
///
/// Actions are handled in the order in which they came. What reducers `.send` is handled in the same turn, and observers see the state once
/// for all of it. Views, relays and tests read `state` or its parts; with `Observation` they are told when what they have read
/// changes. A store that goes away cancels what it runs.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action: Sendable>: Observable {
    let core: StoreCore<State, Action>

    init(_ core: StoreCore<State, Action>) { self.core = core }

    /// - Parameters:
    ///   - clock: what effects wait by: `send.clock`.
    ///   - didReduce: told of every action that was handled, with the state that it left.
    ///   - onIssue: takes what the feature's author got wrong, from any thread; nil leaves it to the task's ``FeatureIssue/reporter``, and that
    ///     to standard error.
    ///   - reducer: makes the feature.
    public init<R: Reducer>(
        initialState: State, clock: Relux.NodeClock = .continuous, didReduce: @escaping @MainActor (Action, State) -> Void = { _, _ in },
        onIssue: (@Sendable (FeatureIssue) -> Void)? = nil, @ReducerBuilder<State, Action> reducer: () -> R
    ) where R.State == State, R.Action == Action {
        let runtime = FeatureRuntime(initialState, reducer(), clock: clock, onIssue: onIssue)
        runtime.hooks.didReduce = { action, _, state in didReduce(action, state) }
        core = WholeStore(initialState, runtime)
    }

    /// The state that the last turn has left.
    public var state: State { core.value(at: \.self) }

    /// A part of the state. An observer that reads it is told when this part changes; of a value that is not `Equatable`, after each turn.
    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value { core.value(at: path) }

    public func withState<Result>(_ body: (State) throws -> Result) rethrows -> Result { try body(state) }

    /// Handles the action and what follows from it at once.
    ///
    /// A reducer that sends to its own store is reported; the action is handled when it has returned.
    /// - Returns: what goes on afterwards: wait for it with `finish()`, or `cancel()` it.
    @discardableResult
    public func send(_ action: Action) -> StoreTask { core.send(action) }

    /// The same for the case that the path names: `store.send(\.child.buttonTapped)`.
    @discardableResult
    public func send(_ path: CaseKeyPath<Action, Void>) -> StoreTask where Action: CasePathable { core.send(Action.cases[keyPath: path].embed(())) }

    /// The same for the case that the path names, with its value: `store.send(\.search.queryChanged, "swift")`.
    @discardableResult
    public func send<Value>(_ path: CaseKeyPath<Action, Value>, _ value: Value) -> StoreTask where Action: CasePathable {
        core.send(Action.cases[keyPath: path].embed(value))
    }

    /// Another state; what runs is cancelled, and what waits is not handled. The store of a part cannot be reset.
    public func reset(to state: State) { core.reset(to: state) }

    /// A picture of the state after each turn, the latest alone for a slow reader; a state relays its snapshots with it.
    public func pictures<Picture: Sendable>(_ picture: @escaping @MainActor (State) -> Picture) -> AsyncStream<Picture> {
        let (stream, continuation) = AsyncStream.makeStream(of: Picture.self, bufferingPolicy: .bufferingNewest(1))
        let end = StreamEnd { continuation.finish() }
        continuation.onTermination = { [weak end] _ in end?.isRead.store(false, ordering: .relaxed) }
        core.read { state in
            guard let state else { return end.isRead.load(ordering: .relaxed) }
            if case .terminated = continuation.yield(picture(state)) { return false }
            return true
        }
        return stream
    }
}

/// Ends a stream when its store goes; knows whether somebody still reads it.
private final class StreamEnd: Sendable {
    let isRead = Atomic(true)
    private let finish: @Sendable () -> Void

    init(_ finish: @escaping @Sendable () -> Void) { self.finish = finish }

    deinit { finish() }
}
