/// Elements in an order, each with an id of its own, found by it in constant time. Texts from outside are ids as ``TextID``.
///
/// Removing and inserting cost as much as in an array. A second element with an id that is there is not taken in; what would change an
/// element's id is reported and not done.
///
/// Each insertion makes an instance: an element keeps it while it is changed, moved and sorted in its place, and in copies of the
/// collection; an element that is inserted anew, here or into another collection, is another instance, whether it equals the old or not.
public struct IdentifiedArray<ID: Hashable, Element> {
    public private(set) var elements: [Element] = []
    /// In the order of the elements.
    public private(set) var ids: [ID] = []
    /// In the order of the elements: the insertion that has brought each of them.
    private(set) var births: [InstanceID] = []
    private var places: [ID: Int] = [:]
    let id: any KeyPath<Element, ID> & Sendable

    public init(id: any KeyPath<Element, ID> & Sendable) { self.id = id }

    /// The first of several elements with one id is kept.
    ///
    /// They are new instances, those that came out of another collection, too: change, sort and filter a collection of child features in its
    /// place, or let their state say which instance it is (``FeatureInstance``).
    public init(_ elements: some Sequence<Element>, id: any KeyPath<Element, ID> & Sendable) {
        self.init(id: id)
        for element in elements { append(element) }
    }

    public func contains(id: ID) -> Bool { places[id] != nil }
    public func index(id: ID) -> Int? { places[id] }
    /// Which insertion has brought the element; a change of the element keeps it.
    func birth(of id: ID) -> InstanceID? { places[id].map { births[$0] } }
    /// Setting nil takes the element out; setting a new one appends it.
    public subscript(id id: ID) -> Element? {
        get { places[id].map { elements[$0] } }
        set {
            guard let newValue else {
                remove(id: id)
                return
            }
            if let place = places[id] { replace(at: place, by: newValue) } else if keeps(id, newValue) { append(newValue) }
        }
    }

    private func keeps(_ id: ID, _ element: Element) -> Bool {
        let given = element[keyPath: self.id]
        if given == id { return true }
        FeatureIssue.report("an element with id \(given) was to take the place of \(id); an element keeps its id: remove the one and insert the other")
        return false
    }

    /// The same instance with other fields; an element with another id is reported and not taken in.
    private mutating func replace(at place: Int, by element: Element) {
        if keeps(ids[place], element) { elements[place] = element }
    }

    /// - Returns: false when there is an element with this id; it stays as it is.
    @discardableResult
    public mutating func append(_ element: Element) -> Bool { insert(element, at: elements.count) }

    /// - Parameter index: from 0 to `count`.
    /// - Returns: false when there is an element with this id; it stays as it is.
    @discardableResult
    public mutating func insert(_ element: Element, at index: Int) -> Bool {
        let key = element[keyPath: id]
        guard places[key] == nil else { return false }
        put(element, key, at: index, birth: InstanceID())
        return true
    }

    private mutating func put(_ element: Element, _ key: ID, at index: Int, birth: InstanceID) {
        elements.insert(element, at: index)
        ids.insert(key, at: index)
        births.insert(birth, at: index)
        renumber(from: index)
    }

    /// Puts the element in, in place of the one with its id if there is one: that keeps its instance.
    public mutating func updateOrAppend(_ element: Element) { self[id: element[keyPath: id]] = element }

    @discardableResult
    public mutating func remove(id: ID) -> Element? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        ids.remove(at: place)
        births.remove(at: place)
        let element = elements.remove(at: place)
        renumber(from: place)
        return element
    }

    public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        let kept = try elements.indices.filter { try !isGone(elements[$0]) }
        guard kept.count < elements.count else { return }
        rearrange(kept)
    }

    public mutating func removeAll(keepingCapacity: Bool = false) { rearrange([]) }

    /// The elements that are wanted, as the same instances.
    public func filter(_ isWanted: (Element) throws -> Bool) rethrows -> Self {
        var kept = self
        try kept.removeAll { try !isWanted($0) }
        return kept
    }

    /// Moves the element to that place among the others.
    public mutating func move(id: ID, to index: Int) {
        guard let birth = birth(of: id), let element = remove(id: id) else { return }
        put(element, id, at: Swift.min(Swift.max(0, index), elements.count), birth: birth)
    }

    public mutating func sort(by isBefore: (Element, Element) throws -> Bool) rethrows {
        rearrange(try elements.indices.sorted { try isBefore(elements[$0], elements[$1]) })
    }

    /// The same instances in another order.
    public func sorted(by isBefore: (Element, Element) throws -> Bool) rethrows -> Self {
        var sorted = self
        try sorted.sort(by: isBefore)
        return sorted
    }

    public mutating func reverse() { rearrange(elements.indices.reversed()) }

    /// The same instances, the last one first.
    public func reversed() -> Self {
        var reversed = self
        reversed.reverse()
        return reversed
    }

    /// Changes each element in its place; one whose id would change is reported and stays as it was.
    public mutating func changeEach(_ change: (inout Element) throws -> Void) rethrows {
        for key in ids {
            guard var element = self[id: key] else { continue }
            try change(&element)
            self[id: key] = element
        }
    }

    /// The elements of these indices, in this order.
    mutating func rearrange(_ kept: [Int]) {
        elements = kept.map { elements[$0] }
        ids = kept.map { ids[$0] }
        births = kept.map { births[$0] }
        places = [:]
        renumber(from: 0)
    }

    private mutating func renumber(from index: Int) {
        for place in index..<Swift.max(index, ids.count) { places[ids[place]] = place }
    }
}

/// Elements that name their id themselves.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
    public init() { self.init(id: \Element.id) }

    /// The first of several elements with one id is kept.
    ///
    /// They are new instances, unless `elements` is such a collection itself.
    public init(uniqueElements elements: some Sequence<Element>) { self = (elements as? Self) ?? Self(elements, id: \Element.id) }
}

extension IdentifiedArray: RandomAccessCollection {
    public var startIndex: Int { elements.startIndex }
    public var endIndex: Int { elements.endIndex }

    /// The element there, which keeps its id: setting one with another id is reported and changes nothing.
    ///
    /// - Precondition: an index of the collection, as for an array.
    public subscript(position: Int) -> Element {
        get { elements[position] }
        set { replace(at: position, by: newValue) }
    }
}

extension IdentifiedArray: ExpressibleByArrayLiteral where Element: Identifiable, ID == Element.ID {
    public init(arrayLiteral elements: Element...) { self.init(uniqueElements: elements) }
}

extension IdentifiedArray: Equatable where Element: Equatable {
    public static func == (left: Self, right: Self) -> Bool { left.elements == right.elements }
}

extension IdentifiedArray: Hashable where Element: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(elements) }
}

extension IdentifiedArray: Sendable where ID: Sendable, Element: Sendable {}

extension IdentifiedArray: Encodable where Element: Encodable {
    public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension IdentifiedArray: Decodable where Element: Decodable & Identifiable, ID == Element.ID {
    public init(from decoder: any Decoder) throws {
        let elements = try [Element](from: decoder)
        self.init(uniqueElements: elements)
        guard count == elements.count else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "\(elements.count - count) of \(elements.count) elements have ids of others"))
        }
    }
}

extension IdentifiedArray: CustomReflectable {
    /// The elements alone: the index by id says nothing more.
    public var customMirror: Mirror { Mirror(self, unlabeledChildren: elements, displayStyle: .collection) }
}

extension IdentifiedArray: CustomStringConvertible {
    public var description: String { elements.description }
}
