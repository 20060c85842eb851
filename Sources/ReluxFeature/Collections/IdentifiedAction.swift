/// An action for one element of a collection of features.
public enum IdentifiedAction<ID: Hashable & Sendable, Action: Sendable>: Sendable {
    case element(id: ID, action: Action)
}

/// For the collection of features `R`, whose states are identifiable.
public typealias IdentifiedActionOf<R: Reducer> = IdentifiedAction<R.State.ID, R.Action>
where R.State: Identifiable, R.State.ID: Sendable

extension IdentifiedAction: Equatable where Action: Equatable {}
extension IdentifiedAction: Hashable where Action: Hashable {}
extension IdentifiedAction: Encodable where ID: Encodable, Action: Encodable {}
extension IdentifiedAction: Decodable where ID: Decodable, Action: Decodable {}

extension IdentifiedAction: CasePathable {
    public struct Cases: Sendable {
        public let element = CasePath<IdentifiedAction, (id: ID, action: Action)>(
            { .element(id: $0.id, action: $0.action) },
            extract: { if case .element(let id, let action) = $0 { (id, action) } else { nil } })
    }
    public static var cases: Cases { Cases() }
}

extension CasePath {
    /// The path of the actions that one element sends: `\.files[id: "a"].delegate`.
    public subscript<ID, Action>(id id: ID) -> CasePath<Root, Action> where Value == IdentifiedAction<ID, Action> {
        CasePath<Root, Action>(
            { embed(.element(id: id, action: $0)) },
            extract: { root in
                guard case .element(id, let action)? = extract(root) else { return nil }
                return action
            })
    }
}
