/// Tells one life of a child feature from the next, for states whose id alone does not.
///
/// A state that stores one is another instance as soon as it is made anew, also under the same `id` and in the same place; a change of its
/// fields keeps it. Two are always equal, so that comparing states, in tests too, does not see them.
///
/// ```swift
/// struct State: FeatureInstance, Identifiable { let instance = InstanceID(); var id: String }
/// ```
public struct InstanceID: Sendable, Hashable {
    /// Only its address counts.
    private final class Mark: Sendable {}
    private let mark = Mark()

    public init() {}

    func isSame(as other: InstanceID) -> Bool { mark === other.mark }

    public static func == (a: Self, b: Self) -> Bool { true }
    public func hash(into hasher: inout Hasher) {}
}

/// A child's state that says itself which life of the child it belongs to.
public protocol FeatureInstance {
    var instance: InstanceID { get }
}

/// Which child stands at a place: effects live as long as the child that started them.
///
/// Another one is: a state with another ``InstanceID``, an `Identifiable` state with another id, an element that was removed and inserted
/// anew under its id, and an element of a new collection that does not equal the one before (a collection that is filtered into a new one
/// keeps its elements). All else is the same child, however its fields have changed.
struct ChildInstance {
    private let id: AnyHashable?
    private let instance: InstanceID?
    private let birth: ElementBirth?
    private let value: Any

    /// - Parameter birth: when the element came into its collection; nil for a child that is no element.
    init(_ state: Any, birth: ElementBirth? = nil) {
        id = if let state = state as? any Identifiable { Self.id(state) } else { nil }
        instance = (state as? any FeatureInstance)?.instance
        self.birth = birth
        value = birth == nil ? () : state
    }

    func isSame(as later: ChildInstance) -> Bool {
        guard id == later.id else { return false }
        if let instance, let other = later.instance { return instance.isSame(as: other) }
        guard let birth, let other = later.birth, birth != other else { return true }
        if birth.collection == other.collection { return false }
        // What cannot be compared is known by its id alone.
        guard let value = value as? any Equatable else { return true }
        return Self.equals(value, later.value)
    }

    private static func id(_ state: some Identifiable) -> AnyHashable { AnyHashable(state.id) }
    private static func equals<Value: Equatable>(_ value: Value, _ other: Any) -> Bool { value == other as? Value }
}
