public import ReluxFeature
public import ReluxTestKit
import ReluxWire
import Synchronization
public import Testing

/// A store that fails the test for everything that the test does not say: a change of state, an action that comes back, an effect that goes
/// on, an issue that a feature reports.
///
/// Effects and child features run as in a `Store`. An action that an effect sends is reduced at once and kept until `receive` asserts it;
/// `state` is the one that the last asserted action has left. Call ``finish(timeout:sourceLocation:)`` at the end. A test that wants an
/// issue says so with `withKnownIssue`.
@MainActor
public final class TestStore<State: Equatable, Action: Sendable> {
    /// Whether everything has to be asserted.
    public enum Exhaustivity: Sendable, Equatable {
        case on
        /// Changes that are not asserted are passed over.
        case off
    }

    struct Received {
        var action: Action
        var before: State
        var after: State
    }

    /// An effect that was cancelled before it ended.
    public struct CancelledEffect: Equatable, Sendable, CustomStringConvertible {
        /// The name that it was given, else the place that it comes from.
        public let name: String
        /// In words: its child was taken away, its id was cancelled, another one began under its id, …
        public let reason: String
        public var description: String { "\(name) (\(reason))" }
    }

    let runtime: FeatureRuntime<State, Action>
    /// Effects that were cancelled since the last `send`, that one's included; the oldest first.
    public private(set) var cancelledEffects: [CancelledEffect] = []
    var received: [Received] = []
    var asserted: State
    public var exhaustivity = Exhaustivity.on
    /// How long `receive` and `finish` wait for an effect that runs, when they are not told: a watchdog, not a measure.
    public var timeout = Duration.seconds(30)
    /// What effects wait by, `send.clock`: it stands still until the test turns it. One that a test hands in may be shared.
    public let clock: ManualClock
    let report: (Comment, SourceLocation) -> Void
    private var sentState: State?
    private var isFinished = false
    private let made: SourceLocation
    private let issues = IssueLog()
    private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastWait: UInt64 = 0

