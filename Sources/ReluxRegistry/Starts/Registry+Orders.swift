import ReluxControl
import ReluxWire

/// The numbers of orders that name a start: by them the supervisor's reports and the hellos of processes say of which life of a host they speak.
extension Registry {
    /// Has the host started; nothing happens if it runs.
    mutating func orderStart(_ spec: HostSpec) {
        guard supervisor != nil else { return }
        orderSupervisor(.start(spec, order: nextOrder(for: spec.id)))
    }

    /// Has the host's process end, and another one started.
    mutating func orderRestart(_ id: HostID, _ restart: SupervisorOrder.Restart) {
        guard supervisor != nil else { return }
        orderSupervisor(.restart(host: id, restart, order: nextOrder(for: id)))
    }

    private mutating func nextOrder(for id: HostID) -> UInt64 {
        let order = startQueue.nextOrder()
        hosts[id]?.order = order
        hosts[id]?.isForeign = false
        noteAwaited(order, of: id)
        turn.mustPersist = true
        return order
    }

    /// Processes of the host before that number are over.
    mutating func note(_ start: StartNumber, of id: HostID) {
        startQueue.note(order: start.order)
        guard let host = hosts[id], host.mayBe(start) else { return }
        hosts[id]?.start = start
        hosts[id]?.isForeign = false
        // An order that the supervisor has not followed before it says hello has died with its broker, and a later process is all that it was for.
        hosts[id]?.order = seat.supervisor == nil && !(host.isLive && host.start == start) ? start.order : max(host.order ?? 0, start.order)
        turn.mustPersist = true
    }
}
