public import ReluxFeature
import ReluxTestKit
public import Testing

/// A store that fails the test for everything that the test does not say: a change of state, an action that comes back, an effect that goes on.
///
/// Effects and child features run as in a ``Store``. An action that an effect sends is reduced at once and kept until `receive` asserts it;
/// `state` is the one that the last asserted action has left. Call ``finish(timeout:fileID:filePath:line:column:)`` at the end.
@MainActor
public final class TestStore<State: Equatable, Action: Sendable> {
    /// Whether everything has to be asserted.
    public enum Exhaustivity: Sendable, Equatable {
        case on
        /// What is not asserted is passed over.
        case off
    }

    private struct Received {
        var action: Action
        var before: State
        var after: State
    }

    private let runtime: FeatureRuntime<State, Action>
    private var received: [Received] = []
    private var arrivals: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastArrival: UInt64 = 0
    private var asserted: State
    private var sentState: State?
    public var exhaustivity = Exhaustivity.on
    /// How long `receive` and `finish` wait when they are not told.
    public var timeout = Duration.seconds(1)
    private let report: (Comment, SourceLocation) -> Void
    private var isFinished = false
    private let made: SourceLocation

    /// - Parameter report: told of each failure; by default the test fails with it.
    public init<R: Reducer>(
        initialState: State, @ReducerBuilder<State, Action> reducer: () -> R,
        report: ((Comment, SourceLocation) -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) where R.State == State, R.Action == Action {
        self.report = report ?? { Issue.record($0, sourceLocation: $1) }
        asserted = initialState
        made = sourceLocation
        runtime = FeatureRuntime(initialState, reducer())
        var previous = initialState
        runtime.didReduce = { [weak self] action, origin, state in
            let before = previous
            previous = state
            self?.reduced(action, origin, before: before, after: state)
        }
    }

    isolated deinit {
        guard !isFinished, exhaustivity == .on else { return }
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
        if !received.isEmpty {
            switch exhaustivity {
            case .on:
                report(
                    """
                    \(describeCase(action)) is sent while \(received.count) received action\(received.count == 1 ? "" : "s") \
                    \(received.count == 1 ? "is" : "are") not asserted: \(names(received)); assert with receive, or skipReceivedActions()
                    """, sourceLocation)
                skip()
            case .off: skip()
            }
        }
        let before = asserted
        sentState = nil
        let task = runtime.send(action)
        let after = sentState ?? runtime.state
        asserted = after
        check(expected, before: before, after: after, "sending \(describeCase(action))", sourceLocation)
        return task
    }

    private func reduced(_ action: Action, _ origin: FeatureRuntime<State, Action>.Origin, before: State, after: State) {
        switch origin {
        case .sent: sentState = after
        case .effect:
            received.append(Received(action: action, before: before, after: after))
            let waiting = arrivals
            arrivals = [:]
            for continuation in waiting.values { continuation.resume() }
        }
    }

    // MARK: Receiving

    /// The next received action has to be this one.
    public func receive(
        _ action: Action, timeout: Duration? = nil, assert expected: ((inout State) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async where Action: Equatable {
        await receive(
            "\(describeCase(action))", timeout, expected, sourceLocation, isMeant: { $0 == action },
            difference: { Mismatch(heading: "", expected: Describing.lines(action), actual: Describing.lines($0)).diff })
    }

    /// The next received action has to be of this case.
    public func receive<Value>(
        _ path: CaseKeyPath<Action, Value>, timeout: Duration? = nil, assert expected: ((inout State) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async where Action: CasePathable {
        await receive("\(path)", timeout, expected, sourceLocation, isMeant: { $0.is(path) })
    }

    /// The next received action has to be of this case, with this value.
    public func receive<Value: Equatable>(
        _ path: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
        assert expected: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async where Action: CasePathable {
        await receive("\(path) with \(value)", timeout, expected, sourceLocation, isMeant: { $0[case: path] == value })
    }

    /// The next received action has to be one of those that the closure knows.
    public func receive(
        where isMeant: (Action) -> Bool, timeout: Duration? = nil, assert expected: ((inout State) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await receive("an action that fits", timeout, expected, sourceLocation, isMeant: isMeant)
    }

    private func receive(
        _ wanted: String, _ timeout: Duration?, _ expected: ((inout State) throws -> Void)?, _ location: SourceLocation,
        isMeant: (Action) -> Bool, difference: (Action) -> [String] = { _ in [] }
    ) async {
        let limit = timeout ?? self.timeout
        let deadline = ContinuousClock.now + limit
        while true {
            if exhaustivity == .off {
                // What lies before the one that is meant is passed over.
                if let index = received.firstIndex(where: { isMeant($0.action) }) { received.removeFirst(index) }
            }
            if let next = received.first, exhaustivity == .on || isMeant(next.action) {
                received.removeFirst()
                guard isMeant(next.action) else {
                    let lines = difference(next.action)
                    report(
                        """
                        received \(describeCase(next.action)), expected \(wanted)\(lines.isEmpty ? "" : "\n\n" + lines.joined(separator: "\n"))
                        """, location)
                    asserted = next.after
                    return
                }
                let before = exhaustivity == .on ? asserted : next.before
                asserted = next.after
                check(expected, before: before, after: next.after, "receiving \(describeCase(next.action))", location)
                return
            }
            guard ContinuousClock.now < deadline, !runtime.runningEffects.isEmpty || !received.isEmpty else {
                let running = runtime.runningEffects
                let why = running.isEmpty ? "no effect runs that could send it" : "still running: \(running.joined(separator: ", "))"
                let seen = received.isEmpty ? "" : "; received meanwhile: \(names(received))"
                return report("expected to receive \(wanted), and did not within \(limit); \(why)\(seen)", location)
            }
            await arrival(before: deadline)
        }
    }

    /// Returns when an action has arrived, an effect may have ended, or the time is over.
    private func arrival(before deadline: ContinuousClock.Instant) async {
        lastArrival += 1
        let number = lastArrival
        let expiry = Task { [weak self] in
            // Effects that end send nothing: they are looked at now and then.
            try? await Task.sleep(until: min(deadline, .now + .milliseconds(20)), clock: .continuous)
            self?.arrivals.removeValue(forKey: number)?.resume()
        }
        await withCheckedContinuation { arrivals[number] = $0 }
        expiry.cancel()
    }

    // MARK: The end

    /// Waits for every effect, and fails for those that go on and for received actions that were not asserted.
    public func finish(timeout: Duration? = nil, sourceLocation: SourceLocation = #_sourceLocation) async {
        let deadline = ContinuousClock.now + (timeout ?? self.timeout)
        while !runtime.runningEffects.isEmpty, ContinuousClock.now < deadline { await arrival(before: deadline) }
        isFinished = true
        guard exhaustivity == .on else { return }
        failIfOpen(sourceLocation, "at the end")
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

    /// Passes over what was received and is not asserted.
    ///
    /// - Parameter strict: fails when there is nothing.
    public func skipReceivedActions(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) async {
        if strict, received.isEmpty { report("there were no received actions to skip", sourceLocation) }
        skip()
    }

    /// Cancels what runs.
    public func skipInFlightEffects(strict: Bool = true, sourceLocation: SourceLocation = #_sourceLocation) async {
        if strict, runtime.runningEffects.isEmpty { report("there were no running effects to skip", sourceLocation) }
        runtime.cancelAll()
        while !runtime.runningEffects.isEmpty { await arrival(before: .now + .milliseconds(20)) }
    }

    private func skip() {
        guard let last = received.last else { return }
        asserted = last.after
        received = []
    }

    // MARK: Comparing

    private func check(
        _ expected: ((inout State) throws -> Void)?, before: State, after: State, _ what: String, _ location: SourceLocation
    ) {
        var wanted = before
        if let expected {
            do {
                // With exhaustivity off a closure says only what it cares for.
                if exhaustivity == .off { wanted = after }
                try expected(&wanted)
            } catch {
                return report("the assertion for \(what) threw \(error)", location)
            }
            if exhaustivity == .on, wanted == before, after == before {
                return report(
                    "\(what) changed nothing, and neither did the closure that says what it changes; leave the closure out", location)
            }
        } else if exhaustivity == .off {
            return
        }
        guard wanted != after else { return }
        let mismatch = Mismatch(
            heading: "the state after \(what) is not the expected one", expected: Describing.lines(wanted), actual: Describing.lines(after))
        report("\(mismatch.description)", location)
    }

    private func names(_ list: [Received]) -> String { list.map { describeCase($0.action) }.joined(separator: ", ") }
}
