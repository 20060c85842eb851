internal import Relux
internal import Synchronization

/// How a race ended: with the body's value, or with a body that was given up and may be running still.
struct Raced<Value: Sendable>: Sendable {
    var value: Value?
    /// Ends with the body; nil when that has ended, or was never begun.
    var unfinished: Task<Void, Never>?
}

/// Whichever comes first: the body's value, the limit, or the caller's cancellation.
///
/// A body that loses is cancelled and not waited for. Whoever is cancelled already begins none.
///
/// - Parameter end: a moment of the clock, which the caller has read: the time until a task begins counts too.
func race<Value: Sendable>(
    until end: Duration?, clock: Relux.NodeClock, _ body: @escaping @Sendable () async -> Value
) async -> Raced<Value> {
    guard !Task.isCancelled else { return Raced() }
    let once = Once<Value?>()
    // Unstructured on purpose: it may outlive the wait for it.
    let work = Task { once.end(await body()) }
    let timer = end.map { end in
        Task {
            guard (try? await clock.sleep(until: end)) != nil else { return }
            once.end(nil)
        }
    }
    let value = await withTaskCancellationHandler {
        await once.value
    } onCancel: {
        once.end(nil)
    }
    timer?.cancel()
    if let value { return Raced(value: value) }
    work.cancel()
    return Raced(unfinished: work)
}

/// Whether the task ends within the limit; the caller's cancellation does not cut the wait short.
func ends(_ task: Task<Void, Never>, within limit: Duration, clock: Relux.NodeClock) async -> Bool {
    let end = clock.end(of: limit)
    return await Task { await race(until: end, clock: clock) { await task.value }.value != nil }.value
}

extension Relux.NodeClock {
    /// When a limit that begins now ends.
    func end(of limit: Duration) -> Duration { now() + min(limit, .longestWait) }
}

/// A value that the first one gives.
final class Once<Value: Sendable>: Sendable {
    private enum State {
        case open(CheckedContinuation<Value, Never>?)
        case ended(Value)
    }
    private let state = Mutex(State.open(nil))

    func end(_ value: Value) {
        let waiter: CheckedContinuation<Value, Never>? = state.withLock { state in
            guard case .open(let waiter) = state else { return nil }
            state = .ended(value)
            return waiter
        }
        waiter?.resume(returning: value)
    }

    /// One caller only.
    var value: Value {
        get async {
            await withCheckedContinuation { continuation in
                let value: Value? = state.withLock { state in
                    if case .ended(let value) = state { return value }
                    state = .open(continuation)
                    return nil
                }
                if let value { continuation.resume(returning: value) }
            }
        }
    }
}
