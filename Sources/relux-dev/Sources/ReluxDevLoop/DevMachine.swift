/// The order of the steps, from a change to the new version in the cluster. Pure: time comes with each event.
///
/// A round begins when the sources have been quiet for a moment, and does one step after the other. The first that fails ends it; the cluster
/// has not been touched then, but by a deployment, which leaves the old version serving. A change in the midst of a round makes it stale: its
/// program is ended and a new round begins, but for a deployment, which is let end.
package struct DevMachine: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package struct Options: Sendable {
        /// One round, then the end.
        package var isOnce = false
        /// Whether the plugin's tests are run.
        package var hasTests = true
        /// How long the sources have to be quiet: an editor that saves all writes many files.
        package var quiet: Duration = .milliseconds(200)
        /// Not longer than this, for somebody may never be quiet.
        package var patience: Duration = .seconds(2)
        /// Between the request to end and the end by force.
        package var grace: Duration = .seconds(5)

        package init() {}
    }

    package enum Event: Sendable, Hashable {
        case begin
        /// A source was changed.
        case changed
        /// The ``deadline`` has come, perhaps.
        case tick
        case ended(StepEnd)
        /// Somebody wants it to end.
        case interrupted
    }

    package enum Action: Sendable, Hashable {
        case beginRound(Int)
        case start(DevStep)
        /// Ask the step's program to end, or make it.
        case end(DevStep, byForce: Bool)
        case endRound(RoundEnd)
        case wait
        case exit(Int32)
    }

    package enum RoundEnd: Sendable, Hashable {
        case passed
        case failed(DevStep)
        /// A change came, or the end.
        case stale
    }

    private enum State: Hashable {
        case waiting
        case settling(until: Instant, latest: Instant)
        case running(DevStep, isStale: Bool)
        case ending(DevStep, force: Instant?, isLast: Bool)
        case over
    }

    /// As `relux` ends when it is interrupted.
    package static let interruptedStatus: Int32 = 130

    private let options: Options
    private var state = State.waiting
    private var round = 0

    package init(_ options: Options = Options()) { self.options = options }

    /// When ``Event/tick`` is due; nil when nothing is.
    package var deadline: Instant? {
        switch state {
        case .settling(let until, _): until
        case .ending(_, let force, _): force
        default: nil
        }
    }

    /// - Returns: what is to be done now, in this order.
    package mutating func on(_ event: Event, now: Instant) -> [Action] {
        switch (event, state) {
        case (_, .over): return []
        case (.begin, .waiting): return beginRound()
        case (.changed, _): return changed(now)
        case (.tick, .settling(let until, _)) where now >= until: return beginRound()
        case (.tick, .ending(let step, let force?, let isLast)) where now >= force:
            state = .ending(step, force: nil, isLast: isLast)
            return [.end(step, byForce: true)]
        case (.ended(let end), .running(let step, let isStale)): return ended(step, end, isStale, now)
        case (.ended, .ending(_, _, let isLast)):
            guard !isLast else { return [.endRound(.stale)] + exit(Self.interruptedStatus) }
            settle(now)
            return [.endRound(.stale)]
        case (.interrupted, .waiting), (.interrupted, .settling): return exit(Self.interruptedStatus)
        case (.interrupted, .running(let step, _)), (.interrupted, .ending(let step, _, false)):
            state = .ending(step, force: now + options.grace, isLast: true)
            return [.end(step, byForce: false)]
        case (.interrupted, .ending(let step, _, true)):
            state = .ending(step, force: nil, isLast: true)
            return [.end(step, byForce: true)]
        case (.begin, _), (.tick, _), (.ended, _): return []
        }
    }

    // MARK: Changes

    private mutating func changed(_ now: Instant) -> [Action] {
        switch state {
        case .waiting: settle(now)
        case .settling(_, let latest): state = .settling(until: min(now + options.quiet, latest), latest: latest)
        case .running(let step, _) where step.isDeployment: state = .running(step, isStale: true)
        case .running(let step, _):
            state = .ending(step, force: now + options.grace, isLast: false)
            return [.end(step, byForce: false)]
        case .ending, .over: break
        }
        return []
    }

    private mutating func settle(_ now: Instant) { state = .settling(until: now + options.quiet, latest: now + options.patience) }

    // MARK: Steps

    private mutating func beginRound() -> [Action] {
        round += 1
        return [.beginRound(round)] + start(.generate)
    }

    private mutating func start(_ step: DevStep) -> [Action] {
        state = .running(step, isStale: false)
        return [.start(step)]
    }

    private mutating func ended(_ step: DevStep, _ end: StepEnd, _ isStale: Bool, _ now: Instant) -> [Action] {
        if case .failed(let status) = end { return endRound(.failed(step), status, isStale, now) }
        switch (step, end) {
        case (.generate, _): return start(.build)
        case (.build, _): return start(.lint)
        case (.lint, _): return start(options.hasTests ? .test : .pack)
        case (.test, _): return start(.pack)
        case (.pack, _): return start(.look)
        case (.look, .looked(true)): return start(.upgrade)
        case (.look, _): return start(.load)
        case (.load, _), (.upgrade, _): return endRound(.passed, 0, isStale, now)
        }
    }

    private mutating func endRound(_ end: RoundEnd, _ status: Int32, _ isStale: Bool, _ now: Instant) -> [Action] {
        if options.isOnce { return [.endRound(end)] + exit(status) }
        guard isStale else {
            state = .waiting
            return [.endRound(end), .wait]
        }
        settle(now)
        return [.endRound(end)]
    }

    private mutating func exit(_ status: Int32) -> [Action] {
        state = .over
        return [.exit(status)]
    }
}
