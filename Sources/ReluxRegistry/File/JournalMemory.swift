import ReluxControl
import ReluxJournal
import ReluxWire

/// The journals as the registry knows them: how far each has come, and the members that they show where the registry's file is lost. Pure.
struct JournalMemory: Sendable {
    /// How far the modules' journals have come, as those say who write them.
    var lives: [ModuleID: KnownLives] = [:]
    /// Set if this broker started without the registry's file and found journals.
    var recollection: Recollection?

    /// - Returns: whether that was news.
    mutating func note(_ end: JournalEnd, of id: ModuleID) -> Bool { lives[id, default: KnownLives()].note(end) }

    /// The journal will be removed.
    ///
    /// - Returns: whether anything was known of it.
    mutating func forget(_ id: ModuleID) -> Bool { lives.removeValue(forKey: id) != nil }

    /// - Returns: nil if nothing is known of any of them.
    func known(of ids: some Sequence<ModuleID>) -> [ModuleID: KnownLives]? {
        var known: [ModuleID: KnownLives] = [:]
        for id in ids { known[id] = lives[id] }
        return known.isEmpty ? nil : known
    }
}
