import ReluxControl
import ReluxWire

/// Processes that were started with another version of a module than the one that is wanted by now.
///
/// Design notes. Two versions never meet in one process, so the wanted one comes with the next start that the supervisor is told of:
/// ``ModuleRecord/awaitedStart``. A process with a smaller number goes on without the module. Before the supervisor has said hello nobody can be told;
/// the start has no number yet.
extension Registry {
    /// The start that nobody has been told of yet: greater than any.
    static let unordered = StartNumber(order: .max, attempt: 0)

    /// Whether the wanted version comes only with a later start: the host's process has another one, or there is no process yet.
    func awaitsStart(_ record: ModuleRecord) -> Bool {
        guard let awaited = record.awaitedStart else { return false }
        return hosts[record.host]?.start.map { $0 < awaited } ?? true
    }

    /// A process of ours has come with another version of the module.
    ///
    /// - Returns: false when it was started for the wanted one: its library is not what its manifest says.
    mutating func isOutdated(_ record: ModuleRecord, in host: HostRecord) -> Bool {
        guard configuration.supervised, !host.isForeign, record.awaitedStart == nil || awaitsStart(record) else { return false }
        if record.awaitedStart == nil {
            modules[record.id]?.awaitedStart = Self.unordered
            turn.mustPersist = true
        }
        let phase = record.state.phase
        if supervisor == nil, !record.isLive, phase == .starting || phase == .backoff || phase == .recovering {
            move(record.id, to: .backoff, why: "its process has another version; the supervisor starts it again when it is back")
        }
        return true
    }

    /// A start was ordered, and the supervisor knows what it is to be started with.
    mutating func noteAwaited(_ order: UInt64, of id: HostID) {
        for module in hosts[id]?.modules ?? [] where modules[module]?.awaitedStart == Self.unordered {
            modules[module]?.awaitedStart = StartNumber(order: order, attempt: 0)
        }
    }

    /// Has the host started again if a module of it awaits that.
    ///
    /// - Parameter drains: what its modules do is worth the time of the stop ladder.
    mutating func restartOutdated(_ id: HostID, drains: Bool) {
        guard supervisor != nil, let host = hosts[id], host.isLive, host.process == .running else { return }
        let awaiting = host.modules.compactMap { modules[$0] }.filter {
            awaitsStart($0) && $0.state.phase != .refused && !$0.isLeaving && handovers[$0.id] == nil
        }
        guard let first = awaiting.first else { return }
        for record in awaiting { modules[record.id]?.awaitedStart = Self.unordered }
        restart(id, why: "its process was started with another version of \(first.id)", drains: drains)
    }

    /// The supervisor has come, and was told the plugins of every host.
    mutating func restartAllOutdated() {
        for id in hosts.keys.sorted() {
            guard let host = hosts[id] else { continue }
            guard host.isLive else {
                // The next process has it.
                for module in host.modules where modules[module]?.awaitedStart != nil { modules[module]?.awaitedStart = nil }
                continue
            }
            if !isRestartOrdered(host) { restartOutdated(id, drains: true) }
        }
    }

    /// An order is on its way that names a later start than the process that lives.
    func isRestartOrdered(_ host: HostRecord) -> Bool { (host.order ?? 0) > (host.start?.order ?? 0) }
}
