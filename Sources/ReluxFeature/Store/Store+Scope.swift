extension Store {
    /// The store of a child: it shows the child's part of this state, and sends its actions here.
    public func scope<Child, ChildAction>(
        state: KeyPath<State, Child>, action: CaseKeyPath<Action, ChildAction>
    ) -> Store<Child, ChildAction> where Action: CasePathable {
        let path = Action.cases[keyPath: action]
        return Store<Child, ChildAction>(PartStore(of: core, state) { path.embed($0) })
    }

    /// The store of a child that may be there; nil when it is not. A store that is kept shows the child's last state when it has gone.
    public func scope<Child, ChildAction>(
        state: KeyPath<State, Child?>, action: CaseKeyPath<Action, ChildAction>
    ) -> Store<Child, ChildAction>? where Action: CasePathable {
        let path = Action.cases[keyPath: action]
        return OptionalPartStore(of: core, state) { path.embed($0) }.map { Store<Child, ChildAction>($0) }
    }

    /// The store of the case of an enum; nil when the state is another one.
    public func scope<Child, ChildAction>(
        state: CaseKeyPath<State, Child>, action: CaseKeyPath<Action, ChildAction>
    ) -> Store<Child, ChildAction>? where State: CasePathable, Action: CasePathable {
        scope(state: \State.[case: state], action: action)
    }

    /// The stores of a collection's elements, in their order now.
    public func scope<ID: Hashable & Sendable, Child, ChildAction>(
        state: KeyPath<State, IdentifiedArray<ID, Child>>, action: CaseKeyPath<Action, IdentifiedAction<ID, ChildAction>>
    ) -> [Store<Child, ChildAction>] where Action: CasePathable {
        let path = Action.cases[keyPath: action]
        return core.value(at: state.appending(path: \.ids)).compactMap { id in
            OptionalPartStore(of: core, state.appending(path: \.[id: id])) { path.embed(.element(id: id, action: $0)) }
                .map { Store<Child, ChildAction>($0) }
        }
    }
}
