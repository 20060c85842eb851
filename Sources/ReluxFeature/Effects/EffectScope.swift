/// An id that the author of a feature gives to an effect.
///
/// `@unchecked Sendable`: made of a Sendable value only.
struct EffectID: Hashable, @unchecked Sendable, CustomStringConvertible {
    private let id: AnyHashable
    init(_ id: some Hashable & Sendable) { self.id = AnyHashable(id) }
    var description: String { "\(id)" }
}

/// Where a child feature belongs: a key path of its parent's state, or one element of a collection there.
///
/// `@unchecked Sendable`: a key path is immutable, ids are Sendable.
struct EffectPlace: Hashable, @unchecked Sendable, CustomStringConvertible {
    let path: AnyKeyPath
    private let element: AnyHashable?

    init(_ path: AnyKeyPath) {
        self.path = path
        element = nil
    }

    init(_ path: AnyKeyPath, _ element: some Hashable & Sendable) {
        self.path = path
        self.element = AnyHashable(element)
    }

    var description: String { element.map { "\(path)[\($0)]" } ?? "\(path)" }
}

/// The child that an effect belongs to, and how it is found in the state that holds it.
///
/// `@unchecked Sendable`: the state that an instance remembers is read by the store alone.
struct EffectScope: @unchecked Sendable {
    /// The result of a look at the place.
    enum Sight {
        case child(Any, ChildInstance)
        case gone
        /// Another child has taken its place.
        case replaced
        /// The state is not the one that the place is part of: its feature was put into another one by hand, without a `Scope`.
        case elsewhere
    }

    let place: EffectPlace
    /// False for a `Scope`: an id that its child gives reaches what its parent runs under it.
    let hasOwnIDs: Bool
    /// As it was seen last.
    private var instance: ChildInstance
    private let look: (Any) -> Sight

    /// The child whose state is `child`, at a key path of a state or the case of an enum.
    init<Parent, Child>(
        _ path: AnyKeyPath, _ child: Child, in parent: Parent.Type, hasOwnIDs: Bool = true, find: @escaping (Parent) -> Child?
    ) {
        place = EffectPlace(path)
        self.hasOwnIDs = hasOwnIDs
        instance = ChildInstance(child)
        look = { holder in
            guard let holder = holder as? Parent else { return .elsewhere }
            return find(holder).map { .child($0, ChildInstance($0)) } ?? .gone
        }
    }

    /// The element with that id.
    init<Parent, ID: Hashable & Sendable, Child>(
        _ path: KeyPath<Parent, IdentifiedArray<ID, Child>>, _ id: ID, _ child: Child, birth: InstanceID?
    ) {
        place = EffectPlace(path, id)
        hasOwnIDs = true
        instance = ChildInstance(child, birth: birth)
        look = { holder in
            guard let holder = holder as? Parent else { return .elsewhere }
            let children = holder[keyPath: path]
            return children[id: id].map { .child($0, ChildInstance($0, birth: children.birth(of: id))) } ?? .gone
        }
    }

    /// Looks for the child that was seen last in the state that holds it now.
    mutating func follow(_ holder: Any) -> Sight {
        let sight = look(holder)
        guard case .child(_, let present) = sight else { return sight }
        guard instance.isSame(as: present) else { return .replaced }
        instance = present
        return sight
    }
}

extension [EffectScope] {
    /// Says which child on the way from the root's state is gone first; nil when all are there.
    mutating func firstGone(from root: Any) -> String? {
        var state = root
        for index in indices {
            switch self[index].follow(state) {
            case .child(let child, _): state = child
            case .gone: return self[index].place.gone
            case .replaced: return self[index].place.gone + ", and another one stands there now"
            case .elsewhere: return nil
            }
        }
        return nil
    }
}

extension EffectPlace {
    var gone: String { "its child at \(self) was taken away" }
}
