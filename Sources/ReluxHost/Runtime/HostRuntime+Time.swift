import Relux
import ReluxBus
import ReluxPlugin
import ReluxZeroMQ

/// The host's recurring work and reports.
extension HostRuntime {
    func look() {
        lookAfterPlace()
        if link.isDue("following", every: Self.followInterval) { followJournals() }
        if !isAtRest || link.isDue("probe", every: configuration.stallLimit / 2) { probe.ask() }
        sayTotals()
        let disk = endpoint.diskTroubles
        if machine.isWelcome, disk != lastDiskTroubles, link.isDue("disk", every: .seconds(1)) || disk.isEmpty != lastDiskTroubles.isEmpty {
            lastDiskTroubles = disk
            link.send(.disk(disk))
        }
        claimHomeless()
        exchange.sayKeptRefusals()
        var changed: [ModuleID: ModuleCounters] = [:]
        for (id, counters) in counters() where lastCounters[id] != counters { changed[id] = counters }
        if !changed.isEmpty, link.isDue("counters", every: .milliseconds(500)) {
            let told = changed
            lastCounters.merge(changed) { $1 }
            changed = [:]
            link.send(.counters(told))
        }
        if changed.isEmpty, isAtRest {
            // Nothing runs, so the system gets free memory back.
            if link.isDue("memory", every: .seconds(10)) { FreeMemory.giveBack() }
            pace.rest(isFollowing: !followers.isEmpty)
        } else {
            pace.stir()
        }
    }

    /// What the bus of this process has counted, where there is news of it; also when all has left, or the last losses would be known to the journals alone.
    func sayTotals() {
        var bus = endpoint.counters
        bus.uncodedSnapshots = snapshots.failures
        bus.files = placeTroubles + fileNews.filter { served[$0.key] != nil }.map(\.value).sorted()
        let troubles = bus.troubles + bus.forgotten + bus.files + bus.late + bus.laterLives.map { "\($0.key) \($0.value)" }.sorted()
        guard machine.isWelcome, troubles != lastTroubles || bus.lost != lastLost else { return }
        (lastTroubles, lastLost) = (troubles, bus.lost)
        link.send(.bus(bus))
    }

    private func counters() -> [ModuleID: ModuleCounters] {
        let bus = endpoint.counters
        return exchange.counters().reduce(into: [:]) { all, entry in
            guard machine.modules[entry.key] != nil else { return }
            var counters = ModuleCounters()
            counters.emitted = entry.value.emitted
            counters.handled = entry.value.handled
            counters.failed = entry.value.failed
            counters.unhandled = entry.value.unhandled
            counters.inFlight = entry.value.inFlight
            counters.gaps = bus.gaps
            counters.repaired = bus.repaired
            let refusals = exchange.refusals(of: entry.key)
            if let last = lastCounters[entry.key], last.refused == refusals.total {
                (counters.refused, counters.refusals) = (last.refused, last.refusals)
            } else {
                counters.take(refusals)
            }
            all[entry.key] = counters
        }
    }

    /// Lines in the host's own log; the supervisor has pointed stderr there.
    nonisolated func log(_ line: String) { StandardError.write("relux-host \(configuration.host): \(line)") }
}
