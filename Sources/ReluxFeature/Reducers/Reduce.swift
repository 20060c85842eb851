/// A reducer that is a closure.
///
/// ```swift
/// Reduce { state, action in
///     switch action {
///     case .buttonTapped: return .send(.delegate(.didComplete))
///     case .delegate: return .none
///     }
/// }
/// ```
public struct Reduce<State, Action: Sendable>: Reducer {
    private let closure: (inout State, Action) -> Effect<Action>

    public init(_ reduce: @escaping (inout State, Action) -> Effect<Action>) { closure = reduce }

    /// The same for what is a reducer already, without its type.
    public init(_ reducer: some Reducer<State, Action>) { closure = { reducer.reduce(into: &$0, action: $1) } }

    public func reduce(into state: inout State, action: Action) -> Effect<Action> { closure(&state, action) }
}
