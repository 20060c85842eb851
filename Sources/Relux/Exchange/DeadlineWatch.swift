import Synchronization

/// Wakes its owner at the earliest noted deadline; later ones cost one comparison.
///
/// The owner looks at all that waits when it is woken and notes the next deadline itself, so nothing is kept per wait.
final class DeadlineWatch: Sendable {
    private struct State {
        var earliest: Duration?
        var task: Task<Void, Never>?
    }
    private let state = Mutex(State())
    private let clock: Relux.NodeClock

    init(clock: Relux.NodeClock) { self.clock = clock }

    func note(_ deadline: Duration, wake: @escaping @Sendable () -> Void) {
        state.withLock { state in
            if let earliest = state.earliest, earliest <= deadline { return }
            state.task?.cancel()
            state.earliest = deadline
            // Outlives the call on purpose: it is the timer, ended by an earlier deadline or by firing.
            state.task = Task.detached { [self, clock] in
                let remaining = deadline - clock.now()
                if remaining > .zero { guard (try? await clock.sleep(remaining)) != nil else { return } }
                let isCurrent = self.state.withLock { state in
                    guard state.earliest == deadline else { return false }
                    state.earliest = nil
                    state.task = nil
                    return true
                }
                if isCurrent { wake() }
            }
        }
    }
}
