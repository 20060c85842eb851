import Relux

/// Which modules here hear what, and what this process subscribes for that. Pure.
struct Routes: Sendable {
    private(set) var listeners: [Topic: [ModuleID]] = [:]
    /// The module that serves a `~fetch`, and the one that takes a `~replay`.
    private(set) var fetched: [Topic: ModuleID] = [:]
    private(set) var replayed: [Topic: ModuleID] = [:]
    private var subscriptions: Set<[UInt8]> = []

    func isHeard(_ topic: Topic, by module: ModuleID) -> Bool { listeners[topic]?.contains(module) == true }

    /// - Parameter handled: what each module here handles; nothing for one that leaves, which is answered all the same.
    mutating func rebuild(_ handled: [ModuleID: Set<Topic>]) {
        (listeners, fetched, replayed) = ([:], [:], [:])
        for (id, topics) in handled.sorted(by: { $0.key < $1.key }) {
            listeners[.settlements(of: id), default: []].append(id)
            fetched[BusCore.fetch(from: id)] = id
            replayed[BusCore.replay(for: id)] = id
            for topic in topics { listeners[topic, default: []].append(id) }
        }
    }

    mutating func subscribe(to topics: Set<Topic>, _ actions: inout [BusCore.Action]) {
        let wanted = Set(topics.map(Frame.subscription))
        for topic in Self.sorted(wanted.subtracting(subscriptions)) { actions.append(.subscribe(topic)) }
        for topic in Self.sorted(subscriptions.subtracting(wanted)) { actions.append(.unsubscribe(topic)) }
        subscriptions = wanted
    }

    /// Actions come in an order that follows from the input alone, so that a run can be repeated.
    private static func sorted(_ prefixes: Set<[UInt8]>) -> [[UInt8]] {
        prefixes.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
