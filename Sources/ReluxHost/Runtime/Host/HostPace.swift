import Relux
import ReluxSystem
import Synchronization

/// How often a host looks at what it has to do: often while something is on its way, else every two seconds. Known on the receiving thread, which
/// sleeps in between and wakes once a second for a heartbeat; where it finds news then, the host looks at once.
final class HostPace: Sendable {
    private static let often = Duration.milliseconds(100)
    static let heartbeat = Duration.seconds(1)

    /// Heartbeats from one look to the next at rest; 0: no rest.
    private let beats = Atomic(0)

    var isResting: Bool { beats.load(ordering: .relaxed) > 0 }

    /// From one look to the next at rest.
    var seldom: Duration { Self.heartbeat * max(1, beats.load(ordering: .relaxed)) }

    /// How long the receiving thread may sleep.
    var interval: Duration { isResting ? Self.heartbeat : Self.often }

    /// Something has come: from any thread.
    func stir() { beats.store(0, ordering: .relaxed) }

    /// All was looked at, and nothing waits for the next look.
    ///
    /// - Parameter isFollowing: journals of others are read on with each look, so that little is left of them when it counts.
    func rest(isFollowing: Bool) { beats.store(isFollowing ? 1 : 2, ordering: .relaxed) }
}

extension HostRuntime {
    /// No module is on its way anywhere, no handler runs, and the broker knows all that there is to know.
    var isAtRest: Bool {
        machine.isAtRest && told.fence?.isReached != true && place.isAtRest && told.diskTroubles.isEmpty
            && exchange.counters().values.allSatisfy { $0.inFlight == 0 }
    }
}
