extension Reducer {
    /// Runs a child feature while its state is there.
    ///
    /// The child comes first, then this reducer. When the child's state is taken away, by this reducer or by whoever holds it, or another
    /// child is put in its place (an `Identifiable` state with another id, another ``InstanceID``), the child's effects are cancelled. A
    /// child's action that comes while there is no child is reported and reaches this reducer alone.
    public func ifLet<ChildState, ChildAction, Child: Reducer>(
        _ state: WritableKeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID, line: UInt = #line
    ) -> IfLetReducer<Self, Child> where Action: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
        IfLetReducer(
            parent: self, place: OptionalChild(path: state, find: { $0[keyPath: state] }, put: { $0[keyPath: state] = $1 }),
            action: Action.cases[keyPath: action], child: child(), fileID: fileID, line: line)
    }

    /// Runs a child feature while this feature's state, an enum, is of that case; the same as ``ifLet(_:action:then:fileID:line:)`` else.
    public func ifCaseLet<ChildState, ChildAction, Child: Reducer>(
        _ state: CaseKeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID, line: UInt = #line
    ) -> IfLetReducer<Self, Child>
    where State: CasePathable, Action: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
        let path = State.cases[keyPath: state]
        return IfLetReducer(
            parent: self, place: OptionalChild(path: state, find: { path.extract($0) }, put: { $0 = path.embed($1) }),
            action: Action.cases[keyPath: action], child: child(), fileID: fileID, line: line)
    }
}

/// The place of a child that may be there.
struct OptionalChild<Parent, Child> {
    let path: AnyKeyPath
    let find: (Parent) -> Child?
    let put: (inout Parent, Child) -> Void

    func scope(_ child: Child) -> EffectScope { EffectScope(path, child, in: Parent.self, find: find) }
}

/// What ``Reducer/ifLet(_:action:then:fileID:line:)`` makes.
public struct IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
    let parent: Parent
    let place: OptionalChild<Parent.State, Child.State>
    let action: CasePath<Parent.Action, Child.Action>
    let child: Child
    let fileID: StaticString
    let line: UInt

    public func reduce(into parentState: inout Parent.State, action parentAction: Parent.Action) -> Effect<Parent.Action> {
        var effects: [Effect<Parent.Action>] = []
        if let childAction = action.extract(parentAction) { effects.append(reduce(childAction, &parentState)) }
        let before = place.find(parentState)
        effects.append(parent.reduce(into: &parentState, action: parentAction))
        // The store looks after every effect that it finds in its state; this is for a feature that was put into another one by hand.
        if let before {
            var scope = place.scope(before)
            switch scope.follow(parentState) {
            case .gone, .replaced: effects.append(.cancel(at: scope.place))
            case .child, .elsewhere: break
            }
        }
        return .merge(effects)
    }

    private func reduce(_ childAction: Child.Action, _ parentState: inout Parent.State) -> Effect<Parent.Action> {
        guard var childState = place.find(parentState) else {
            FeatureIssue.report(
                "an action for the child at \(EffectPlace(place.path)) came while there was none: \(caseText(childAction)); send it only"
                    + " while the child's state is there, or cancel what sends it",
                fileID: fileID, line: line)
            return .none
        }
        let effect = child.reduce(into: &childState, action: childAction)
        place.put(&parentState, childState)
        return effect.scoped(to: place.scope(childState)).embedded(by: action)
    }
}
