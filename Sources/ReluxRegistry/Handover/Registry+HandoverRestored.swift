
extension Registry {
    /// Takes up a hand-over of the broker before this one; who stands by and what was sealed the hosts say again.
    mutating func restore(_ handover: Handover) {
        guard modules[handover.module] != nil, hosts[handover.to] != nil, hosts[handover.from] != nil else { return }
        var handover = handover
        handover.since = clock.now
        if handover.stage != .preparing {
            handover.pause = Handover.Pause(since: clock.time, isOpen: true)
        }
        handovers[handover.module] = handover
        index(handover.module)
    }
}
