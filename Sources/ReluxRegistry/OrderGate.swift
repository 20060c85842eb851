import ReluxControl
import ReluxPlugin

/// Holds back what the registry orders until the disk has what it depends on. Pure: the caller writes.
///
/// Nothing that stands behind a `persist` may happen before that snapshot is durable. A disk that may take it later is waited for, and with it all that
/// was ordered since; only answers to those who look pass. What waits is bounded: a picture makes way for a later one, and who still orders more than
/// ``limit`` is told so; nothing of it was done, and nobody was answered.
package struct OrderGate: Sendable {
    private struct Held: Sendable {
        var snapshot: RegistrySnapshot
        var actions: [Registry.Action]
        var triedAt: Duration
        var why: String
    }
    /// Between two tries to write what found no room.
    package static let pause = Duration.milliseconds(100)
    /// The number of actions that may wait.
    static let limit = 65_536
    private var held: Held?

    package init() {}

    /// The registry is not on the disk, which does not take it now.
    package var isHeld: Bool { held != nil }
    /// Why it is not; nil when it is.
    package var trouble: String? { held?.why }

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
    /// - Throws: what `write` throws, but for what the disk may take later; that too when more than ``limit`` actions would wait.
    package mutating func pass(
        _ actions: [Registry.Action], now: Duration, write: (RegistrySnapshot) throws(RegistryFileError) -> Void
    ) throws(RegistryFileError) -> [Registry.Action] {
        let actions = Array(actions[ahead(of: actions).endIndex...])
        var waiting = held?.actions ?? []
        for action in actions where !action.isPersist { waiting.take(action) }
        var latest = held?.snapshot
        for case .persist(let snapshot) in actions { latest = snapshot }
        guard let latest else { return actions }
        if let held, waiting.count <= Self.limit, now - held.triedAt < Self.pause { return hold(waiting, latest, held.triedAt, held.why) }
        do throws(RegistryFileError) {
            try write(latest)
        } catch {
            guard error.mayPass, waiting.count <= Self.limit else { throw error }
            return hold(waiting, latest, now, error.message)
        }
        held = nil
        return waiting
    }

    private mutating func hold(
        _ waiting: [Registry.Action], _ snapshot: RegistrySnapshot, _ triedAt: Duration, _ why: String
    ) -> [Registry.Action] {
        held = Held(snapshot: snapshot, actions: waiting.filter { !$0.onlyShows }, triedAt: triedAt, why: why)
        return waiting.filter(\.onlyShows)
    }
}

extension [Registry.Action] {
    /// What waits here nobody has seen: a later word makes way with an earlier one that it says all of, as far as nothing stands between them whose
    /// place matters.
    fileprivate mutating func take(_ action: Registry.Action) {
        var index = endIndex
        while action.isRepeated, index > startIndex, self[index - 1].isRepeated || self[index - 1].onlyShows {
            index -= 1
            if action.isNeedless(behind: self[index]) { return }
            if action.replaces(self[index]) { remove(at: index) }
        }
        append(action)
    }
}

extension Registry.Action {
    fileprivate var isPersist: Bool { if case .persist = self { true } else { false } }

    /// A host that is not answered asks again, each second; and each answer is the same, or a later one.
    fileprivate var isRepeated: Bool {
        switch self {
        case .toHosts(_, .picture), .toHosts(_, .welcome), .toHosts(_, .knownLives), .toHosts(_, .refuse), .toHosts(_, .refusalNoted), .toHosts(_, .drain),
            .toHosts(_, .stop), .publish(.moduleRefused):
            true
        default: false
        }
    }

    /// A host that is told to stop obeys nothing that comes after that.
    fileprivate func isNeedless(behind earlier: Registry.Action) -> Bool {
        switch (self, earlier) {
        case (.toHosts(let hosts, .stop), .toHosts(let stopped, .stop)), (.toHosts(let hosts, .drain), .toHosts(let stopped, .stop)):
            stopped.includes(hosts)
        default: false
        }
    }

    fileprivate func replaces(_ earlier: Registry.Action) -> Bool {
        switch (self, earlier) {
        case (.toHosts(let hosts, let order), .toHosts(let earlierHosts, let earlierOrder)):
            order.saysAll(of: earlierOrder) && hosts.includes(earlierHosts)
        case (.publish(let fact), .publish(let earlier)): fact == earlier
        default: false
        }
    }
}

extension HostOrder {
    fileprivate func saysAll(of earlier: HostOrder) -> Bool {
        switch (self, earlier) {
        case (.picture, .picture): true
        // It is of the same life, or of a later one: a connection greets nobody else.
        case (.welcome(let epochs, _), .welcome(let before, _)): before.allSatisfy { id, epoch in epochs[id].map { $0 >= epoch } ?? false }
        case (.knownLives(let lives), .knownLives(let before)): before.keys.allSatisfy { lives[$0] != nil }
        case (.refuse(let module, let code, let message), .refuse(let before, let codeBefore, let messageBefore)):
            module == before && code == codeBefore && message == messageBefore
        case (.refusalNoted(let module), .refusalNoted(let before)), (.drain(let module), .drain(let before)): module == before
        default: false
        }
    }
}

extension [ConnectionID] {
    fileprivate func includes(_ others: [ConnectionID]) -> Bool { self == others || Set(self).isSuperset(of: others) }
}
