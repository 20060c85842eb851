internal import Synchronization

// A cycle shows in two ways. Within one task, a type is met again on the way down: the path knows. Between two tasks,
// each builds what the other waits for: every build notes what it waits for *before* it looks for a way back to itself,
// so of two that close a cycle together at least one sees it.

/// A registration as the detection of cycles sees it.
final class ResolutionNode: Sendable {
    let name: String
    /// The registrations that the build of this container value waits for right now.
    private let awaited = Mutex<[ResolutionNode]>([])

    init(name: String) {
        self.name = name
    }

    func beginWaiting(for node: ResolutionNode) {
        awaited.withLock { $0.append(node) }
    }

    func endWaiting(for node: ResolutionNode) {
        awaited.withLock { awaited in
            if let index = awaited.firstIndex(where: { $0 === node }) { awaited.remove(at: index) }
        }
    }

    /// The way from this node to one of `targets` along what builds wait for.
    func way(to targets: Set<ObjectIdentifier>) -> [ResolutionNode]? {
        var visited: Set<ObjectIdentifier> = []
        return way(to: targets, visited: &visited)
    }

    private func way(to targets: Set<ObjectIdentifier>, visited: inout Set<ObjectIdentifier>) -> [ResolutionNode]? {
        guard visited.insert(ObjectIdentifier(self)).inserted else { return nil }
        if targets.contains(ObjectIdentifier(self)) { return [self] }
        for next in awaited.withLock({ $0 }) {
            if let rest = next.way(to: targets, visited: &visited) { return [self] + rest }
        }
        return nil
    }
}

/// One factory that runs, and the factories that asked for it.
final class ResolutionPath: Sendable {
    @TaskLocal static var current: ResolutionPath?

    private let node: ResolutionNode
    /// Whether others may wait for this build, as they do for a container value.
    private let isShared: Bool
    private let parent: ResolutionPath?
    /// False once the factory has returned: a task that it left behind no longer counts as part of it.
    private let isActive = Atomic<Bool>(true)

    private init(node: ResolutionNode, isShared: Bool, parent: ResolutionPath?) {
        self.node = node
        self.isShared = isShared
        self.parent = parent
    }

    /// Notes that the running factory, if any, needs `node`, and answers with what ends that.
    ///
    /// - Throws: `cycle`, with the types on it.
    static func enter(_ node: ResolutionNode) throws(IoCError) -> ResolutionPath? {
        let path = activeChain()
        if let index = path.firstIndex(where: { $0.node === node }) {
            throw cycle(path[index...].map(\.node) + [node])
        }
        guard let waiting = path.last(where: { $0.isShared }) else { return nil }
        waiting.node.beginWaiting(for: node)
        if let way = node.way(to: Set(path.map { ObjectIdentifier($0.node) })) {
            waiting.node.endWaiting(for: node)
            throw cycle([waiting.node] + way)
        }
        return waiting
    }

    func leave(_ node: ResolutionNode) {
        self.node.endWaiting(for: node)
    }

    static func running<R>(_ node: ResolutionNode, shared: Bool, _ body: () throws -> R) rethrows -> R {
        let path = ResolutionPath(node: node, isShared: shared, parent: current)
        defer { path.isActive.store(false, ordering: .releasing) }
        return try $current.withValue(path, operation: body)
    }

    static func running<R: Sendable>(
        _ node: ResolutionNode, shared: Bool, _ body: @Sendable () async throws -> R
    ) async rethrows -> R {
        let path = ResolutionPath(node: node, isShared: shared, parent: current)
        defer { path.isActive.store(false, ordering: .releasing) }
        return try await $current.withValue(path, operation: body)
    }

    /// The factories that run around this call, outermost first.
    private static func activeChain() -> [ResolutionPath] {
        var chain: [ResolutionPath] = []
        var next = current
        while let path = next {
            if path.isActive.load(ordering: .acquiring) { chain.append(path) }
            next = path.parent
        }
        return chain.reversed()
    }

    private static func cycle(_ nodes: [ResolutionNode]) -> IoCError {
        IoCError(
            code: .cycle,
            message: nodes.map(\.name).joined(separator: " -> ") + "; break it by resolving one of them lazily"
        )
    }
}
