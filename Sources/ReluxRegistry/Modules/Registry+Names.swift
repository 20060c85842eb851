import ReluxWire

/// Modules that are no members any more are remembered up to a limit: names come and go for as long as a cluster lives.
extension Registry {
    /// The number of names that are remembered besides those of the members.
    static let namesKept = 256

    /// Called when a name has been added to what outlives a membership, or a member has gone.
    mutating func forgetNames() {
        losses.forgetDeaths(besides: Set(modules.keys), above: Self.namesKept)
        if losses.forget(losses.byPublisher.keys.filter { $0 != Self.builtIn && isForgotten($0) }, above: Self.namesKept) { turn.mustPersist = true }
        forgetServed()
        if epochs.forget(epochs.given.keys.filter { $0 != Self.builtIn && isForgotten($0) }, above: Self.namesKept) { turn.mustPersist = true }
        forgetLives()
    }

    /// A name that comes back after more than ``namesKept`` others is served from what is packed.
    private mutating func forgetServed() {
        let gone = served.keys.filter(isForgotten)
        guard gone.count > Self.namesKept else { return }
        for id in epochs.oldest(gone).prefix(gone.count - Self.namesKept * 3 / 4) { served[id] = nil }
        turn.mustPersist = true
    }

    /// Only what outlives a membership remembers the name.
    func isForgotten(_ id: ModuleID) -> Bool { modules[id] == nil && handovers[id] == nil }
}
