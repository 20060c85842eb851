import ReluxControl
import ReluxPlugin
import ReluxWire

/// The sets that follow from the records of modules, kept in line with each change of one; see Registry+Index.swift.
struct ModuleIndex: Sendable {
    /// They are on their way to be ready.
    private(set) var pending: Set<ModuleID> = []
    /// They wait for the order to proceed.
    private(set) var awaiting: Set<ModuleID> = []
    /// They may be absent: they neither serve nor begin to.
    private(set) var idle: Set<ModuleID> = []
    /// By the module that is imported.
    private(set) var importers: [ModuleID: Set<ModuleID>] = [:]
    private(set) var snapshotOwners: [Topic: ModuleID] = [:]
    /// Members that are known to be absent, and why; see Registry+Absence.swift.
    var absences: [ModuleID: String] = [:]
    /// The contract in each module's packed plugin, as CBOR.
    var contracts: [ModuleID: ByteString] = [:]

    /// - Parameter record: of a module that is there.
    mutating func note(_ record: ModuleRecord) {
        let (id, phase) = (record.id, record.state.phase)
        put(id, in: \.pending, phase.isPending)
        let awaits = record.isLive && !record.present.instance.mayBeReady && !record.isLeaving && (phase == .recovering || phase == .waiting)
        put(id, in: \.awaiting, awaits)
        switch phase {
        case .waiting, .stopped, .backoff, .quarantined, .refused: idle.insert(id)
        case .declared, .verified, .starting, .recovering, .ready, .draining, .standby: idle.remove(id)
        }
    }

    private mutating func put(_ id: ModuleID, in set: WritableKeyPath<ModuleIndex, Set<ModuleID>>, _ isIn: Bool) {
        if isIn { self[keyPath: set].insert(id) } else { self[keyPath: set].remove(id) }
    }

    /// The module hears what it handles, and others may import it.
    mutating func admit(_ record: ModuleRecord) {
        for topic in record.declaration?.provides ?? [] { snapshotOwners[topic] = record.id }
        for owner in record.providers { importers[owner, default: []].insert(record.id) }
    }

    /// The reverse of ``admit(_:)``.
    mutating func expel(_ record: ModuleRecord) {
        for topic in record.declaration?.provides ?? [] where snapshotOwners[topic] == record.id { snapshotOwners[topic] = nil }
        for owner in record.providers {
            importers[owner]?.remove(record.id)
            if importers[owner]?.isEmpty == true { importers[owner] = nil }
        }
    }

    /// The module's record is gone; it was expelled before.
    mutating func remove(_ id: ModuleID) {
        pending.remove(id)
        awaiting.remove(id)
        idle.remove(id)
    }
}
