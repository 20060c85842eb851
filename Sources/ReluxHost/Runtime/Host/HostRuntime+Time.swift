import Relux
import ReluxBus
import ReluxControl
import ReluxPlugin
import ReluxSystem

/// The host's recurring work and reports.
extension HostRuntime {
    /// How often the journals of modules in standby are read on.
    private static let followInterval = Duration.seconds(1)

    func look() {
        lookAfterPlace()
        if link.isDue("following", every: Self.followInterval) {
            for (id, module) in machine.modules { if case .standby = module.life { openings.follow(id) } }
        }
        if !isAtRest || link.isDue("probe", every: configuration.stallLimit / 2) { probe.ask() }
        sayTotals()
        let disk = endpoint.diskTroubles
        if machine.isWelcome, disk != told.diskTroubles, link.isDue("disk", every: .seconds(1)) || disk.isEmpty != told.diskTroubles.isEmpty {
            told.diskTroubles = disk
            link.send(.disk(disk))
        }
        claimHomeless()
        exchange.sayKeptRefusals()
        var changed: [ModuleID: ModuleCounters] = [:]
        for (id, counters) in counters() where told.counters[id] != counters { changed[id] = counters }
        if !changed.isEmpty, link.isDue("counters", every: .milliseconds(500)) {
            let news = changed
            told.counters.merge(changed) { $1 }
            changed = [:]
            link.send(.counters(news))
        }
        if changed.isEmpty, isAtRest {
            // Nothing runs, so the system gets free memory back.
            if link.isDue("memory", every: .seconds(10)) { FreeMemory.giveBack() }
            pace.rest(isFollowing: !openings.followers.isEmpty)
        } else {
            pace.stir()
        }
    }

    /// Sends the counts of this process's bus when there is news; also when all has left, or the journals alone would know of the last losses.
    func sayTotals() {
        var bus = endpoint.counters
        bus.uncodedSnapshots = snapshots.failures
        bus.files = place.troubles.map { ClusterNote(.files, $0) }
        bus.files += place.news.filter { served[$0.key] != nil }.map { ClusterNote(.files, $1, of: $0) }.sorted { $0.text < $1.text }
        let troubles = bus.troubles + (bus.forgotten + bus.files + bus.late).map(\.text) + bus.laterLives.map { "\($0.key) \($0.value)" }.sorted()
        guard machine.isWelcome, troubles != told.troubles || bus.lost != told.lost else { return }
        (told.troubles, told.lost) = (troubles, bus.lost)
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
            if let last = told.counters[entry.key], last.refused == refusals.total {
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