    /// - Parameter report: told of each failure; by default the test fails with it.
    public init<R: Reducer>(
        initialState: State, clock: ManualClock = ManualClock(), @ReducerBuilder<State, Action> reducer: () -> R,
        report: ((Comment, SourceLocation) -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) where R.State == State, R.Action == Action {
        self.report = report ?? { Issue.record($0, sourceLocation: $1) }
        self.clock = clock
        asserted = initialState
        made = sourceLocation
        runtime = FeatureRuntime(initialState, reducer(), clock: clock.nodeClock, onIssue: { [issues] in issues.add($0) })
        var previous = initialState
        runtime.didReduce = { [weak self] action, origin, state in
            let before = previous
            previous = state
            self?.reduced(action, origin, before: before, after: state)
        }
        runtime.didEnd = { [weak self] in self?.wake() }
        runtime.didCancel = { [weak self] name, reason in self?.cancelledEffects.append(CancelledEffect(name: name, reason: reason)) }
    }

    isolated deinit {
        guard !isFinished else { return }
        failForIssues(made)
        guard exhaustivity == .on else { return }
        failIfOpen(made, "when the test store went away; end the test with `await store.finish()`")
    }

    /// What the last asserted action has left.
    public var state: State { asserted }

    // MARK: Sending

    /// Sends an action as the user of the feature would.
    ///
    /// - Parameter expected: turns the state before into the one that the action has to leave; nil when it changes nothing.
    @discardableResult
    public func send(
        _ action: Action, assert expected: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> StoreTask {
        isFinished = false
        if !received.isEmpty {
            if exhaustivity == .on {
                report(
                    """
                    \(describeCase(action)) is sent while \(received.count) received action\(received.count == 1 ? "" : "s") \
                    \(received.count == 1 ? "is" : "are") not asserted: \(names(received)); assert with receive, or skipReceivedActions()
                    """, sourceLocation)
            }
            skip()
        }
        let before = asserted
        sentState = nil
        cancelledEffects = []
        let task = runtime.send(action)
        asserted = sentState ?? before
        check(expected, before: before, after: asserted, "sending \(describeCase(action))", sourceLocation)
        failForIssues(sourceLocation)
        return task
    }

    private func reduced(_ action: Action, _ origin: FeatureRuntime<State, Action>.Origin, before: State, after: State) {
        switch origin {
        case .sent: sentState = after
        case .effect:
            received.append(Received(action: action, before: before, after: after))
            wake()
        }
    }

    // MARK: Waiting

    /// Returns when an action has arrived, an effect has ended, or the time is over.
    func change(before deadline: ContinuousClock.Instant) async {
        lastWait += 1
        let number = lastWait
        let expiry = Task { [weak self] in
            try? await Task.sleep(until: deadline, clock: .continuous)
            self?.waiting.removeValue(forKey: number)?.resume()
        }
        await withCheckedContinuation { waiting[number] = $0 }
        expiry.cancel()
    }

    private func wake() {
        let all = waiting
        waiting = [:]
        for continuation in all.values { continuation.resume() }
    }

    /// True when no effect runs any more.
    private func effectsEnded(within limit: Duration) async -> Bool {
        let deadline = ContinuousClock.now + limit
        while !runtime.runningEffects.isEmpty, ContinuousClock.now < deadline { await change(before: deadline) }
        return runtime.runningEffects.isEmpty
    }

    // MARK: The end

    /// Waits for every effect, and fails for those that go on and for received actions that were not asserted.
    public func finish(timeout: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
        _ = await effectsEnded(within: timeout ?? self.timeout)
        isFinished = true
        failForIssues(sourceLocation)
        guard exhaustivity == .on else { return }
        failIfOpen(sourceLocation, "at the end")
    }

    /// Passes over what was received and is not asserted.
    ///
    /// - Parameter strict: fails when there is nothing.
    public func skipReceivedActions(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) async {
        if strict, received.isEmpty { report("there were no received actions to skip", sourceLocation) }
        skip()
        failForIssues(sourceLocation)
    }

    /// Cancels what runs, and fails for an effect that does not end for it.
    ///
    /// - Parameter strict: fails when nothing runs.
    public func skipInFlightEffects(
        strict: Bool = true, timeout: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        if strict, runtime.runningEffects.isEmpty { report("there were no running effects to skip", sourceLocation) }
        runtime.cancelAll()
        let limit = timeout ?? self.timeout
        if await !effectsEnded(within: limit) {
            report(
                """
                cancelled, and still running after \(DurationText.print(limit)): \(runtime.runningEffects.joined(separator: ", ")); an effect has to look \
                whether it is cancelled
                """, sourceLocation)
        }
        failForIssues(sourceLocation)
    }

    private func skip() {
        guard let last = received.last else { return }
        asserted = last.after
        received = []
    }

    private func failIfOpen(_ location: SourceLocation, _ when: String) {
        if !received.isEmpty {
            report("\(received.count) received action(s) were not asserted \(when): \(names(received))", location)
        }
        let running = runtime.runningEffects
        if !running.isEmpty {
            report(
                "\(running.count) effect(s) still ran \(when): \(running.joined(separator: ", ")); cancel them, or wait for what ends them", location)
        }
    }

    func failForIssues(_ location: SourceLocation) {
        for issue in issues.take() { report("an issue of the feature: \(issue)", location) }
    }

    func names(_ list: [Received]) -> String { list.map { describeCase($0.action) }.joined(separator: ", ") }
}

/// What features have reported since the test was last told.
private final class IssueLog: Sendable {
    private let issues = Mutex<[FeatureIssue]>([])

    func add(_ issue: FeatureIssue) { issues.withLock { $0.append(issue) } }

    func take() -> [FeatureIssue] {
        issues.withLock { issues in
            defer { issues = [] }
            return issues
        }
    }
}
