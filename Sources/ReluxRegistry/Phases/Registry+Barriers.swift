import Relux
import ReluxControl
import ReluxPlugin
import ReluxWire

/// Modules that keep the start from being over: what they let in meanwhile, and why it is not over.
///
/// Design notes. A barrier counts from the declaration on, not from what an instance says: one whose module dies, stops, is quarantined or refused
/// stays closed, or it would be none. What opens it without its module is the module's removal. Once the start is over no barrier counts any more,
/// as no phase comes back; so neither a restart of the module nor one of the broker keeps anybody out.
extension Registry {
    /// Modules whose barriers hold the start up, in start order.
    func closedBarriers() -> [ModuleRecord] {
        barred.filter { $0.present.instance.barrier?.isOpen != true }
    }

    /// Modules that have a barrier, in start order.
    private var barred: [ModuleRecord] {
        modules.values.filter { $0.declaration?.startBarrier != nil }.sorted { ($0.kind.rank, $0.order) < ($1.kind.rank, $1.order) }
    }

    /// Whether nothing but barriers holds the start up, and all of them let the topic in.
    func isLetIn(_ topic: Topic) -> Bool {
        let closed = closedBarriers()
        return boot == .orchestrators && !closed.isEmpty && holdersOfPhase().isEmpty
            && closed.allSatisfy { $0.declaration?.startBarrier?.contains(topic) == true }
    }

    /// Why a user's effect is not taken; nil when that is no barrier's doing.
    func barred(_ topic: Topic) -> Refusal? {
        guard boot == .orchestrators, holdersOfPhase().isEmpty else { return nil }
        guard let record = closedBarriers().first(where: { $0.declaration?.startBarrier?.contains(topic) != true }) else { return nil }
        return Refusal(
            .barrierClosed, "\(topic) was not emitted: the start barrier of \(record.id) is closed: \(why(record))",
            passes: passes(record))
    }

    /// Names what a client waits for; nil if the barrier does not open by itself.
    private func passes(_ record: ModuleRecord) -> String? {
        guard isOnItsWay(record) else { return nil }
        guard let barrier = record.present.instance.barrier else { return "\(record.id) to say what its start barrier waits for" }
        return barrier.isStuck ? nil : "the start barrier of \(record.id) to open"
    }

    /// The barriers as `relux status` shows them.
    var barriers: [ClusterStatus.Barrier] {
        barred.map { record in
            let isOpen = record.present.instance.barrier?.isOpen == true
            return ClusterStatus.Barrier(
                module: record.id, isOpen: isOpen || boot == .open,
                isStuck: boot != .open && !isOpen && (record.present.instance.barrier?.isStuck ?? !isOnItsWay(record)),
                text: isOpen || boot == .open ? record.present.instance.barrier?.text ?? "" : why(record), unknownMode: record.present.instance.barrier?.unknownMode)
        }
    }

    /// For `relux module why-not`.
    func barrierReasons(_ record: ModuleRecord) -> (unmet: [String], notes: [String]) {
        guard record.declaration?.startBarrier != nil else { return ([], []) }
        if boot != .open, record.present.instance.barrier?.isOpen != true { return (["its start barrier is closed: \(why(record))"], []) }
        return ([], record.present.instance.barrier.flatMap { $0.text.isEmpty ? nil : [$0.text] } ?? [])
    }

    private func isOnItsWay(_ record: ModuleRecord) -> Bool {
        switch record.state.phase {
        case .ready, .draining, .backoff: true
        default: record.state.phase.isPending
        }
    }

    /// With what helps.
    private func why(_ record: ModuleRecord) -> String {
        if let text = record.present.instance.barrier?.text { return text }
        let state = "\(record.id) is \(record.state.phase.rawValue)\(record.state.why.isEmpty ? "" : " (\(record.state.why))")"
        if isOnItsWay(record) { return "\(state) and has not said yet what it waits for" }
        return "\(state); see `relux module why-not \(record.id)`, or start without it: relux module unload \(record.id)"
    }
}
