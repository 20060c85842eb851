public import Relux

/// A feature as a module's state: the module's plain actions are the feature's, and nothing of it leaves the module but what the root
/// delegates.
///
/// ```swift
/// let library = FeatureState(initialState: Root.State(), delegate: \.delegate, as: Library.Business.Effect.init) { Root() }
/// let states: [any Relux.AnyState] = [library]
/// ```
/// A delegate action of the root becomes an effect of the module and is accepted when the store has handled it; for the feature itself
/// it is an action like others. Actions of other types pass by.
@MainActor
public final class FeatureState<State, Action: Relux.Action>: Relux.HybridState {
    public let store: Store<State, Action>
    private let initialState: State
    /// In whose name effects are dispatched where no handler runs: for actions that a view sends to the store itself.
    public var dispatcher: Relux.Dispatcher

    /// - Parameters:
    ///   - delegate: the root's delegate case.
    ///   - effect: what it becomes for the other modules; nil keeps it inside.
    public init<R: Reducer, Delegate>(
        initialState: State, delegate: CaseKeyPath<Action, Delegate>, as effect: @escaping @MainActor (Delegate) -> (any Relux.Effect)?,
        dispatcher: Relux.Dispatcher = .current, @ReducerBuilder<State, Action> reducer: () -> R
    ) where R.State == State, R.Action == Action, Action: CasePathable {
        self.initialState = initialState
        self.dispatcher = dispatcher
        let path = Action.cases[keyPath: delegate]
        let say = Saying()
        store = Store(
            initialState: initialState,
            didReduce: { action, _ in
                if let delegated = path.extract(action), let effect = effect(delegated) { say.say(effect) }
            },
            reducer: reducer)
        say.dispatcher = { [weak self] in self?.dispatcher ?? .current }
    }

    /// A feature that tells others nothing.
    public init<R: Reducer>(initialState: State, @ReducerBuilder<State, Action> reducer: () -> R)
    where R.State == State, R.Action == Action {
        self.initialState = initialState
        dispatcher = .current
        store = Store(initialState: initialState, reducer: reducer)
    }

    public nonisolated var reduces: [any Relux.Action.Type]? { [Action.self] }

    /// Returns when the store has handled the action and what follows from it at once; its effects go on.
    public func reduce(with action: any Relux.Action) async {
        if let action = action as? Action { store.send(action) }
    }

    /// Back to the initial state; effects are cancelled.
    public func cleanup() async { store.reset(to: initialState) }

    /// The store is made before the state that it belongs to.
    @MainActor
    private final class Saying {
        var dispatcher: () -> Relux.Dispatcher = { .current }

        func say(_ effect: any Relux.Effect) { dispatcher().performAsync { effect } }
    }
}
