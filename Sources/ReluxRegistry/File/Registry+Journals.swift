import ReluxControl
package import ReluxJournal
package import ReluxWire

/// How far the modules' journals have come, as those say who write them. Whoever opens one is told, and writes down what it lacks.
extension Registry {
    /// A life of the module has opened its journal. An earlier one may say so when its successor has the epoch already.
    mutating func noteOpened(_ id: ModuleID, _ epoch: Epoch) {
        guard let record = modules[id], record.isLive, epoch <= record.epoch else { return }
        note(JournalEnd(opened: epoch), of: id)
    }

    /// A request of the ingress that the built-in node's journal knows.
    package mutating func recover(_ request: String, _ state: Ingress.Recovered) { ingress.restore(request, state) }

    /// This broker has opened the journal of its own node.
    package mutating func noteOwnOpened() { note(JournalEnd(opened: ownEpoch), of: Self.builtIn) }

    /// Journals were sealed.
    package mutating func noteEnds(_ ends: [ModuleID: JournalEnd]) {
        for (id, end) in ends.sorted(by: { $0.key < $1.key }) where end.epoch.rawValue <= epochs[id] { note(end, of: id) }
    }

    private mutating func note(_ end: JournalEnd, of id: ModuleID) {
        if journals.note(end, of: id) { turn.mustPersist = true }
    }

    /// The courier will remove the journal: nothing in it is needed any more. It stays when the module is loaded again.
    mutating func noteRetired(_ id: ModuleID) {
        guard modules[id] == nil, journals.forget(id) else { return }
        turn.mustPersist = true
    }

    /// The order that tells a host how far these journals have come, before it opens them; nil if nothing is known.
    func knownLives(of ids: some Sequence<ModuleID>) -> HostOrder? {
        journals.known(of: ids).map { .knownLives($0) }
    }

    /// The journals of names that are no members, as for their other memories.
    mutating func forgetLives() {
        let gone = journals.lives.keys.filter { $0 != Self.builtIn && isForgotten($0) }
        guard gone.count > Self.namesKept else { return }
        for id in epochs.oldest(gone).prefix(gone.count - Self.namesKept * 3 / 4) { journals.lives[id] = nil }
        turn.mustPersist = true
    }
}
