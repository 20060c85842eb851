/// Runs a child feature on its part of the parent's state, for the actions that are meant for it.
///
/// Its effects come back as the parent's, its `delegate` actions too: the parent answers them in a `Reduce` below.
public struct Scope<ParentState, ParentAction: Sendable, Child: Reducer>: Reducer {
    private let state: WritableKeyPath<ParentState, Child.State>
    private let action: CasePath<ParentAction, Child.Action>
    private let child: Child

    public init<ChildState, ChildAction>(
        state: WritableKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child
    ) where ParentAction: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
        self.state = state
        self.action = ParentAction.cases[keyPath: action]
        self.child = child()
    }

    public func reduce(into parent: inout ParentState, action parentAction: ParentAction) -> Effect<ParentAction> {
        guard let childAction = action.extract(parentAction) else { return .none }
        return child.reduce(into: &parent[keyPath: state], action: childAction)
            .scoped(to: EffectScope(state)).embedded(by: action)
    }
}
