import Dispatch
import ReluxWire
import Synchronization

/// A value that tests wait on: every change wakes those whose condition has come true.
///
/// All waiting in this kit is done here, always under a watchdog and never by polling. The watchdog is in real time and
/// generous: it turns a hang into a failure that names what was awaited, and asserts no speed.
public final class Watched<Value: Sendable>: Sendable {
    private struct Waiter {
        let condition: @Sendable (Value) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }
    private struct State {
        var value: Value
        var waiters: [UInt64: Waiter] = [:]
        var nextID: UInt64 = 0
    }
    private let state: Mutex<State>

    public init(_ value: Value) { state = Mutex(State(value: value)) }

    public var value: Value { state.withLock { $0.value } }

    @discardableResult
    public func update<R: Sendable>(_ body: (inout Value) -> R) -> R {
        let (result, woken) = state.withLock { state in
            let result = body(&state.value)
            let met = state.waiters.filter { $0.value.condition(state.value) }
            for id in met.keys { state.waiters[id] = nil }
            return (result, met.values.map(\.continuation))
        }
        for continuation in woken { continuation.resume(returning: true) }
        return result
    }

    /// Returns when the condition holds.
    ///
    /// - Throws: `WatchdogError` after `limit` of real time, or when the task is cancelled.
    public func wait(
        for what: String, limit: Duration = .seconds(60), until condition: @escaping @Sendable (Value) -> Bool
    ) async throws(WatchdogError) {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        // No sleeping task: a cancelled one keeps its timer until it would have ended.
        let watchdog = DispatchSource.makeTimerSource()
        watchdog.schedule(deadline: .now() + limit / .seconds(1))
        watchdog.setEventHandler { self.giveUp(id) }
        watchdog.activate()
        defer { watchdog.cancel() }
        let isMet = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isMet: Bool? = state.withLock { state in
                    if condition(state.value) { return true }
                    if Task.isCancelled { return false }
                    state.waiters[id] = Waiter(condition: condition, continuation: continuation)
                    return nil
                }
                if let isMet { continuation.resume(returning: isMet) }
            }
        } onCancel: {
            giveUp(id)
        }
        if !isMet { throw WatchdogError(what: what, limit: limit, last: "\(value)") }
    }

    private func giveUp(_ id: UInt64) {
        state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(returning: false)
    }
}

/// The error of a test that has waited in vain.
public struct WatchdogError: Error, CustomStringConvertible {
    public let what: String
    public let limit: Duration
    /// The value that was there instead.
    public let last: String
    public var description: String { "gave up waiting for \(what) after \(DurationText.print(limit)); there was: \(last)" }
}
