extension Relux {
    /// The time a node lives by: monotonic, injected, so that tests turn it by hand.
    public struct NodeClock: Sendable {
        /// Time since some fixed point; never goes back.
        public let now: @Sendable () -> Duration
        /// - Throws: `CancellationError` when the task is cancelled while it sleeps.
        public let sleep: @Sendable (Duration) async throws -> Void

        public init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
            self.now = now
            self.sleep = sleep
        }

        public static let continuous: NodeClock = {
            let origin = ContinuousClock.now
            return NodeClock(
                now: { origin.duration(to: .now) },
                sleep: { try await Task.sleep(for: $0, tolerance: .zero, clock: .continuous) })
        }()
    }
}
