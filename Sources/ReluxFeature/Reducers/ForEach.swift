extension Reducer {
    /// Runs a child feature on the element that its action names.
    ///
    /// The element comes first, then this reducer. When an element is taken out, by this reducer or by whoever holds the collection, or is
    /// inserted anew under its id, its effects are cancelled. An action for an element that is not there is reported and reaches this
    /// reducer alone.
    public func forEach<ElementState, ElementAction, ID: Hashable & Sendable, Element: Reducer>(
        _ state: WritableKeyPath<State, IdentifiedArray<ID, ElementState>>,
        action: CaseKeyPath<Action, IdentifiedAction<ID, ElementAction>>,
        @ReducerBuilder<ElementState, ElementAction> element: () -> Element, fileID: StaticString = #fileID, line: UInt = #line
    ) -> ForEachReducer<Self, ID, Element>
    where Action: CasePathable, ElementState == Element.State, ElementAction == Element.Action {
        ForEachReducer(
            parent: self, state: state, action: Action.cases[keyPath: action], element: element(), fileID: fileID, line: line)
    }
}

/// The reducer that ``Reducer/forEach(_:action:element:fileID:line:)`` makes.
public struct ForEachReducer<Parent: Reducer, ID: Hashable & Sendable, Element: Reducer>: Reducer {
    let parent: Parent
    let state: WritableKeyPath<Parent.State, IdentifiedArray<ID, Element.State>>
    let action: CasePath<Parent.Action, IdentifiedAction<ID, Element.Action>>
    let element: Element
    let fileID: StaticString
    let line: UInt

    public func reduce(into parentState: inout Parent.State, action parentAction: Parent.Action) -> Effect<Parent.Action> {
        var effects: [Effect<Parent.Action>] = []
        if case .element(let id, let elementAction) = action.extract(parentAction) {
            effects.append(reduce(id, elementAction, &parentState))
        }
        let before = Standing(parentState[keyPath: state])
        effects.append(parent.reduce(into: &parentState, action: parentAction))
        // The store looks after every effect that it finds in its state; this is for a feature that was put into another one by hand.
        for id in before.gone(from: parentState[keyPath: state]) { effects.append(.cancel(at: EffectPlace(state, id))) }
        return .merge(effects)
    }

    /// Which elements there were. Their states are held only where they say themselves which instance they are: a collection that is held
    /// is copied when it changes.
    private struct Standing {
        let ids: [ID]
        let births: [InstanceID]
        let elements: [Element.State]

        init(_ collection: IdentifiedArray<ID, Element.State>) {
            ids = collection.ids
            births = collection.births
            elements = Element.State.self is any FeatureInstance.Type ? collection.elements : []
        }

        func gone(from later: IdentifiedArray<ID, Element.State>) -> [ID] {
            if births.elementsEqual(later.births, by: { $0.isSame(as: $1) }) { return [] }
            return ids.indices.filter { index in
                guard let birth = later.birth(of: ids[index]), let present = later[id: ids[index]] else { return true }
                if elements.isEmpty { return !births[index].isSame(as: birth) }
                return !ChildInstance(elements[index]).isSame(as: ChildInstance(present))
            }.map { ids[$0] }
        }
    }

    private func reduce(_ id: ID, _ elementAction: Element.Action, _ parentState: inout Parent.State) -> Effect<Parent.Action> {
        guard var elementState = parentState[keyPath: state][id: id] else {
            FeatureIssue.report(
                "an action for element \(id) of \(EffectPlace(state)) came while there was none: \(caseText(elementAction)); send it only"
                    + " while the element is there, or cancel what sends it",
                fileID: fileID, line: line)
            return .none
        }
        let effect = element.reduce(into: &elementState, action: elementAction)
        parentState[keyPath: state][id: id] = elementState
        return effect.scoped(to: EffectScope(state, id, elementState, birth: parentState[keyPath: state].birth(of: id)))
            .embedded(by: action, of: id)
    }
}
