import ReluxBus
import ReluxWire

/// Modules that are no members any more are remembered up to a limit: names come and go for as long as a cluster lives.
extension Registry {
    /// The number of names that are remembered besides those of the members.
    static let namesKept = 256

    /// Called when a name has been added to what outlives a membership, or a member has gone.
    mutating func forgetNames() {
        if deaths.count > modules.count + Self.namesKept { deaths = deaths.filter { modules[$0.key] != nil } }
        forgetLost()
        forgetServed()
        forgetEpochs()
        forgetLives()
    }

    /// The books of removed publishers. Those first whose last life is longest ago, as far as epochs tell; the audit has them from their journals.
    private mutating func forgetLost() {
        let gone = lostBy.filter { $0.key != Self.builtIn && modules[$0.key] == nil && handovers[$0.key] == nil }
        guard gone.count > Self.namesKept else { return }
        for (id, _) in gone.sorted(by: { ($0.value.epoch, $0.key) < ($1.value.epoch, $1.key) }).prefix(gone.count - Self.namesKept * 3 / 4) {
            lostBy[id] = nil
        }
        mustPersist = true
    }

    /// A name that comes back after more than ``namesKept`` others is served from what is packed.
    private mutating func forgetServed() {
        let gone = served.keys.filter { modules[$0] == nil && handovers[$0] == nil }
        guard gone.count > Self.namesKept else { return }
        // Those first whose last life is longest ago, as far as epochs tell.
        for id in gone.sorted(by: { (epochs[$0] ?? 0, $0) < (epochs[$1] ?? 0, $1) }).prefix(gone.count - Self.namesKept * 3 / 4) { served[id] = nil }
        mustPersist = true
    }

    /// The highest epoch of all forgotten names stays: a name that nobody knows begins behind it, so that none is given twice.
    private mutating func forgetEpochs() {
        let gone = epochs.filter { $0.key != Self.builtIn && modules[$0.key] == nil && handovers[$0.key] == nil }
        guard gone.count > Self.namesKept else { return }
        for (id, epoch) in gone.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }).prefix(gone.count - Self.namesKept * 3 / 4) {
            epochs[id] = nil
            epochFloor = max(epochFloor, epoch)
        }
        mustPersist = true
    }
}
