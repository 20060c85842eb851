import Relux
import ReluxBus
import ReluxZeroMQ
import Synchronization

/// How often a host looks at what it has to do: often while something is on its way, else once a second. Known on the receiving thread, which
/// sleeps in between.
///
/// At rest the look is taken when the broker's ping has woken that thread anyway, and by itself only where no ping comes.
final class HostPace: Sendable {
    private enum State: UInt8, AtomicRepresentable { case restless, resting, due }

    private static let often = Duration.milliseconds(100)
    private static let seldom = Duration.milliseconds(1500)

    private let state = Atomic(State.restless)

    /// From one look to the next.
    var interval: Duration {
        switch state.load(ordering: .relaxed) {
        case .restless: Self.often
        case .resting: Self.seldom
        case .due: .zero
        }
    }

    /// Something has come: from any thread.
    func stir() { state.store(.restless, ordering: .relaxed) }

    /// All was looked at, and nothing waits for the next look.
    func rest() { state.store(.resting, ordering: .relaxed) }

    /// This thread is awake: what is due in a moment is done now.
    func hurry() { _ = state.compareExchange(expected: .resting, desired: .due, ordering: .relaxed) }

    /// A look is taken.
    func look() { _ = state.compareExchange(expected: .due, desired: .resting, ordering: .relaxed) }
}

extension HostRuntime {
    /// No module is on its way anywhere, no handler runs, and the broker knows all that there is to know.
    var isAtRest: Bool {
        isWelcome && openTurns == 0 && refusals.isEmpty && leaving.isEmpty && handingOver.isEmpty && trials.isEmpty && !isUntidy
            && fence?.isReached != true && placeTroubles.isEmpty && lastDiskTroubles.isEmpty && !modules.isEmpty
            && modules.values.allSatisfy { $0.state.phase == .ready || $0.state.phase == .standby }
            && exchange.counters().values.allSatisfy { $0.inFlight == 0 }
    }
}
