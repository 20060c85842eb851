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

    /// Cancels the effects that run now.
    @MainActor
    public func cancel() { stop?() }
}
