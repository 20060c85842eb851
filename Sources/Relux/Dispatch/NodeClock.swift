#if canImport(Glibc)
    private import Glibc
#elseif canImport(Darwin)
    private import Darwin
#endif

extension Relux {
    /// The time a node lives by: monotonic, injected, so that tests turn it by hand.
    public struct NodeClock: Sendable {
        /// Time since some fixed point; never goes back.
        public let now: @Sendable () -> Duration
        /// - Throws: `CancellationError` when the task is cancelled while it sleeps.
        public let sleep: @Sendable (Duration) async throws -> Void

        /// True while a node itself sleeps until the next deadline of what it waits for, and no code of a module does.
        @TaskLocal package static var isOfDeadlines = false

        public init(now: @escaping @Sendable () -> Duration, sleep: @escaping @Sendable (Duration) async throws -> Void) {
            self.now = now
            self.sleep = sleep
        }

        public static let continuous: NodeClock = {
            let origin = NodeTime.nanoseconds()
            return NodeClock(
                now: { .nanoseconds(NodeTime.nanoseconds() - origin) },
                sleep: { try await Task.sleep(for: $0, tolerance: .zero, clock: .continuous) })
        }()
    }
}

/// The clock that `ContinuousClock` reads, as a plain number: it is read several times for each effect, and instants are slow to subtract.
enum NodeTime {
    static func nanoseconds() -> Int64 {
        var time = timespec()
        #if canImport(Glibc)
            clock_gettime(CLOCK_BOOTTIME, &time)
        #else
            clock_gettime(CLOCK_MONOTONIC_RAW, &time)
        #endif
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
