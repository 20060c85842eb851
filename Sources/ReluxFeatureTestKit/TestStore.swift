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
        /// Anything that is not asserted is passed over: in silence, or with a warning that names it.
        case off(showSkippedAssertions: Bool)

        public static var off: Self { .off(showSkippedAssertions: false) }
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
    /// The clock that effects wait by, `send.clock`: it stands still until the test turns it. A clock that a test hands in may be shared.
    public let clock: ManualClock
    let report: (Comment, SourceLocation) -> Void
    private let warn: (Comment, SourceLocation) -> Void
    private var sentState: State?
    /// Effects that a test has passed over: nobody asks for their end.
    private var skipped: Set<UInt64> = []
    private var isFinished = false
    private let made: SourceLocation
    private let issues = IssueLog()
    private let executor = EffectExecutor()
    private var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastWait: UInt64 = 0

    /// - Parameters:
    ///   - report: told of each failure; by default the test fails with it.
    ///   - warn: told of what is passed over, with `.off(showSkippedAssertions: true)`; by default the test has a warning.
    public init<R: Reducer>(
        initialState: State, clock: ManualClock = ManualClock(), @ReducerBuilder<State, Action> reducer: () -> R,
        report: ((Comment, SourceLocation) -> Void)? = nil, warn: ((Comment, SourceLocation) -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) where R.State == State, R.Action == Action {
        self.report = report ?? { Issue.record($0, sourceLocation: $1) }
        self.warn = warn ?? { Issue.record($0, severity: .warning, sourceLocation: $1) }
        self.clock = clock
        asserted = initialState
        made = sourceLocation
        runtime = FeatureRuntime(initialState, reducer(), clock: clock.nodeClock, executor: executor, onIssue: { [issues] in issues.add($0) })
        var previous = initialState
        runtime.hooks.didReduce = { [weak self] action, origin, state in
            let before = previous
            previous = state
            self?.reduced(action, origin, before: before, after: state)
        }
        runtime.hooks.didEnd = { [weak self] in self?.wake() }
        runtime.hooks.didCancel = { [weak self] name, reason in self?.cancelledEffects.append(CancelledEffect(name: name, reason: reason)) }
    }

    isolated deinit {
        guard !isFinished else { return }
        failForIssues(made)
        guard exhaustivity == .on else { return }
        failIfOpen(
            made, "when the test store went away; end the test with `await store.finish()`")
    }

    /// The state that the last asserted action has left.
    public var state: State { asserted }

    // MARK: Sending

    /// Sends an action as the user of the feature would, and lets effects that answer at once do it before it returns.
    ///
    /// - Parameter expected: turns the state before into the one that the action has to leave; nil when it changes nothing. `state` is the one
    ///   before until it has returned.
    @discardableResult
    public func send(
        _ action: Action, assert expected: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> TestStoreTask {
        isFinished = false
        if !received.isEmpty {
            if exhaustivity == .on {
                report(
                    """
                    \(describeCase(action)) is sent while \(received.count) received action\(received.count == 1 ? "" : "s") \
                    \(received.count == 1 ? "is" : "are") not asserted: \(names(received)); assert with receive, or skipReceivedActions()
                    """, sourceLocation)
            }
            skip(sourceLocation)
        }
        let before = asserted
        sentState = nil
        cancelledEffects = []
        let task = runtime.send(action)
        let after = sentState ?? before
        check(expected, before: before, after: after, "sending \(describeCase(action))", sourceLocation)
        asserted = after
        failForIssues(sourceLocation)
        await settle()
        return TestStoreTask(task: task, name: describeCase(action), timeout: timeout, report: report)
    }

    /// The same for the case that the path names: `await store.send(\.child.buttonTapped)`.
    @discardableResult
    public func send(
        _ path: CaseKeyPath<Action, Void>, assert expected: ((inout State) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> TestStoreTask where Action: CasePathable {
        await send(Action.cases[keyPath: path].embed(()), assert: expected, sourceLocation: sourceLocation)
    }

    /// The same for the case that the path names, with its value.
    @discardableResult
    public func send<Value>(
        _ path: CaseKeyPath<Action, Value>, _ value: Value, assert expected: ((inout State) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> TestStoreTask where Action: CasePathable {
        await send(Action.cases[keyPath: path].embed(value), assert: expected, sourceLocation: sourceLocation)
    }

    /// Fails when the closure changes the state that the last asserted action has left.
    public func assert(_ expected: (inout State) throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) {
        var wanted = asserted
        do { try expected(&wanted) } catch { return report("the assertion threw \(error)", sourceLocation) }
        if wanted != asserted { report("\(mismatch("the state is not the expected one", wanted, asserted))", sourceLocation) }
    }

    /// Runs a part of the test with another exhaustivity.
    public func withExhaustivity<Result>(_ exhaustivity: Exhaustivity, operation: () throws -> Result) rethrows -> Result {
        let outer = self.exhaustivity
        self.exhaustivity = exhaustivity
        defer { self.exhaustivity = outer }
        return try operation()
    }

    public func withExhaustivity<Result: Sendable>(
        _ exhaustivity: Exhaustivity, operation: @MainActor () async throws -> Result
    ) async rethrows -> Result {
        let outer = self.exhaustivity
        self.exhaustivity = exhaustivity
        defer { self.exhaustivity = outer }
        return try await operation()
    }

    /// Gives effects the turns that one needs which answers at once; those that wait for something do not hold it up.
    private func settle() async {
        for _ in 0..<20 where !runtime.runningNumbers.isSubset(of: skipped) {
            // An effect that blocks its thread is waited for once.
            guard await executor.idle(within: timeout) else { return }
            // Behind what the pool has to do now, and what that has given to this actor.
            await Task.detached(priority: .background) { await Task.yield() }.value
        }
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

    /// The effects that run and were not passed over.
    var openEffects: [String] { runtime.running(without: skipped) }

    private func effectsEnded(within limit: Duration) async {
        let deadline = ContinuousClock.now + limit
        while !openEffects.isEmpty, ContinuousClock.now < deadline { await change(before: deadline) }
    }

    // MARK: The end

    /// Waits for every effect, and fails for those that go on and for received actions that were not asserted.
    public func finish(timeout: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
        await effectsEnded(within: timeout ?? self.timeout)
        isFinished = true
        failForIssues(sourceLocation)
        guard exhaustivity == .on else { return }
        failIfOpen(sourceLocation, "at the end")
    }

    /// Passes over what was received and is not asserted.
    ///
    /// - Parameter strict: fails when there is nothing.
    public func skipReceivedActions(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) async {
        await settle()
        if strict, received.isEmpty { report("there were no received actions to skip", sourceLocation) }
        skip(sourceLocation)
        failForIssues(sourceLocation)
    }

    /// Passes over the effects that run now: they go on, and nobody asks for their end. What they send is received as before.
    ///
    /// - Parameter strict: fails when nothing runs.
    public func skipInFlightEffects(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) async {
        await settle()
        if strict, openEffects.isEmpty { report("there were no running effects to skip", sourceLocation) }
        if !openEffects.isEmpty { show("skipped \(openEffects.count) running effect(s): \(openEffects.joined(separator: ", "))", sourceLocation) }
        skipped.formUnion(runtime.runningNumbers)
        failForIssues(sourceLocation)
    }

    private func skip(_ location: SourceLocation) {
        guard let last = received.last else { return }
        show("skipped \(received.count) received action(s): \(names(received))", location)
        asserted = last.after
        received = []
    }

    /// Names what is passed over, where the test wants to see it.
    func show(_ message: String, _ location: SourceLocation) {
        guard exhaustivity == .off(showSkippedAssertions: true) else { return }
        warn(Comment(rawValue: message), location)
    }

    private func failIfOpen(_ location: SourceLocation, _ when: String) {
        if !received.isEmpty {
            report("\(received.count) received action(s) were not asserted \(when): \(names(received))", location)
        }
        let running = openEffects
        if !running.isEmpty {
            report(
                "\(running.count) effect(s) still ran \(when): \(running.joined(separator: ", ")); cancel them, or wait for what ends them", location)
        }
    }

    func failForIssues(_ location: SourceLocation) {
        for issue in issues.take() { report("an issue of the feature: \(issue)", location) }
    }

    func mismatch(_ heading: String, _ expected: State, _ actual: State) -> Mismatch {
        Mismatch(heading: heading, expected: ValueLines.of(expected), actual: ValueLines.of(actual))
    }

    func names(_ list: [Received]) -> String { list.map { describeCase($0.action) }.joined(separator: ", ") }
}

/// The test store of the feature `R`.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action> where R.State: Equatable

/// The issues that features have reported since the test was last told.
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
