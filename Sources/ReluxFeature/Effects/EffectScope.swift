/// An id that the author of a feature gives to an effect.
///
/// `@unchecked Sendable`: made of a Sendable value only.
struct EffectID: Hashable, @unchecked Sendable {
    private let id: AnyHashable
    init(_ id: some Hashable & Sendable) { self.id = AnyHashable(id) }
}

/// A part of a feature: a child, or one element of a collection of children.
///
/// `@unchecked Sendable`: a key path is immutable, ids are Sendable.
struct EffectScope: Hashable, @unchecked Sendable, CustomStringConvertible {
    private let path: AnyKeyPath
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
