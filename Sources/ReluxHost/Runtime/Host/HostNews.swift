import Relux
import ReluxBus
import ReluxControl
import ReluxWire
import Synchronization

/// Tells the receiving thread whether the host has something new to tell the broker.
final class HostNews: Sendable {
    private struct Seen: Hashable {
        var counters: [ModuleID: Relux.ExchangeCounters]
        var refused: [ModuleID: UInt64]
        var troubles: [String]
        var lost: [ModuleID: LostBook]
    }
    private let seen = Mutex<Seen?>(nil)

    /// Whether anything differs from the last call.
    func hasCome(_ exchange: Relux.Exchange, _ endpoint: BusEndpoint) -> Bool {
        let bus = endpoint.counters
        let counters = exchange.counters()
        let now = Seen(
            counters: counters, refused: counters.keys.reduce(into: [:]) { $0[$1] = exchange.refusals(of: $1).total },
            troubles: bus.troubles + (endpoint.diskTroubles + bus.forgotten + bus.late).map(\.text), lost: bus.lost)
        return seen.withLock { seen in
            defer { seen = now }
            return seen != now
        }
    }
}
