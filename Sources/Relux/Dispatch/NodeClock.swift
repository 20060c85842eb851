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
        /// The time on the wall; people set that clock. Only schedules go by it.
        public let wallTime: @Sendable () -> WallTime
        private let sleepUntil: @Sendable (Duration) async throws -> Void

        /// True while a node itself sleeps until the next deadline of what it waits for, and no code of a module does.
        @TaskLocal package static var isOfDeadlines = false

        /// - Parameters:
        ///   - sleepUntil: returns once ``now`` has reached the moment, at once when it has already; throws
        ///     `CancellationError` when the task is cancelled before.
        ///   - wallTime: by default 2001-01-01 00:00 UTC and the time that ``now`` shows.
        public init(
            now: @escaping @Sendable () -> Duration, wallTime: (@Sendable () -> WallTime)? = nil,
            sleepUntil: @escaping @Sendable (Duration) async throws -> Void
        ) {
            self.now = now
            self.wallTime = wallTime ?? { WallTime(2001, 1, 1) + now() }
            self.sleepUntil = sleepUntil
        }

        /// Sleeps until a moment of ``now``.
        ///
        /// A task that begins later than its caller should sleep until a moment that the caller has read: the time until the task begins
        /// then counts too.
        /// - Throws: `CancellationError` when the task is cancelled while it sleeps.
        public func sleep(until moment: Duration) async throws { try await sleepUntil(moment) }

        /// Sleeps for a span from now on.
        /// - Throws: `CancellationError` when the task is cancelled while it sleeps.
        public func sleep(_ span: Duration) async throws { try await sleepUntil(now() + span) }

        public static let continuous: NodeClock = {
            let origin = NodeTime.nanoseconds()
            return NodeClock(
                now: { .nanoseconds(NodeTime.nanoseconds() - origin) }, wallTime: { NodeTime.wallTime() },
                sleepUntil: {
                    let left = $0 - .nanoseconds(NodeTime.nanoseconds() - origin)
                    // A moment before the machine's start would never come.
                    guard left > .zero else { return try Task.checkCancellation() }
                    try await Task.sleep(for: left, tolerance: .zero, clock: .continuous)
                })
        }()
    }
}

/// The clock that `ContinuousClock` reads, as a plain number: it is read several times for each effect, and instants are slow to subtract.
enum NodeTime {
    static func wallTime() -> Relux.WallTime {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Relux.WallTime(milliseconds: Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000)
    }

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
