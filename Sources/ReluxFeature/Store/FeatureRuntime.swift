package import Relux

/// Runs one feature: its queue of actions, and its effects.
///
/// Design notes. One drain handles actions in the order in which they came; those of `.send` effects are appended and handled in the same
/// drain. Whoever looks on is told of every single reduction. What is asked for while a reducer runs (another action, a reset) is done when
/// it has returned, because the state is the reducer's until then.
@MainActor
package final class FeatureRuntime<State, Action: Sendable> {
    /// Where an action came from.
    package enum Origin: Sendable {
        case sent
        case effect
    }

    /// The runtime's observers, set before the first action.
    package struct Hooks {
        /// After each reduction: the action, where it came from, and the state that it left.
        package var didReduce: (Action, Origin, State) -> Void = { _, _, _ in }
        /// After each drain.
        package var didDrain: () -> Void = {}
        /// After the end of each effect.
        package var didEnd: () -> Void = {}
        /// When an effect is cancelled: its name, and why.
        package var didCancel: (String, String) -> Void = { _, _ in }
    }

    private struct Queued {
        var action: Action
        var origin: Origin
        var root: UInt64
        /// The effect that it comes from: when that is cancelled meanwhile, the action is not handled. nil for an action that only the store can take back.
        var effect: RunningEffect?
    }

    /// The number of actions that may follow from others in one drain; more are a circle.
    static var followLimit: Int { 65_536 }

    /// Not to be read by a reducer.
    package private(set) var state: State
    package var hooks = Hooks()

    private let reducer: (inout State, Action) -> Effect<Action>
    private let onIssue: (@Sendable (FeatureIssue) -> Void)?
    let clock: Relux.NodeClock
    /// Runs the closures of effects; nil for Swift's own pool.
    let executor: (any TaskExecutor)?
    private var queue: [Queued] = []
    /// The queue index of the next action; those before it are handled, or are just being handled.
    private var next = 0
    private var isDraining = false
    private var isReducing = false
    /// How many actions of this drain follow from others.
    private var followed = 0
    private var pendingReset: State?
    private var resets = 0
    private var lastRoot: UInt64 = 0
    let roots = OpenRoots()
    var running: [UInt64: RunningEffect] = [:]
    var lastRun: UInt64 = 0
    /// Until when a throttled effect that comes now has to wait.
    var throttled: [RunningEffect.ScopedID: Duration] = [:]

    /// - Parameters:
    ///   - clock: what effects wait by.
    ///   - executor: runs the closures of effects; nil for Swift's own pool.
    ///   - onIssue: takes the issues; nil leaves them to the task's reporter.
    package init(
        _ state: State, _ reducer: some Reducer<State, Action>, clock: Relux.NodeClock, executor: (any TaskExecutor)? = nil,
        onIssue: (@Sendable (FeatureIssue) -> Void)? = nil
    ) {
        self.state = state
        (self.clock, self.executor) = (clock, executor)
        self.onIssue = onIssue
        self.reducer = { reducer.reduce(into: &$0, action: $1) }
    }

    isolated deinit {
        cancelAll(because: "its store went away")
        roots.endAll()
    }

    // MARK: Actions

    /// Handles the action, and what follows from it at once; returns which effects go on.
    @discardableResult
    package func send(_ action: Action) -> StoreTask {
        lastRoot += 1
        let root = lastRoot
        enqueue(action, .sent, root, while: "an action was sent to the store")
        guard roots.isOpen(root) else { return StoreTask() }
        return StoreTask(
            wait: { [roots] in await roots.wait(for: root) },
            stop: { [weak self] in self?.cancel(because: "its store task was cancelled") { $0.context.root == root } })
    }

    func enqueue(_ action: Action, _ origin: Origin, _ root: UInt64, of effect: RunningEffect? = nil, while what: @autoclosure () -> String) {
        if isReducing {
            report(
                "\(what()) while it reduced another one: \(caseText(action)); return .send(…) from the reducer instead. It is handled afterwards"
            )
        }
        append(action, origin, root, effect)
        drain()
    }

    /// An action that a reducer has returned with `.send`.
    func follow(_ action: Action, _ root: UInt64, _ effect: RunningEffect? = nil) {
        followed += 1
        guard followed <= Self.followLimit else {
            // Said once: the rest of the circle runs out now.
            guard followed == Self.followLimit + 1 else { return }
            return report(
                "\(caseText(action)) is the action number \(followed) that follows from others in one turn; reducers probably answer each other in a"
                    + " circle. Neither it nor what follows from others until the end of the turn is handled")
        }
        if let effect {
            running[effect.number] = effect
            effect.context.sequence?.begin()
        }
        append(action, .effect, root, effect)
    }

    private func append(_ action: Action, _ origin: Origin, _ root: UInt64, _ effect: RunningEffect?) {
        roots.begin(root)
        queue.append(Queued(action: action, origin: origin, root: root, effect: effect))
    }

    func drain() {
        guard !isDraining, next < queue.count else { return }
        isDraining = true
        while next < queue.count {
            next += 1
            handle(queue[next - 1])
        }
        queue = []
        next = 0
        followed = 0
        isDraining = false
        hooks.didDrain()
    }

    private func handle(_ queued: Queued) {
        // Work that has sent the action goes on; an action that is an effect itself ends with its turn.
        let step = queued.effect?.stop == nil ? queued.effect : nil
        if let step { running[step.number] = nil }
        defer {
            finish(step?.context.sequence)
            roots.end(queued.root)
        }
        guard queued.effect?.isCancelled != true else { return }
        let before = resets
        isReducing = true
        let effect = withReporter { reducer(&state, queued.action) }
        isReducing = false
        cancelEffectsOfGoneChildren()
        hooks.didReduce(queued.action, queued.origin, state)
        if let reset = pendingReset {
            pendingReset = nil
            self.reset(to: reset)
        }
        // An effect of the state before a reset is not begun.
        if resets == before { withReporter { perform(effect.node, RunningEffect.Context(root: queued.root)) } }
    }

    /// Another state; what runs is cancelled, and what waits is not handled.
    package func reset(to state: State) {
        guard !isReducing else {
            report("the store was reset while it reduced; change the state in the reducer instead. It is reset afterwards")
            pendingReset = state
            return
        }
        cancelAll(because: "the store was reset")
        resets += 1
        throttled = [:]
        let forgotten = queue[next...]
        queue = []
        next = 0
        self.state = state
        for queued in forgotten {
            if let effect = queued.effect, effect.stop == nil {
                running[effect.number] = nil
                finish(effect.context.sequence)
            }
            roots.end(queued.root)
        }
        if !isDraining { hooks.didDrain() }
    }

    // MARK: Issues

    func report(_ message: String, fileID: StaticString? = nil, line: UInt = 0) {
        (onIssue ?? FeatureIssue.currentReporter)(FeatureIssue(message, fileID: fileID, line: line))
    }

    /// Tasks that start in here inherit the reporter, so that an effect's issues are its store's.
    func withReporter<R>(_ body: () -> R) -> R {
        guard let onIssue else { return body() }
        return FeatureIssue.$reporter.withValue(onIssue, operation: body)
    }
}
