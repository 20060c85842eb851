/// A list that handlers append to and a test waits on.
public final class Recorder<Element: Sendable>: Sendable {
    private let list = Watched<[Element]>([])

    public init() {}

    public func record(_ element: Element) { list.update { $0.append(element) } }
    public var elements: [Element] { list.value }

    /// The elements, once there are at least `count`.
    @discardableResult
    public func wait(count: Int) async throws(WatchdogError) -> [Element] {
        try await list.wait(for: "\(count) recorded elements") { $0.count >= count }
        return elements
    }
}
