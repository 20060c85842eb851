import Relux

/// Bounds what is known of former members: names come and go for as long as a cluster lives.
extension BusCore {
    /// How many publishers are remembered besides the members.
    static let namesKept = 256

    /// Called when the membership has changed.
    ///
    /// A forgotten stream is made anew from the recipient's cursor if anybody speaks on it again. A stream that lacks something is kept.
    mutating func forgetNames() {
        let known = Set(lives.heard.keys).union(inbound.streams.keys.lazy.map(\.publisher)).union(snapshots.heard.keys.lazy.map(\.publisher))
        let gone = known.filter { membership.members[$0] == nil && locals.index(forKey: $0) == nil }
        guard gone.count > Self.namesKept else { return }
        let lacking = inbound.lacking.union(inbound.doubts.keys.lazy.map(\.publisher))
        // Which ones does not matter to anybody, but a run must be the same again.
        let forgotten = Set(gone.subtracting(lacking).sorted().prefix(gone.count - Self.namesKept * 3 / 4))
        guard !forgotten.isEmpty else { return }
        inbound.forget { forgotten.contains($0.publisher) }
        snapshots.forgetHeard(of: forgotten)
        lives.forget(forgotten)
    }
}
