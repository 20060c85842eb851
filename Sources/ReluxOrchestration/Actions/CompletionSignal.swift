public import Relux
internal import Synchronization

/// Completed once, from anywhere; whoever waits goes on then, and whoever comes later does not wait.
///
/// An action hands it to what it shows, and waits: `await signal.wait()`.
public final class CompletionSignal: Sendable {
    private struct State {
        var isComplete = false
        var wasAwaited = false
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var last: UInt64 = 0
    }
    private let state = Mutex(State())

    public init() {}

    public var isComplete: Bool { state.withLock { $0.isComplete } }

    /// How many wait.
    var waiting: Int { state.withLock { $0.waiters.count } }
    /// It is complete, and somebody has waited for that.
    var isSpent: Bool { state.withLock { $0.isComplete && $0.wasAwaited } }

    /// From any thread; a second call does nothing.
    public func complete() {
        let waiters = state.withLock { state in
            state.isComplete = true
            defer { state.waiters = [:] }
            return state.waiters
        }
        for waiter in waiters.values { waiter.resume() }
    }

    /// Returns when it is complete, or when the waiting task is cancelled. Any number may wait.
    public func wait() async {
        let id = state.withLock { state in
            state.last += 1
            state.wasAwaited = true
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isComplete || Task.isCancelled { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
    }

    /// Waits for the signal, for `limit` at most.
    ///
    /// - Returns: whether it is complete.
    @discardableResult
    public func wait(upTo limit: Duration, clock: Relux.NodeClock = .continuous) async -> Bool {
        let end = clock.end(of: limit)
        await withTaskGroup { group in
            group.addTask { await self.wait() }
            group.addTask { try? await clock.sleep(until: end) }
            await group.next()
            group.cancelAll()
        }
        return isComplete
    }
}
