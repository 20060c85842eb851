import Relux
@testable import ReluxBus

/// One life of a host process: the core that production runs, and the least exchange that keeps its books.
struct SimulatedHost {
    struct Module {
        var epoch: Epoch
        var position: UInt64
        var sequences: [Topic: UInt64]
        var running = 0
        var isClosed = false
    }

    let id: HostID
    let life: Int
    var core: BusCore
    var modules: [ModuleID: Module] = [:]
    var version: UInt64 = 0
    var recipients: [Topic: [ModuleID]] = [:]
    var connections: [String] = []
    var subscriptions: [[UInt8]] = []
    var tickAt: Duration?
}

/// Every module's journal: what survives the death of its process. A batch is there as a whole or not at all.
struct SimulatedDisk {
    private(set) var batches: [ModuleID: [[BusCore.Unwritten]]] = [:]

    mutating func append(_ part: JournalPart) {
        // Runs, one per topic; a topic's records stay in order.
        let ordered = part.records.enumerated().sorted {
            (JournalOrder($0.element.topic), $0.offset) < (JournalOrder($1.element.topic), $1.offset)
        }
        batches[part.module, default: []].append(ordered.map(\.element))
    }

    func ledger(of module: ModuleID) -> Ledger {
        var ledger = Ledger(module)
        for batch in batches[module] ?? [] {
            for entry in batch { ledger.apply(entry.topic, entry.record) }
        }
        return ledger
    }
}

extension Ledger {
    /// All that recovery must find again.
    var summary: String {
        let streams = streams.sorted { $0.key < $1.key }.map { topic, state in
            "\(topic) \(state.head) \(state.pending.map { "\($0.sequence):\($0.outstanding)" })"
        }
        let cursors = cursors.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.ranges)" }
        return "\(position) \(streams) \(cursors) \(places.keys.sorted())"
    }
}
