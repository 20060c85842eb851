/// Elements in an order, each with an id of its own, found by it in constant time.
///
/// Removing and inserting cost as much as in an array. A second element with an id that is there is not taken in; what would change an
/// element's id is reported and not done.
public struct IdentifiedArray<ID: Hashable, Element> {
    public private(set) var elements: [Element] = []
    /// In the order of the elements.
    public private(set) var ids: [ID] = []
    private var places: [ID: Place] = [:]
    private var lastBirth = ElementBirth()
    private let id: any KeyPath<Element, ID> & Sendable

    private struct Place: Sendable {
        var index: Int
        var birth: ElementBirth
    }

    public init(id: any KeyPath<Element, ID> & Sendable) { self.id = id }

    /// Of several elements with one id the first is kept.
    ///
    /// Elements that came out of another collection and were changed on the way count as new ones to the effects of the old: change an
    /// element in its place instead, or let its state say which instance it is (``FeatureInstance``).
    public init(_ elements: some Sequence<Element>, id: any KeyPath<Element, ID> & Sendable) {
        self.init(id: id)
        for element in elements { append(element) }
    }

    public func contains(id: ID) -> Bool { places[id] != nil }
    public func index(id: ID) -> Int? { places[id]?.index }
    /// Which insertion has brought the element; a change of the element keeps it.
    func birth(of id: ID) -> ElementBirth? { places[id]?.birth }
    /// Setting nil takes the element out; setting a new one appends it.
    public subscript(id id: ID) -> Element? {
        get { places[id].map { elements[$0.index] } }
        set {
            guard let newValue else {
                remove(id: id)
                return
            }
            guard newValue[keyPath: self.id] == id else {
                FeatureIssue.report(
                    "an element with id \(newValue[keyPath: self.id]) was to take the place of \(id); an element keeps its id: remove the one and"
                        + " insert the other")
                return
            }
            if let place = places[id] { elements[place.index] = newValue } else { append(newValue) }
        }
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
        put(element, key, at: index, birth: nextBirth())
        return true
    }

    private mutating func put(_ element: Element, _ key: ID, at index: Int, birth: ElementBirth) {
        elements.insert(element, at: index)
        ids.insert(key, at: index)
        places[key] = Place(index: index, birth: birth)
        renumber(from: index + 1)
    }

    private mutating func nextBirth() -> ElementBirth {
        lastBirth.number += 1
        return lastBirth
    }

    /// Puts the element in, in place of the one with its id if there is one.
    public mutating func updateOrAppend(_ element: Element) { self[id: element[keyPath: id]] = element }

    @discardableResult
    public mutating func remove(id: ID) -> Element? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        ids.remove(at: place.index)
        let element = elements.remove(at: place.index)
        renumber(from: place.index)
        return element
    }

    public mutating func removeAll(where isGone: (Element) throws -> Bool) rethrows {
        let kept = try elements.filter { try !isGone($0) }
        guard kept.count < elements.count else { return }
        rearrange(kept)
    }

    public mutating func removeAll() { rearrange([]) }

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
        rearrange(try elements.sorted(by: isBefore))
    }

    /// The same elements, or some of them, in another order.
    private mutating func rearrange(_ kept: [Element]) {
        let births = places
        elements = kept
        ids = kept.map { $0[keyPath: id] }
        places = [:]
        for (index, key) in ids.enumerated() { places[key] = Place(index: index, birth: births[key]?.birth ?? nextBirth()) }
    }

    private mutating func renumber(from index: Int) {
        for place in index..<Swift.max(index, ids.count) { places[ids[place]]?.index = place }
    }
}

/// Which insertion into which collection an element comes from; copies of a collection count as that collection.
struct ElementBirth: Sendable, Equatable {
    let collection = UInt64.random(in: .min ... .max)
    var number: UInt64 = 0
}

/// Elements that name their id themselves.
public typealias IdentifiedArrayOf<Element: Identifiable> = IdentifiedArray<Element.ID, Element>

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
    public init() { self.init(id: \Element.id) }

    /// Of several elements with one id the first is kept.
    public init(uniqueElements elements: some Sequence<Element>) { self = (elements as? Self) ?? Self(elements, id: \Element.id) }
}

extension IdentifiedArray: RandomAccessCollection {
    public var startIndex: Int { elements.startIndex }
    public var endIndex: Int { elements.endIndex }

    /// - Precondition: an index of the collection, as for an array.
    public subscript(position: Int) -> Element { elements[position] }
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
