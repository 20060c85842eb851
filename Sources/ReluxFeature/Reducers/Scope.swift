/// Runs a child feature on its part of the parent's state, for the actions that are meant for it.
///
/// Its effects come back as the parent's, its `delegate` actions too: the parent answers them in a `Reduce` below. They end when another
/// child is put in its place (an `Identifiable` state with another id, another ``InstanceID``), and with whatever holds the parent. An id
/// of the child reaches what the parent itself runs under it, too.
public struct Scope<ParentState, ParentAction: Sendable, Child: Reducer>: Reducer {
    private enum Place {
        case part(WritableKeyPath<ParentState, Child.State>)
        /// The parent's state is an enum.
        case `case`(OptionalChild<ParentState, Child.State>)
    }

    private let place: Place
    private let action: CasePath<ParentAction, Child.Action>
    private let child: Child
    private let fileID: StaticString
    private let line: UInt

    public init<ChildState, ChildAction>(
        state: WritableKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child, fileID: StaticString = #fileID, line: UInt = #line
    ) where ParentAction: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
        self.init(.part(state), ParentAction.cases[keyPath: action], child(), fileID, line)
    }

    /// Runs the child while the parent's state, an enum, is of that case. A child's action that comes while it is another one is reported.
    public init<ChildState, ChildAction>(
        state: CaseKeyPath<ParentState, ChildState>, action: CaseKeyPath<ParentAction, ChildAction>,
        @ReducerBuilder<ChildState, ChildAction> child: () -> Child, fileID: StaticString = #fileID, line: UInt = #line
    ) where ParentState: CasePathable, ParentAction: CasePathable, ChildState == Child.State, ChildAction == Child.Action {
        self.init(.case(OptionalChild(case: state)), ParentAction.cases[keyPath: action], child(), fileID, line)
    }

    private init(_ place: Place, _ action: CasePath<ParentAction, Child.Action>, _ child: Child, _ fileID: StaticString, _ line: UInt) {
        self.place = place
        self.action = action
        self.child = child
        self.fileID = fileID
        self.line = line
    }

    public func reduce(into parent: inout ParentState, action parentAction: ParentAction) -> Effect<ParentAction> {
        guard let childAction = action.extract(parentAction) else { return .none }
        switch place {
        case .part(let state):
            let effect = child.reduce(into: &parent[keyPath: state], action: childAction)
            return effect.scoped(to: scope(state, parent)).embedded(by: action)
        case .case(let place):
            return place.reduce(child, into: &parent, childAction, hasOwnIDs: false, fileID, line).embedded(by: action)
        }
    }

    private func scope(_ state: WritableKeyPath<ParentState, Child.State>, _ parent: ParentState) -> EffectScope {
        EffectScope(state, parent[keyPath: state], in: ParentState.self, hasOwnIDs: false) { $0[keyPath: state] }
    }
}
