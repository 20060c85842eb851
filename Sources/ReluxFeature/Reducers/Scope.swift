/// Runs a child feature on its part of the parent's state, for the actions that are meant for it.
///
/// Its effects come back as the parent's, its `delegate` actions too: the parent answers them in a `Reduce` below. They end when another
/// child is put in its place (an `Identifiable` state with another id, another ``InstanceID``), and with whatever holds the parent.
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
        let effect = child.reduce(into: &parent[keyPath: state], action: childAction)
        return effect.scoped(to: EffectScope(state, parent[keyPath: state], in: ParentState.self) { [state] in $0[keyPath: state] })
            .embedded(by: action)
    }
}
