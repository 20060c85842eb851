import ReluxControl
import ReluxWire

/// Which hosts are to be started, and the numbers of the orders; see ``StartNumber``.
struct StartQueue: Sendable {
    /// The latest order that names a start, of all hosts: no number is given twice.
    private(set) var latest: UInt64 = 0
    /// Hosts between the order to start and their `hello`.
    private(set) var ordered: Set<HostID> = []
    /// Hosts that are due now, in their order; found anew when something has changed.
    private var due: [HostID] = []
    private(set) var isStale = true
    /// Loads that wait for the end of a removal.
    var loads: [(host: HostSpec, plugins: [String: PluginFacts])] = []

    /// The least number of a process whose start is ordered from now on.
    var next: StartNumber { StartNumber(order: latest + 1, attempt: 0) }

    mutating func nextOrder() -> UInt64 {
        latest += 1
        return latest
    }

    /// An order was given by then, perhaps by a registry that is lost.
    mutating func note(order: UInt64) { latest = max(latest, min(order, StartNumber.orderLimit)) }

    /// Whether a host's word on its number can be, where the registry may be lost or an older copy: one wrong number must not use up all that are left.
    func isBelieved(_ order: UInt64) -> Bool { order <= latest || order - latest <= 1 << 32 }

    mutating func note(_ process: HostRecord.Process, of id: HostID) {
        if process == .ordered { ordered.insert(id) } else { ordered.remove(id) }
        if process == .idle { isStale = true }
    }

    mutating func remove(_ id: HostID) { ordered.remove(id) }

    mutating func renew() { isStale = true }

    mutating func renew(_ due: [HostID]) { (self.due, isStale) = (due, false) }

    /// The next host that is due, if there is room for one more at once.
    mutating func take(atOnce limit: Int) -> HostID? {
        guard ordered.count < limit, !due.isEmpty else { return nil }
        return due.removeFirst()
    }
}
