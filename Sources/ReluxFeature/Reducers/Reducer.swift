/// A feature: state, the actions that change it, and the effects that follow.
///
/// A feature either has a `body` composed of others or implements `reduce(into:action:)`, never both.
public protocol Reducer<State, Action> {
    associatedtype State
    associatedtype Action: Sendable
    associatedtype Body = Never

    /// Changes the state and says what is to be done; called on the store's actor, one action at a time.
    func reduce(into state: inout State, action: Action) -> Effect<Action>

    @ReducerBuilder<State, Action> var body: Body { get }
}

/// The reducers of the feature `R`.
public typealias ReducerOf<R: Reducer> = Reducer<R.State, R.Action>
/// The effects of the feature `R`.
public typealias EffectOf<R: Reducer> = Effect<R.Action>
/// The store of the feature `R`.
public typealias StoreOf<R: Reducer> = Store<R.State, R.Action>

extension Reducer where Body == Never {
    /// Never called: a feature without a body reduces itself.
    public var body: Body { fatalError("\(Self.self) has no body; it implements reduce(into:action:)") }
}

extension Reducer where Body: Reducer, Body.State == State, Body.Action == Action {
    public func reduce(into state: inout State, action: Action) -> Effect<Action> { body.reduce(into: &state, action: action) }
}

/// Puts reducers one below the other: each sees the state that those above it have left, and their effects are merged.
@resultBuilder
public enum ReducerBuilder<State, Action: Sendable> {
    /// The second parameter keeps Swift from opening an `any Reducer` here, which would have no type to go on with.
    public static func buildExpression<R: Reducer<State, Action>>(_ expression: R, _: R.Type = R.self) -> R { expression }
    /// A reducer without its type: `let reducers: [any ReducerOf<Self>]` in a `for`.
    @_disfavoredOverload
    public static func buildExpression(_ expression: any Reducer<State, Action>) -> Reduce<State, Action> { Reduce(expression) }
    public static func buildBlock() -> EmptyReducer<State, Action> { EmptyReducer() }
    public static func buildPartialBlock<R: Reducer<State, Action>>(first: R) -> R { first }
    public static func buildPartialBlock<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        accumulated: First, next: Second
    ) -> ReducerPair<First, Second> { ReducerPair(first: accumulated, second: next) }
    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        first component: First
    ) -> EitherReducer<First, Second> { .first(component) }
    public static func buildEither<First: Reducer<State, Action>, Second: Reducer<State, Action>>(
        second component: Second
    ) -> EitherReducer<First, Second> { .second(component) }
    public static func buildOptional<R: Reducer<State, Action>>(_ component: R?) -> OptionalReducer<R> { OptionalReducer(reducer: component) }
    public static func buildArray<R: Reducer<State, Action>>(_ components: [R]) -> ReducerList<R> { ReducerList(reducers: components) }
    public static func buildLimitedAvailability<R: Reducer<State, Action>>(_ component: R) -> R { component }
}
