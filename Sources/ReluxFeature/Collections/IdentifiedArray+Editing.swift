/// The operations of an array, by place and by element. Indices are those of the collection, as for an array: others end the process.
extension IdentifiedArray {
    /// Where several elements have one id, `combine` makes the one that is kept, in the place of the first.
    public init(
        _ elements: some Sequence<Element>, id: any KeyPath<Element, ID> & Sendable, uniquingIDsWith combine: (Element, Element) throws -> Element
    ) rethrows {
        self.init(id: id)
        for element in elements {
            let key = element[keyPath: id]
            if let present = self[id: key] { self[id: key] = try combine(present, element) } else { append(element) }
        }
    }

    /// The first of several elements with one id is kept.
    public init(uniqueElements elements: some Sequence<Element>, id: any KeyPath<Element, ID> & Sendable) { self.init(elements, id: id) }

    /// Appends those whose id is not there yet; the others stay out.
    public mutating func append(contentsOf new: some Sequence<Element>) {
        for element in new { append(element) }
    }

    /// Inserts those whose id is not there yet, one behind the other.
    public mutating func insert(contentsOf new: some Sequence<Element>, at index: Int) {
        var index = index
        for element in new where insert(element, at: index) { index += 1 }
    }

    /// Puts the element in the place of the one with its id, or inserts it.
    ///
    /// - Returns: the element that was there.
    @discardableResult
    public mutating func updateOrInsert(_ element: Element, at index: Int) -> Element? {
        let key = element[keyPath: id]
        let present = self[id: key]
        if present == nil { insert(element, at: index) } else { self[id: key] = element }
        return present
    }

    @discardableResult
    public mutating func remove(at index: Int) -> Element { remove(id: ids[index])! }

    /// Removes the element with this element's id.
    @discardableResult
    public mutating func remove(_ element: Element) -> Element? { remove(id: element[keyPath: id]) }

    @discardableResult
    public mutating func removeFirst() -> Element { remove(at: startIndex) }

    @discardableResult
    public mutating func removeLast() -> Element { remove(at: endIndex - 1) }

    public mutating func removeFirst(_ count: Int) { removeSubrange(0..<count) }

    public mutating func removeLast(_ count: Int) { removeSubrange((endIndex - count)..<endIndex) }

    public mutating func removeSubrange(_ range: some RangeExpression<Int>) {
        let gone = range.relative(to: self)
        precondition(gone.lowerBound >= 0 && gone.upperBound <= count, "\(gone) is not within 0..<\(count)")
        rearrange(indices.filter { !gone.contains($0) })
    }

    /// Removes the elements at these places.
    public mutating func remove(atOffsets places: some Sequence<Int>) {
        let gone = Set(places)
        rearrange(indices.filter { !gone.contains($0) })
    }

    /// Moves the elements at these places, in their order, before the one that is at `destination` now.
    public mutating func move(fromOffsets places: some Sequence<Int>, toOffset destination: Int) {
        let moved = Set(places)
        let stay = indices.filter { !moved.contains($0) }
        rearrange(stay.filter { $0 < destination } + moved.sorted() + stay.filter { $0 >= destination })
    }

    public mutating func swapAt(_ first: Int, _ second: Int) {
        var order = Array(indices)
        order.swapAt(first, second)
        rearrange(order)
    }

    public mutating func shuffle() {
        var generator = SystemRandomNumberGenerator()
        shuffle(using: &generator)
    }

    public mutating func shuffle(using generator: inout some RandomNumberGenerator) { rearrange(indices.shuffled(using: &generator)) }

    /// Puts those that belong behind the others, each part in its order.
    ///
    /// - Returns: the first index behind the others.
    @discardableResult
    public mutating func partition(by belongsBehind: (Element) throws -> Bool) rethrows -> Int {
        let behind = try indices.filter { try belongsBehind(elements[$0]) }
        let moved = Set(behind)
        rearrange(indices.filter { !moved.contains($0) } + behind)
        return count - behind.count
    }

    public static func += (left: inout Self, right: some Sequence<Element>) { left.append(contentsOf: right) }
}

extension IdentifiedArray where Element: Identifiable, ID == Element.ID {
    /// Where several elements have one id, `combine` makes the one that is kept, in the place of the first.
    public init(_ elements: some Sequence<Element>, uniquingIDsWith combine: (Element, Element) throws -> Element) rethrows {
        try self.init(elements, id: \Element.id, uniquingIDsWith: combine)
    }
}

extension IdentifiedArray where Element: Comparable {
    public mutating func sort() { sort(by: <) }
    /// The same instances in their order.
    public func sorted() -> Self { sorted(by: <) }
}
