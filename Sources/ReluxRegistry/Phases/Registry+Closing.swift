import ReluxControl
import ReluxPlugin
import ReluxWire

/// The cluster goes down.
extension Registry {
    /// Nothing new begins, and what is on its way is carried on by the next start: whoever waits for its end is told.
    mutating func close() {
        guard boot != .closing else { return }
        boot = .closing
        for (id, handover) in handovers.sorted(by: { $0.key < $1.key }) {
            handovers[id]?.waiters = []
            for connection in handover.waiters { refuse(connection, handover.request, cutShort(handover)) }
        }
    }

    func cutShort(_ handover: Handover) -> Refusal {
        let (id, record) = (handover.module, modules[handover.module])
        let start = record.map { ": relux up starts \(id) \($0.declaration?.version ?? "") in host \($0.home)" } ?? ""
        return Refusal(
            .shuttingDown, "the cluster is being taken down before the \(handover.kind.rawValue) of \(id) to host \(handover.to) has come to its end\(start)")
    }
}
