public import Relux
import Synchronization

/// A clock that a test turns by hand; give a node its ``nodeClock``.
///
/// Nothing passes by itself. A test waits until the code under test sleeps (``waitForSleepers(_:dueWithin:)``), then turns the
/// clock; no test needs a sleep of its own.
public final class ManualClock: Sendable {
    private struct Sleeper {
        let due: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }
    private struct State: Sendable {
        var now: Duration = .zero
        var due: [UInt64: (time: Duration, isOfDeadlines: Bool)] = [:]
    }
    private let state = Watched(State())
    private let sleepers = Mutex<[UInt64: Sleeper]>([:])
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
                sleepers.withLock { sleepers in
                    guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                    guard due > now else { return continuation.resume() }
                    sleepers[id] = Sleeper(due: due, continuation: continuation)
                    let isOfDeadlines = Relux.NodeClock.isOfDeadlines
                    state.update { $0.due[id] = (due, isOfDeadlines) }
                }
            }
        } onCancel: {
            end(id)?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Turns the clock and resumes what is due, the earliest first, each at its own time.
    ///
    /// Returns when all have been resumed; what they do then is awaited through its effects.
    public func advance(by duration: Duration) {
        let end = now + duration
        while let sleeper = next(until: end) { sleeper.continuation.resume() }
    }

    /// Returns when the code under test sleeps `count` times at once.
    ///
    /// Without a span a node that waits for the deadline of a dispatch does not count: every dispatch has one.
    /// - Parameter span: then only those count that are due within it from now, and so do deadlines.
    public func waitForSleepers(_ count: Int = 1, dueWithin span: Duration? = nil) async throws(WatchdogError) {
        try await state.wait(for: "\(count) sleepers") { state in
            state.due.values.count { due in span.map { due.time <= state.now + $0 } ?? !due.isOfDeadlines } >= count
        }
    }

    /// How many sleep that are no node's own wait for a deadline.
    public var sleeping: Int { state.value.due.values.count { !$0.isOfDeadlines } }

    /// Takes the next sleeper that is due by `end` and turns the clock to its time; without one, turns it to `end` and returns nil.
    ///
    /// The time changes where a sleeper looks at it: none begins to sleep for what has passed.
    private func next(until end: Duration) -> Sleeper? {
        sleepers.withLock { sleepers in
            let first = sleepers.filter { $0.value.due <= end }.min { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
            if let first { sleepers[first.key] = nil }
            state.update { state in
                if let first { state.due[first.key] = nil }
                state.now = max(state.now, first?.value.due ?? end)
            }
            return first?.value
        }
    }

    private func end(_ id: UInt64) -> Sleeper? {
        sleepers.withLock { sleepers in
            let sleeper = sleepers.removeValue(forKey: id)
            if sleeper != nil { state.update { $0.due[id] = nil } }
            return sleeper
        }
    }
}
