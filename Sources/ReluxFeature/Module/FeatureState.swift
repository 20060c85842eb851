public import Relux

/// A feature as a module's state: the module's plain actions are the feature's, and nothing of it leaves the module but what the root
/// delegates.
///
/// ```swift
/// let library = FeatureState(RootFeature(), initialState: .init(), delegate: \.delegate) { .told($0) }
/// let states: [any Relux.AnyState] = [library]
/// ```
/// A delegate action of the root becomes an effect of the module; for the feature itself it is an action like others. Effects leave in the
/// order of the delegates. An effect that is refused or fails elsewhere is an issue: the feature does not wait. Actions of other types pass by.
@MainActor
public final class FeatureState<State, Action: Relux.Action>: Relux.HybridState {
    public let store: Store<State, Action>
    private let initialState: State
    private let delegates: Delegates

    /// In whose name effects are dispatched where no handler runs: for actions that a view sends to the store itself.
    public var dispatcher: Relux.Dispatcher {
        get { delegates.dispatcher }
        set { delegates.dispatcher = newValue }
    }

    /// - Parameters:
    ///   - delegate: the root's delegate case.
    ///   - clock: what effects wait by: `send.clock`.
    ///   - onIssue: takes what the feature's author got wrong and what became of delegates that failed, from any thread; see ``FeatureIssue``.
    ///   - fileID: shown by logger and tap as the place that its effects come from, with `line`.
    ///   - effect: what a delegate becomes for the other modules; nil keeps it inside.
    public init<R: Reducer, Delegate>(
        _ reducer: R, initialState: State, delegate: CaseKeyPath<Action, Delegate>, dispatcher: Relux.Dispatcher = .current,
        clock: Relux.NodeClock = .continuous, onIssue: (@Sendable (FeatureIssue) -> Void)? = nil, fileID: StaticString = #fileID, line: UInt = #line,
        as effect: @escaping @MainActor (Delegate) -> (any Relux.Effect)?
    ) where R.State == State, R.Action == Action, Action: CasePathable {
        self.initialState = initialState
        let path = Action.cases[keyPath: delegate]
        let delegates = Delegates(dispatcher: dispatcher, fileID: fileID, line: line, onIssue: onIssue)
        self.delegates = delegates
        store = Store(
            initialState: initialState, clock: clock,
            didReduce: { action, _ in
                if let delegated = path.extract(action), let effect = effect(delegated) { delegates.say(effect) }
            },
            onIssue: onIssue, reducer: { reducer })
    }

    /// A feature that tells others nothing.
    public init<R: Reducer>(
        _ reducer: R, initialState: State, clock: Relux.NodeClock = .continuous, onIssue: (@Sendable (FeatureIssue) -> Void)? = nil
    ) where R.State == State, R.Action == Action {
        self.initialState = initialState
        delegates = Delegates(dispatcher: .current, fileID: "", line: 0, onIssue: onIssue)
        store = Store(initialState: initialState, clock: clock, onIssue: onIssue, reducer: { reducer })
    }

    public nonisolated var reduces: [any Relux.Action.Type]? { [Action.self] }

    /// Returns when the store has handled the action and what follows from it at once, and its delegates are accepted; its effects go on.
    public func reduce(with action: any Relux.Action) async {
        guard let action = action as? Action else { return }
        store.send(action)
        await delegates.accepted()
    }

    /// Handles the action and returns when all effects have ended that go back to it, and its delegates are accepted.
    public func perform(_ action: Action) async {
        await store.send(action).finish()
        await delegates.accepted()
    }

    /// Back to the initial state; effects are cancelled.
    public func cleanup() async { store.reset(to: initialState) }
}
