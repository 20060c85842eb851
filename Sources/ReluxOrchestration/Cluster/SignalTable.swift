internal import Synchronization

/// The completion signals of a module that others can see, and complete, by name: `relux signal ls`, `relux signal complete NAME`.
public final class SignalTable: Sendable {
    private let signals = Mutex<[String: CompletionSignal]>([:])

    public init() {}

    /// The signal of that name, made if there is none or if the last one is complete and was waited for.
    ///
    /// A signal that was completed before anybody waited is given out once: the wait for it returns at once.
    public func open(_ name: String) -> CompletionSignal {
        signals.withLock { signals in
            if let signal = signals[name], !signal.isSpent { return signal }
            let signal = CompletionSignal()
            signals[name] = signal
            return signal
        }
    }

    /// Nobody waits for it any more; a later completion finds none.
    public func close(_ name: String) { signals.withLock { $0[name] = nil } }

    /// False when none of that name is open.
    @discardableResult
    public func complete(_ name: String) -> Bool {
        guard let signal = signals.withLock({ $0[name] }), !signal.isComplete else { return false }
        signal.complete()
        return true
    }

    /// By name.
    public var states: [SignalState] {
        signals.withLock { $0 }.sorted { $0.key < $1.key }
            .map { SignalState(name: $0.key, isComplete: $0.value.isComplete, waiters: $0.value.waiting) }
    }
}
