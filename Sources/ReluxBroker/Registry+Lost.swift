import ReluxBus
import ReluxWire

/// Lost effects, added up from what each publisher's journal says of its own.
extension Registry {
    /// Whole books, each in the place of the one before it: one that is told again, by whichever life of the host or to whichever of the broker, counts once.
    mutating func take(_ books: [ModuleID: LostBook]) {
        var hasChanged = false
        for (publisher, told) in books {
            // The life was never given, or it is over and a later one has spoken of it.
            guard told.epoch.rawValue <= epochs[publisher], told.epoch >= lostBy[publisher]?.epoch ?? told.epoch else { continue }
            let book = LostBook(epoch: told.epoch, told.by, others: told.others)
            guard book != lostBy[publisher], !book.isEmpty || lostBy[publisher] != nil else { continue }
            lostBy[publisher] = book
            hasChanged = true
        }
        guard hasChanged else { return }
        forgetNames()
        mustPersist = true
    }

    func lost(with module: ModuleID) -> UInt64 {
        lostBy.values.reduce(into: 0) { $0.grow(by: $1.by[module] ?? 0) }
    }

    /// By recipient, of all publishers.
    var lost: [ModuleID: UInt64] {
        lostBy.values.reduce(into: [:]) { lost, book in
            for (recipient, count) in book.by { lost[recipient, default: 0].grow(by: count) }
        }
    }

    /// Recipients that are no members have a line each; those that lost least, and names that the books do not tell apart, share one.
    var lostNotes: [String] {
        var others = lostBy.values.reduce(into: UInt64(0)) { $0.grow(by: $1.others) }
        let gone = lost.filter { modules[$0.key] == nil }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (_, count) in gone.dropFirst(Self.namesKept) { others.grow(by: count) }
        var lines = gone.prefix(Self.namesKept).sorted { $0.key < $1.key }.map {
            "\($0.value) effects were lost with \($0.key), which is no member any more"
        }
        if others > 0 { lines.append("\(others) effects were lost with further modules") }
        return lines
    }
}
