extension Reducer {
    /// Runs a child feature while its state is there.
    ///
    /// The child comes first, then this reducer. When this reducer takes the child's state away, or puts another child in its place
    /// (an `Identifiable` state with another id), the child's effects are cancelled. A child's action that comes while there is no child is
    /// reported and reaches this reducer alone.
    public func ifLet<ChildState, ChildAction, Child: Reducer>(
        _ state: WritableKeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID, line: UInt = #line
    ) -> IfLetReducer<Self, Child> where Action: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
        IfLetReducer(
            parent: self, state: state, action: Action.cases[keyPath: action], child: child(), fileID: fileID, line: line)
    }
}

/// What ``Reducer/ifLet(_:action:then:fileID:line:)`` makes.
public struct IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
    let parent: Parent
    let state: WritableKeyPath<Parent.State, Child.State?>
    let action: CasePath<Parent.Action, Child.Action>
    let child: Child
    let fileID: StaticString
    let line: UInt

    public func reduce(into parentState: inout Parent.State, action parentAction: Parent.Action) -> Effect<Parent.Action> {
        var effects: [Effect<Parent.Action>] = []
        let scope = EffectScope(state)
        if let childAction = action.extract(parentAction) {
            if parentState[keyPath: state] == nil {
                FeatureIssue.report(
                    "an action for the child at \(scope) came while there was none: \(caseText(childAction)); send it only while the child's"
                        + " state is there, or cancel what sends it",
                    fileID: fileID, line: line)
            } else if var childState = parentState[keyPath: state] {
                let childEffects = child.reduce(into: &childState, action: childAction)
                parentState[keyPath: state] = childState
                effects.append(childEffects.scoped(to: scope).embedded(by: action))
            }
        }
        let before = ChildIdentity(parentState[keyPath: state])
        effects.append(parent.reduce(into: &parentState, action: parentAction))
        if before.isThere, ChildIdentity(parentState[keyPath: state]) != before { effects.append(.cancel(scope: scope)) }
        return .merge(effects)
    }
}

/// Which child it is; all values of a state that has no id are one.
private struct ChildIdentity: Equatable {
    let isThere: Bool
    private let id: AnyHashable?

    init<State>(_ state: State?) {
        isThere = state != nil
        if let state = state as? any Identifiable { id = Self.id(state) } else { id = nil }
    }

    private static func id(_ state: some Identifiable) -> AnyHashable { AnyHashable(state.id) }
}
