import ReluxWire

/// The epochs that were given to modules, as far as anybody knows: the registry's file, the journals of the node, and who has heard a module. Pure.
///
/// Design notes. A file may be lost, or come from an older copy. Then the next epoch of a module has to be above all that any of the others says,
/// or numbers would be given out again. Nobody is believed without bounds: one wrong number near ``Epoch/limit`` would leave a module without a
/// next life.
struct EpochBook: Sendable {
    /// A host, or a journal, is believed so far beyond what is known.
    private static let headroom: UInt64 = 4096

    /// The last epoch that each module was given, removed ones included: none is given twice.
    private(set) var given: [ModuleID: UInt64]
    /// The highest that a name had which is not among them any more.
    private(set) var floor: UInt64
    /// The last epoch that a module's journal says, where no higher one is known to have been given: of a registry that is lost, or older.
    private(set) var written: [ModuleID: UInt64] = [:]
    /// Set if a host has heard a later life of the broker's own node, which only a broker that starts anew can go behind: this one has to end.
    var outlivedBy: Epoch?

    init(given: [ModuleID: UInt64], floor: UInt64 = 0) { (self.given, self.floor) = (given, floor) }

    /// 0 if none was given.
    subscript(id: ModuleID) -> UInt64 { given[id] ?? 0 }

    /// The highest epoch that is known to have been given; nil for a name that nobody has heard of.
    func known(of id: ModuleID) -> UInt64? { [given[id], written[id]].compactMap(\.self).max() }

    /// For the module's next instance: given to nobody, and above all that its journal has seen.
    func next(of id: ModuleID) -> Epoch {
        // A name that is known without a life may be one that was forgotten.
        let known = known(of: id) ?? 0
        return Epoch(rawValue: (known > 0 ? known : floor) + 1)
    }

    /// Whether the module cannot have that many more lives.
    func lacks(_ lives: UInt64, of id: ModuleID) -> Bool {
        let next = next(of: id)
        return next > .limit || Epoch.limit.rawValue - next.rawValue < lives - 1
    }

    /// Whether a process may have been given the epoch. Its journal is a life behind when the last broker died before it was opened.
    func allows(_ claimed: Epoch, of id: ModuleID) -> Bool { known(of: id).map { claimed.rawValue <= $0 + 1 } ?? true }

    /// Whether what a host or a journal says of the module can be.
    func isBelieved(_ epoch: Epoch, of id: ModuleID) -> Bool {
        epoch < .limit && epoch.rawValue <= (known(of: id) ?? floor) + Self.headroom
    }

    /// - Returns: whether that is news.
    @discardableResult
    mutating func note(given epoch: Epoch, to id: ModuleID) -> Bool {
        let isNews = epoch.rawValue > self[id]
        // A module that has had no life is known with 0.
        given[id] = max(epoch.rawValue, self[id])
        return isNews
    }

    /// The latest epoch was reserved for an instance that has not begun, and nobody else has heard of it.
    mutating func giveBack(_ epoch: Epoch, of id: ModuleID) {
        if self[id] == epoch.rawValue { given[id] = epoch.rawValue - 1 }
    }

    mutating func note(written epoch: Epoch, of id: ModuleID) { written[id] = max(written[id] ?? 0, epoch.rawValue) }

    /// The highest epoch of all forgotten names stays: a name that nobody knows begins behind it, so that none is given twice.
    ///
    /// - Parameters:
    ///   - gone: names that nothing else remembers.
    ///   - limit: the number of them that is kept; once there are more, the oldest go, down to three quarters of it.
    /// - Returns: whether one was forgotten.
    mutating func forget(_ gone: [ModuleID], above limit: Int) -> Bool {
        guard gone.count > limit else { return false }
        for id in oldest(gone).prefix(gone.count - limit * 3 / 4) {
            floor = max(floor, self[id])
            given[id] = nil
        }
        return true
    }

    /// Those first whose last life is longest ago, as far as epochs tell.
    func oldest(_ ids: some Sequence<ModuleID>) -> [ModuleID] { ids.sorted { (self[$0], $0) < (self[$1], $1) } }
}
