import ReluxBus

/// Holds back what the registry orders until the disk has what it depends on. Pure: the caller writes.
///
/// Nothing that stands behind a `persist` may happen before that snapshot is durable. A disk without room is waited for, and with it all that
/// was ordered since; only answers to those who look pass. What waits is bounded: a picture makes way for a later one, and who still orders more than
/// ``limit`` is told so; nothing of it was done, and nobody was answered.
package struct OrderGate: Sendable {
    private struct Held: Sendable {
        var snapshot: RegistrySnapshot
        var actions: [Registry.Action]
        var triedAt: Duration
    }
    /// Between two tries to write what found no room.
    static let pause = BrokerService.tickInterval
    /// So many actions wait at most.
    static let limit = 65_536
    private var held: Held?

    package init() {}

    /// The registry is not on the disk, which has no room.
    package var isHeld: Bool { held != nil }

    /// What need not wait for the write that comes with these actions; to be done before ``pass(_:now:write:)``.
    package func ahead(of actions: [Registry.Action]) -> ArraySlice<Registry.Action> {
        guard held == nil, let index = actions.firstIndex(where: \.isPersist) else { return [] }
        return actions[..<index]
    }

    /// Writes the registry first; returns what may be done then, in order.
    ///
    /// - Parameters:
    ///   - actions: of one call of the registry, those of ``ahead(of:)`` included, which are not returned.
    ///   - write: returns when the snapshot is durable.
    /// - Throws: what `write` throws, but for a disk without room; that too when more than ``limit`` actions would wait.
    package mutating func pass(
        _ actions: [Registry.Action], now: Duration, write: (RegistrySnapshot) throws(RegistryFileError) -> Void
    ) throws(RegistryFileError) -> [Registry.Action] {
        let actions = Array(actions[ahead(of: actions).endIndex...])
        var waiting = held?.actions ?? []
        for action in actions where !action.isPersist { waiting.take(action) }
        var latest = held?.snapshot
        for case .persist(let snapshot) in actions { latest = snapshot }
        guard let latest else { return actions }
        if let held, waiting.count <= Self.limit, now - held.triedAt < Self.pause { return hold(waiting, latest, held.triedAt) }
        do throws(RegistryFileError) {
            try write(latest)
        } catch {
            guard error.isFull, waiting.count <= Self.limit else { throw error }
            return hold(waiting, latest, now)
        }
        held = nil
        return waiting
    }

    private mutating func hold(
        _ waiting: [Registry.Action], _ snapshot: RegistrySnapshot, _ triedAt: Duration
    ) -> [Registry.Action] {
        held = Held(snapshot: snapshot, actions: waiting.filter { !$0.onlyShows }, triedAt: triedAt)
        return waiting.filter(\.onlyShows)
    }
}

extension [Registry.Action] {
    /// Nobody has seen a picture that waits here, and nothing was ordered since: the later one says all.
    fileprivate mutating func take(_ action: Registry.Action) {
        if let hosts = action.pictured, let earlier = last?.pictured, Set(hosts).isSuperset(of: earlier) { removeLast() }
        append(action)
    }
}

extension Registry.Action {
    /// Who is shown a picture.
    fileprivate var pictured: [ConnectionID]? { if case .toHosts(let hosts, .picture) = self { hosts } else { nil } }
    fileprivate var isPersist: Bool { if case .persist = self { true } else { false } }
}
