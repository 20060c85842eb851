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

    /// For a child that only its parent changes, an alert for one: it is looked after as above, and reduces nothing itself.
    public func ifLet<ChildState, ChildAction: Sendable>(
        _ state: WritableKeyPath<State, ChildState?>, action: CaseKeyPath<Action, ChildAction>, fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> IfLetReducer<Self, EmptyReducer<ChildState, ChildAction>> where Action: CasePathable {
        ifLet(state, action: action, then: { EmptyReducer() }, fileID: fileID, line: line)
    }

    /// Runs a child feature while this feature's state, an enum, is of that case; the same as ``ifLet(_:action:then:fileID:line:)`` else.
    public func ifCaseLet<ChildState, ChildAction, Child: Reducer>(
        _ state: CaseKeyPath<State, ChildState>, action: CaseKeyPath<Action, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> then child: () -> Child, fileID: StaticString = #fileID, line: UInt = #line
    ) -> IfLetReducer<Self, Child>
    where State: CasePathable, Action: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
        IfLetReducer(
            parent: self, place: OptionalChild(case: state), action: Action.cases[keyPath: action], child: child(), fileID: fileID, line: line)
    }
}

/// The place of a child that may be there.
struct OptionalChild<Parent, Child> {
    let path: AnyKeyPath
    let find: (Parent) -> Child?
    let put: (inout Parent, Child) -> Void

    func scope(_ child: Child, hasOwnIDs: Bool = true) -> EffectScope {
        EffectScope(path, child, in: Parent.self, hasOwnIDs: hasOwnIDs, find: find)
    }

    /// Runs the child on its action; reports one that comes while there is no child.
    func reduce<R: Reducer>(
        _ child: R, into parent: inout Parent, _ action: R.Action, hasOwnIDs: Bool = true, _ fileID: StaticString, _ line: UInt
    ) -> Effect<R.Action> where R.State == Child {
        guard var state = find(parent) else {
            FeatureIssue.report(
                "an action for the child at \(EffectPlace(path)) came while there was none: \(caseText(action)); send it only"
                    + " while the child's state is there, or cancel what sends it",
                fileID: fileID, line: line)
            return .none
        }
        let effect = child.reduce(into: &state, action: action)
        put(&parent, state)
        return effect.scoped(to: scope(state, hasOwnIDs: hasOwnIDs))
    }
}

extension OptionalChild where Parent: CasePathable {
    /// The child is what the parent's state, an enum, carries in that case.
    init(case state: CaseKeyPath<Parent, Child>) {
        let path = Parent.cases[keyPath: state]
        self.init(path: state, find: { path.extract($0) }, put: { $0 = path.embed($1) })
    }
}

/// The reducer that ``Reducer/ifLet(_:action:then:fileID:line:)`` makes.
public struct IfLetReducer<Parent: Reducer, Child: Reducer>: Reducer {
    let parent: Parent
    let place: OptionalChild<Parent.State, Child.State>
    let action: CasePath<Parent.Action, Child.Action>
    let child: Child
    let fileID: StaticString
    let line: UInt

    public func reduce(into parentState: inout Parent.State, action parentAction: Parent.Action) -> Effect<Parent.Action> {
        var effects: [Effect<Parent.Action>] = []
        if let childAction = action.extract(parentAction) {
            effects.append(place.reduce(child, into: &parentState, childAction, fileID, line).embedded(by: action))
        }
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
}
