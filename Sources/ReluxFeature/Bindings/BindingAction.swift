/// One field of a feature's state gets a value: for what changes continuously, a text field or a toggle.
///
/// ```swift
/// enum Action { case binding(BindingAction<State>), … }
/// var body: some ReducerOf<Self> {
///     BindingReducer(action: \.binding)
///     Reduce { state, action in … }
/// }
/// store.send(.binding(.set(\.query, "swift")))
/// ```
/// `@unchecked Sendable`: key path and value are immutable, and the value is Sendable.
public struct BindingAction<Root>: Equatable, @unchecked Sendable {
    public let keyPath: PartialKeyPath<Root>
    public let value: any Sendable
    private let apply: (inout Root) -> Void
    private let equals: (any Sendable) -> Bool

    public static func set<Value: Equatable & Sendable>(_ keyPath: WritableKeyPath<Root, Value>, _ value: Value) -> Self {
        Self(
            keyPath: keyPath, value: value, apply: { $0[keyPath: keyPath] = value }, equals: { $0 as? Value == value })
    }

    func set(in root: inout Root) { apply(&root) }

    public static func == (left: Self, right: Self) -> Bool { left.keyPath == right.keyPath && left.equals(right.value) }

    /// Whether it is about that field: `case .binding(let change) where change.is(\.query)`.
    public func `is`(_ keyPath: PartialKeyPath<Root>) -> Bool { self.keyPath == keyPath }
}

/// Does what binding actions say; put it above the feature's own `Reduce`, which then sees the new value.
public struct BindingReducer<State, Action: Sendable & CasePathable>: Reducer {
    private let action: CasePath<Action, BindingAction<State>>

    public init(action: CaseKeyPath<Action, BindingAction<State>>) { self.action = Action.cases[keyPath: action] }

    public func reduce(into state: inout State, action: Action) -> Effect<Action> {
        self.action.extract(action)?.set(in: &state)
        return .none
    }
}
