public import ReluxFeature
import ReluxTestKit
import ReluxWire
public import Testing

extension TestStore {
    /// The next received action has to be this one.
    public func receive(
        _ action: Action, timeout: Duration? = nil, assert expected: ((inout State) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async where Action: Equatable {
        await receive(
            "\(describeCase(action))", timeout, expected, sourceLocation, isMeant: { $0 == action },
            difference: { Mismatch(heading: "", expected: ValueLines.of(action), actual: ValueLines.of($0)).diff })
    }

    /// The next received action has to be of this case.
    public func receive<Value>(
        _ path: CaseKeyPath<Action, Value>, timeout: Duration? = nil, assert expected: ((inout State) throws -> Void)? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async where Action: CasePathable {
        await receive(describeCase(at: path), timeout, expected, sourceLocation, isMeant: { $0.is(path) })
    }

    /// The next received action has to be of this case, with this value.
    public func receive<Value: Equatable>(
        _ path: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
        assert expected: ((inout State) throws -> Void)? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async where Action: CasePathable {
        await receive("\(describeCase(at: path)) with \(value)", timeout, expected, sourceLocation, isMeant: { $0[case: path] == value })
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
            // With exhaustivity off, what lies before the one that is meant is passed over.
            if exhaustivity != .on, let index = received.firstIndex(where: { isMeant($0.action) }), index > 0 {
                show("skipped \(index) received action(s): \(names(Array(received[..<index])))", location)
                received.removeFirst(index)
            }
            if let next = received.first, exhaustivity == .on || isMeant(next.action) {
                received.removeFirst()
                take(next, wanted, expected, location, isMeant: isMeant(next.action), difference: difference)
                return failForIssues(location)
            }
            let running = runtime.running()
            guard !running.isEmpty, ContinuousClock.now < deadline else {
                let why = running.isEmpty ? "no effect runs that could send it" : "still running after \(DurationText.print(limit)): \(running.joined(separator: ", "))"
                let seen = received.isEmpty ? "" : "; received meanwhile: \(names(received))"
                let cut = cancelledEffects.isEmpty ? "" : "; cancelled meanwhile: \(cancelledEffects.map(\.description).joined(separator: ", "))"
                report("expected to receive \(wanted), and did not; \(why)\(cut)\(seen)", location)
                return failForIssues(location)
            }
            await change(before: deadline)
        }
    }

    private func take(
        _ next: Received, _ wanted: String, _ expected: ((inout State) throws -> Void)?, _ location: SourceLocation, isMeant: Bool,
        difference: (Action) -> [String]
    ) {
        let before = exhaustivity == .on ? asserted : next.before
        if isMeant {
            check(expected, before: before, after: next.after, "receiving \(describeCase(next.action))", location)
        } else {
            let lines = difference(next.action)
            report(
                """
                received \(describeCase(next.action)), expected \(wanted)\(lines.isEmpty ? "" : "\n\n" + lines.joined(separator: "\n"))
                """, location)
        }
        asserted = next.after
    }

    /// Fails when the closure does not turn the one state into the other.
    func check(
        _ expected: ((inout State) throws -> Void)?, before: State, after: State, _ what: String, _ location: SourceLocation
    ) {
        var wanted = before
        if let expected {
            do {
                // With exhaustivity off a closure says only what it cares for.
                if exhaustivity != .on { wanted = after }
                try expected(&wanted)
            } catch {
                return report("the assertion for \(what) threw \(error)", location)
            }
            if exhaustivity == .on, wanted == before, after == before {
                return report(
                    "\(what) changed nothing, and neither did the closure that says what it changes; leave the closure out", location)
            }
        } else if exhaustivity != .on {
            if after != before { show("not asserted: \(mismatch("what changed after \(what)", before, after))", location) }
            return
        }
        guard wanted != after else { return }
        report("\(mismatch("the state after \(what) is not the expected one", wanted, after))", location)
    }
}
