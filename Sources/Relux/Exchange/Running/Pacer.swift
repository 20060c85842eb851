import Synchronization

/// A real-time tick that runs only while there is something to look at.
///
/// It paces execution, not semantics, so it never runs on a test's clock.
final class Pacer: Sendable {
    private let isRunning = Mutex(false)
    private let origin = NodeTime.nanoseconds()

    func now() -> Duration { .nanoseconds(nanoseconds()) }

    func nanoseconds() -> Int64 { NodeTime.nanoseconds() - origin }

    /// Calls `tick` every `interval` until it returns false; a second call while it runs changes nothing.
    func run(every interval: Duration, tick: @escaping @Sendable (Duration) -> Bool) {
        guard start() else { return }
        // Outlives the call on purpose: it ends with the crowd that it watches.
        Task.detached { [self] in
            while true {
                try? await Task.sleep(for: interval, clock: .continuous)
                if tick(now()) { continue }
                isRunning.withLock { $0 = false }
                // Somebody may have come between the tick and this line, and found the pacer running.
                guard tick(now()), start() else { return }
            }
        }
    }

    private func start() -> Bool {
        isRunning.withLock { isRunning in
            defer { isRunning = true }
            return !isRunning
        }
    }
}
