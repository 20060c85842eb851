public import Observation
public import Relux

/// A feature that runs: it owns the state, takes actions and does their effects.
///
/// Actions are handled in the order in which they came. What reducers `.send` is handled in the same turn, and observers see the state once
/// for all of it. Views, relays and tests read `state`; with `Observation` they are told of changes. A store that goes away cancels what
/// it runs.
@MainActor
@dynamicMemberLookup
public final class Store<State, Action: Sendable>: Observable {
    private let runtime: FeatureRuntime<State, Action>
    private let registrar = ObservationRegistrar()
    private var published: State
    private var readers: [@MainActor (State) -> Bool] = []

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
        published = initialState
        runtime = FeatureRuntime(initialState, reducer(), clock: clock, onIssue: onIssue)
        runtime.didReduce = { action, _, state in didReduce(action, state) }
        runtime.didDrain = { [weak self] in self?.publish() }
    }

    /// What the last turn has left.
    public var state: State {
        registrar.access(self, keyPath: \.state)
        return published
    }

    public subscript<Value>(dynamicMember path: KeyPath<State, Value>) -> Value { state[keyPath: path] }

    /// Handles the action and what follows from it at once.
    ///
    /// A reducer that sends to its own store is reported; the action is handled when it has returned.
    /// - Returns: what goes on afterwards: wait for it with `finish()`, or `cancel()` it.
    @discardableResult
    public func send(_ action: Action) -> StoreTask { runtime.send(action) }

    /// Another state; what runs is cancelled, and what waits is not handled.
    public func reset(to state: State) { runtime.reset(to: state) }

    /// A picture of the state after each turn, the latest alone for a slow reader; a state relays its snapshots with it.
    public func pictures<Picture: Sendable>(_ picture: @escaping @MainActor (State) -> Picture) -> AsyncStream<Picture> {
        let (stream, continuation) = AsyncStream.makeStream(of: Picture.self, bufferingPolicy: .bufferingNewest(1))
        readers.append { state in
            if case .terminated = continuation.yield(picture(state)) { false } else { true }
        }
        return stream
    }

    private func publish() {
        // An observer that is told may send again: the state is read when it is set, so that an older one never comes after a newer one.
        registrar.withMutation(of: self, keyPath: \.state) { published = runtime.state }
        readers = readers.filter { $0(published) }
    }

}
