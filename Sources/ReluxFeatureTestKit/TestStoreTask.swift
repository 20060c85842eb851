import ReluxFeature
import ReluxWire
public import Testing

/// An action that a test has sent, as long as effects go on that go back to it.
@MainActor
public struct TestStoreTask {
    let task: StoreTask
    let name: String
    let timeout: Duration
    let report: (Comment, SourceLocation) -> Void

    /// Waits until all effects have ended that go back to the action, and fails when one goes on.
    ///
    /// - Parameter timeout: a watchdog, the store's by default.
    public func finish(timeout: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
        let limit = timeout ?? self.timeout
        if await task.finish(timeout: limit) { return }
        report(
            "effects of \(name) still run after \(DurationText.print(limit)); cancel the task, wait for what ends them, or turn the clock they sleep on",
            sourceLocation)
    }

    /// Cancels the effects that run now, and returns when they have ended; fails when one does not.
    public func cancel(sourceLocation: SourceLocation = #_sourceLocation) async {
        task.cancel()
        await finish(sourceLocation: sourceLocation)
    }
}
