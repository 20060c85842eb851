public import Relux
import Synchronization

/// A clock that a test turns by hand; give a node its ``nodeClock``.
///
/// Nothing passes by itself. A test waits until the code under test sleeps (``waitForSleepers(_:dueWithin:)``), then turns the
/// clock; no test needs a sleep of its own.
public final class ManualClock: Sendable {
    private struct Sleeper: Sendable {
        let due: Duration
        let isOfDeadlines: Bool
        let continuation: CheckedContinuation<Void, any Error>
    }
    private struct State: Sendable {
        var now: Duration = .zero
        /// Where the clock is being turned to: turns at the same time add up.
        var turning: Duration = .zero
        var sleepers: [UInt64: Sleeper] = [:]
    }
    private let state = Watched(State())
    private let nextID = Atomic<UInt64>(0)

    public init() {}

    public var now: Duration { state.value.now }

    public var nodeClock: Relux.NodeClock {
        Relux.NodeClock(now: { self.now }, sleepUntil: { try await self.sleep(until: $0) })
    }

    /// Sleeps until the clock has been turned that much further.
    public func sleep(_ duration: Duration) async throws { try await sleep(until: now + duration) }

    /// Sleeps until the clock shows that moment; returns at once when it does already.
    public func sleep(until due: Duration) async throws {
        let id = nextID.add(1, ordering: .relaxed).newValue
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOfDeadlines = Relux.NodeClock.isOfDeadlines
                let isCancelled: Bool? = state.update { state in
                    if Task.isCancelled { return true }
                    guard due > state.now else { return false }
                    state.sleepers[id] = Sleeper(due: due, isOfDeadlines: isOfDeadlines, continuation: continuation)
                    return nil
                }
                switch isCancelled {
                case true?: continuation.resume(throwing: CancellationError())
                case false?: continuation.resume()
                case nil: break
                }
            }
        } onCancel: {
            state.update { $0.sleepers.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Turns the clock and resumes what is due, the earliest first, each at its own time.
    ///
    /// Returns when all have been resumed; what they do then is awaited through its effects.
    public func advance(by duration: Duration) {
        let end = state.update { state in
            state.turning += duration
            return state.turning
        }
        while let sleeper = next(until: end) { sleeper.continuation.resume() }
    }

    /// Returns when the code under test sleeps `count` times at once.
    ///
    /// Without a span a node that waits for the deadline of a dispatch does not count: every dispatch has one.
    /// - Parameter span: then only those count that are due within it from now, and so do deadlines.
    public func waitForSleepers(_ count: Int = 1, dueWithin span: Duration? = nil) async throws(WatchdogError) {
        try await state.wait(for: "\(count) sleepers") { state in
            state.sleepers.values.count { sleeper in span.map { sleeper.due <= state.now + $0 } ?? !sleeper.isOfDeadlines } >= count
        }
    }

    /// How many sleep that are no node's own wait for a deadline.
    public var sleeping: Int { state.value.sleepers.values.count { !$0.isOfDeadlines } }

    /// Takes the next sleeper that is due by `end` and turns the clock to its time; without one, turns it to `end` and returns nil.
    ///
    /// The time changes with what sleeps, so that none begins to sleep for what has passed.
    private func next(until end: Duration) -> Sleeper? {
        state.update { state in
            let first = state.sleepers.filter { $0.value.due <= end }.min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
            if let first { state.sleepers[first.key] = nil }
            state.now = max(state.now, first?.value.due ?? end)
            return first?.value
        }
    }
}
