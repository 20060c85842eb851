/// A queue whose removal from the front costs no move of the rest.
struct FIFO<Element: Sendable>: Sendable {
    private var items: [Element?] = []
    private var head = 0

    var isEmpty: Bool { head == items.count }
    var count: Int { items.count - head }

    var first: Element? { head < items.count ? items[head] : nil }

    mutating func append(_ element: Element) { items.append(element) }

    /// How far from the front the first such element is.
    func firstOffset(where matches: (Element) -> Bool) -> Int? {
        items[head...].firstIndex { $0.map(matches) == true }.map { $0 - head }
    }

    /// - Complexity: O(n); `offset` is one that ``firstOffset(where:)`` has just given.
    mutating func remove(at offset: Int) -> Element? { items.remove(at: head + offset) }

    subscript(offset: Int) -> Element? { items[head + offset] }

    mutating func popFirst() -> Element? {
        guard head < items.count else { return nil }
        let element = items[head]
        items[head] = nil
        head += 1
        if head == items.count {
            items.removeAll(keepingCapacity: head <= 1024)
            head = 0
        } else if head >= 1024, head * 2 >= items.count {
            items.removeFirst(head)
            head = 0
        }
        return element
    }
}
