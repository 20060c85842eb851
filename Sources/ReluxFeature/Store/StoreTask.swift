/// An action that was sent, as long as something of it goes on: it waits in the queue, or effects that go back to it run.
public struct StoreTask: Sendable {
    private let wait: (@MainActor @Sendable () async -> Void)?
    private let stop: (@MainActor @Sendable () -> Void)?

    /// The task of an action that has left nothing behind.
    init() {
        wait = nil
        stop = nil
    }

    init(wait: @escaping @MainActor @Sendable () async -> Void, stop: @escaping @MainActor @Sendable () -> Void) {
        self.wait = wait
        self.stop = stop
    }

    /// Returns when the action is handled and all effects have ended, also those that their actions have started, or when the store is gone.
    ///
    /// Cancelling whoever waits cancels the effects too; it returns when they have ended.
    public func finish() async {
        guard let wait else { return }
        await withTaskCancellationHandler {
            await wait()
        } onCancel: { [stop] in
            Task { @MainActor in stop?() }
        }
    }

    /// The same, for this time at most; nothing is cancelled when it is over.
    ///
    /// - Returns: false when something still runs.
    @discardableResult
    public func finish(timeout: Duration) async -> Bool {
        guard let wait else { return true }
        let (news, said) = AsyncStream.makeStream(of: Bool.self)
        // Unstructured on purpose: it may outlast this wait, and ends with the effects or the store.
        Task {
            await wait()
            said.yield(true)
        }
        let end = ContinuousClock.now + timeout
        let timer = Task {
            try await Task.sleep(until: end, clock: .continuous)
            said.yield(false)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            for await hasEnded in news { return hasEnded }
            return false
        } onCancel: { [stop] in
            Task { @MainActor in stop?() }
        }
    }

    /// Cancels the effects that run now.
    @MainActor
    public func cancel() { stop?() }
}
