import Relux
import ReluxBus
import ReluxControl
import ReluxLedger
import ReluxPlugin

/// How modules leave, one by one or with their process.
extension HostRuntime {
    /// How long a module that leaves serves what others still need of it.
    static let partingLimit = Duration.seconds(1)
    /// How long a module may finish what it has begun when all processes end at once.
    static let orphanLimit = Duration.seconds(1)

    func leave(_ id: ModuleID, _ kind: Departure.Kind) async {
        guard let node = served[id]?.node else { return _ = feed.yield(.gone(id, failure: nil)) }
        let isOrphan = kind == .orphaned
        _ = await node.leave(within: isOrphan ? min(configuration.drainLimit, Self.orphanLimit) : configuration.drainLimit, yields: kind != .removed)
        exchange.sayKeptRefusals(isLast: true)
        await snapshots.detach(id)
        await endpoint.leave(id, within: isOrphan ? .zero : Self.partingLimit)
        served[id] = nil
        probe.forget(id)
        sayEnds()
        feed.yield(.gone(id, failure: nil))
    }

    /// How far sealed journals have come.
    func sayEnds() {
        let ends = openings.journals.takeEnds()
        if !ends.isEmpty { link.send(.journalEnds(ends)) }
    }
}
