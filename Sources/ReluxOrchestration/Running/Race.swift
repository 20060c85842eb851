internal import Relux
internal import Synchronization

/// Whichever comes first: the body's value, or nil at the limit or when the caller is cancelled.
///
/// The body is asked to end then, and not waited for: one that does not listen holds up nobody.
func race<Value: Sendable>(
    upTo limit: Duration?, clock: Relux.NodeClock, _ body: @escaping @Sendable () async -> Value
) async -> Value? {
    let once = Once<Value?>()
    // Unstructured on purpose: it may outlive the wait for it.
    let work = Task { once.end(await body()) }
    let timer = limit.map { limit in
        Task {
            guard (try? await clock.sleep(limit)) != nil else { return }
            once.end(nil)
        }
    }
    let value = await withTaskCancellationHandler {
        await once.value
    } onCancel: {
        once.end(nil)
    }
    timer?.cancel()
    if value == nil { work.cancel() }
    return value
}

/// A value that the first one gives.
private final class Once<Value: Sendable>: Sendable {
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
