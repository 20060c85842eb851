public import Observation

/// A feature that runs: it owns the state, takes actions and does their effects.
///
/// Actions are handled in the order in which they came. What reducers `.send` is handled in the same turn, and observers see the state once
/// for all of it. Views, relays and tests read `state`; with `Observation` they are told of changes.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action: Sendable>: Observable {
    private let runtime: FeatureRuntime<State, Action>
    private let registrar = ObservationRegistrar()
    private var published: State

    /// - Parameter reducer: makes the feature.
    public convenience init<R: Reducer>(initialState: State, @ReducerBuilder<State, Action> reducer: () -> R)
    where R.State == State, R.Action == Action {
        self.init(initialState: initialState, didReduce: { _, _ in }, reducer: reducer)
    }

    /// - Parameter didReduce: told of every action that was handled, with the state that it left.
    public init<R: Reducer>(
        initialState: State, didReduce: @escaping @MainActor (Action, State) -> Void, @ReducerBuilder<State, Action> reducer: () -> R
    ) where R.State == State, R.Action == Action {
        published = initialState
        runtime = FeatureRuntime(initialState, reducer())
        runtime.didReduce = { action, _, state in didReduce(action, state) }
        runtime.didDrain = { [weak self] state in self?.publish(state) }
    }

    /// What the last turn has left.
    public var state: State {
        registrar.access(self, keyPath: \.state)
        return published
    }

    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value { state[keyPath: path] }

    /// Handles the action and what follows from it at once.
    ///
    /// - Returns: what goes on afterwards: wait for it with `finish()`, or `cancel()` it.
    @discardableResult
    public func send(_ action: Action) -> StoreTask { runtime.send(action) }

    /// Another state; what runs is cancelled.
    public func reset(to state: State) { runtime.reset(to: state) }

    private func publish(_ state: State) { registrar.withMutation(of: self, keyPath: \.state) { published = state } }
}

/// The effects that go back to one action that was sent.
public struct StoreTask: Sendable {
    private let task: Task<Void, Never>?

    init(_ task: Task<Void, Never>?) { self.task = task }

    /// Returns when they have all ended, also those that their actions have started.
    public func finish() async { await task?.value }

    public func cancel() { task?.cancel() }
}
