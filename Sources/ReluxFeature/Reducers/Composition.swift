/// Changes nothing.
public struct EmptyReducer<State, Action: Sendable>: Reducer {
    public init() {}
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { .none }
}

/// Several reducers as one, so that a modifier goes for all of them: `CombineReducers { … }.ifLet(…)`.
public struct CombineReducers<State, Action: Sendable, Reducers: Reducer<State, Action>>: Reducer {
    private let reducers: Reducers

    public init(@ReducerBuilder<State, Action> _ build: () -> Reducers) { reducers = build() }

    public func reduce(into state: inout State, action: Action) -> Effect<Action> { reducers.reduce(into: &state, action: action) }
}

/// The reducer that two lines of a `body` make.
public struct ReducerPair<First: Reducer, Second: Reducer>: Reducer where First.State == Second.State, First.Action == Second.Action {
    let first: First
    let second: Second

    public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
        // In this order: the second one sees what the first one has changed.
        let earlier = first.reduce(into: &state, action: action)
        return .merge(earlier, second.reduce(into: &state, action: action))
    }
}

/// The reducer that an `if` with an `else` in a `body` makes.
public enum EitherReducer<First: Reducer, Second: Reducer>: Reducer
where First.State == Second.State, First.Action == Second.Action {
    case first(First)
    case second(Second)

    public func reduce(into state: inout First.State, action: First.Action) -> Effect<First.Action> {
        switch self {
        case .first(let reducer): reducer.reduce(into: &state, action: action)
        case .second(let reducer): reducer.reduce(into: &state, action: action)
        }
    }
}

/// The reducer that an `if` in a `body` makes.
public struct OptionalReducer<Wrapped: Reducer>: Reducer {
    let reducer: Wrapped?

    public func reduce(into state: inout Wrapped.State, action: Wrapped.Action) -> Effect<Wrapped.Action> {
        reducer?.reduce(into: &state, action: action) ?? .none
    }
}

/// The reducer that a `for` in a `body` makes.
public struct ReducerList<Element: Reducer>: Reducer {
    let reducers: [Element]

    public func reduce(into state: inout Element.State, action: Element.Action) -> Effect<Element.Action> {
        var effects: [Effect<Element.Action>] = []
        for reducer in reducers { effects.append(reducer.reduce(into: &state, action: action)) }
        return .merge(effects)
    }
}
