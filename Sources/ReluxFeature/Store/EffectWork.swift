import Synchronization

/// The operations on ids that an effect's closure has while it runs.
struct EffectWork: Sendable {
    @TaskLocal static var current: EffectWork?

    /// A part of the effect begins under an id; returns its number, nil when the store is gone.
    let begin: @MainActor @Sendable (_ id: EffectID, _ cancelInFlight: Bool, _ stop: @escaping @Sendable () -> Void) -> UInt64?
    let end: @MainActor @Sendable (UInt64) -> Void
    let cancel: @MainActor @Sendable (EffectID) -> Void
    /// The parts of the effect, by their numbers, in which the code runs that asks.
    var parts: [UInt64] = []
}

/// Runs a part of an effect that can be cancelled by this id; the effect goes on behind it. Outside an effect it runs the operation alone.
///
/// - Parameter cancelInFlight: what runs under this id is cancelled first.
/// - Throws: what the operation throws, a `CancellationError` for most that are cancelled.
public func withTaskCancellation<Value: Sendable>(
    id: some Hashable & Sendable, cancelInFlight: Bool = false, operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard var work = EffectWork.current else { return try await operation() }
    let stop = Stop()
    // First: what is cancelled for this one must not go on beside it.
    guard let number = await work.begin(EffectID(id), cancelInFlight, { stop.stop() }) else { throw CancellationError() }
    work.parts.append(number)
    let task = Task { [work] in
        try Task.checkCancellation()
        return try await EffectWork.$current.withValue(work) { try await operation() }
    }
    stop.set { task.cancel() }
    let result = await withTaskCancellationHandler {
        await task.result
    } onCancel: {
        task.cancel()
    }
    await work.end(number)
    return try result.get()
}

/// Ends a part, also one that has not begun when it is told to.
private final class Stop: Sendable {
    private struct State {
        var isStopped = false
        var end: Hook?
    }
    private struct Hook: Sendable { let body: @Sendable () -> Void }
    private let state = Mutex(State())

    func set(_ end: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.end = Hook(body: end)
            return state.isStopped
        }
        if isStopped { end() }
    }

    func stop() {
        let end = state.withLock { state in
            state.isStopped = true
            return state.end
        }
        end?.body()
    }
}

extension Task where Success == Never, Failure == Never {
    /// Cancels what the feature of the running effect, and its children, run under this id: in the store's next turn. Outside an effect it is
    /// reported.
    public static func cancel(id: some Hashable & Sendable) {
        guard let work = EffectWork.current else {
            return FeatureIssue.report("Task.cancel(id: \(id)) was called outside an effect, where no feature runs; call it in the closure of `.run`")
        }
        let effect = EffectID(id)
        // Unstructured on purpose: whoever calls does not wait.
        Task<Void, Never> { @MainActor in work.cancel(effect) }
    }
}
