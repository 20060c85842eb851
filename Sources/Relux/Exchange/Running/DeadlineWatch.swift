import Synchronization

/// Wakes its owner at the earliest noted deadline; later ones cost one comparison.
///
/// The owner looks at all that waits when it is woken and notes the next deadline itself, so nothing is kept per wait.
final class DeadlineWatch: Sendable {
    private struct State {
        var earliest: Duration?
        var timer: Task<Void, Never>?
    }
    private let state = Mutex(State())
    private let clock: Relux.NodeClock

    init(clock: Relux.NodeClock) { self.clock = clock }

    /// `wake` makes what is called at the deadline; it is asked only when the deadline is the earliest.
    func note(_ deadline: Duration, wake: () -> @Sendable () -> Void) {
        state.withLock { state in
            if let earliest = state.earliest, earliest <= deadline { return }
            state.timer?.cancel()
            state.earliest = deadline
            let wake = wake()
            // Outlives the call on purpose: it is the timer, ended by an earlier deadline, by firing or by `stop`.
            state.timer = Task.detached { [weak self, clock] in
                guard await Self.sleep(until: deadline, clock) else { return }
                if self?.fires(deadline) == true { wake() }
            }
        }
    }

    /// False when another deadline has taken its place.
    private static func sleep(until deadline: Duration, _ clock: Relux.NodeClock) async -> Bool {
        await Relux.NodeClock.$isOfDeadlines.withValue(true) { (try? await clock.sleep(until: deadline)) != nil }
    }

    func stop() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
        }
    }

    /// False for a timer that an earlier deadline has replaced.
    private func fires(_ deadline: Duration) -> Bool {
        state.withLock { state in
            guard state.earliest == deadline else { return false }
            state.earliest = nil
            state.timer = nil
            return true
        }
    }
}
