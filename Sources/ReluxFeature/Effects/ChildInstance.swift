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
/// Another one is: a state with another ``InstanceID``, an `Identifiable` state with another id, and an element that was inserted anew, into
/// its collection or a new one, unless its state says that it is the same by its ``InstanceID``. All else is the same child, however its
/// fields have changed.
struct ChildInstance {
    private let id: AnyHashable?
    private let instance: InstanceID?

    /// - Parameter birth: the insertion that has brought an element into its collection; nil for a child that is no element.
    init(_ state: Any, birth: InstanceID? = nil) {
        id = if let state = state as? any Identifiable { Self.id(state) } else { nil }
        instance = (state as? any FeatureInstance)?.instance ?? birth
    }

    func isSame(as later: ChildInstance) -> Bool {
        guard id == later.id else { return false }
        guard let instance, let other = later.instance else { return true }
        return instance.isSame(as: other)
    }

    private static func id(_ state: some Identifiable) -> AnyHashable { AnyHashable(state.id) }
}
