public import Observation
public import Relux

/// Looks at its actions again and again, and runs each time what is eligible then.
///
/// The first look comes one interval after `start()`, and the next one interval after the last has ended: looks never overlap.
@MainActor
public final class MonitorOrchestrator: Observable {
    private let evaluator: Evaluator
    private let registrar = ObservationRegistrar()
    private let clock: Relux.NodeClock
    private var loop: Task<Void, Never>?
    /// nil: it looks only when it is asked to.
    public let interval: Duration?
    /// While one of these is the current mode no gate is asked.
    public var excludedModes: Set<String>
    /// What the user, or the cluster, is at: a screen, maintenance. nil excludes nothing.
    public var currentMode: String?

    /// - Parameters: the others as for ``SequenceOrchestrator``.
    public init(
        interval: Duration?, excludedModes: Set<String> = [], gateLimit: Duration = .seconds(5), policy: AbortPolicy = .never,
        clock: Relux.NodeClock = .continuous, warn: (@Sendable (String) -> Void)? = nil
    ) {
        self.interval = interval
        self.excludedModes = excludedModes
        self.clock = clock
        evaluator = Evaluator(clock: clock, gateLimit: gateLimit, policy: policy, warn: warn ?? printWarning)
        evaluator.onChange = { [weak self, registrar] change in
            guard let self else { return change() }
            registrar.withMutation(of: self, keyPath: \.progress, change)
        }
    }

    isolated deinit { loop?.cancel() }

    /// The first of a name stays.
    ///
    /// - Parameter owner: the module that brings it; with it the action goes.
    public func register(_ action: some MonitorAction, owner: String = "") {
        evaluator.register(RegisteredAction(action, owner: owner) { _ in await result { try await action.execute() } })
    }

    public func register(_ actions: [any MonitorAction], owner: String = "") {
        for action in actions { register(action, owner: owner) }
    }

    /// False when there is none of that name.
    @discardableResult
    public func remove(id: ActionID) -> Bool { evaluator.remove(id: id) }
    /// The timer goes on.
    public func removeAll() { evaluator.removeAll() }
    /// Takes away what a module has brought; the action of it that runs ends as lost.
    @discardableResult
    public func remove(owner: String) -> [ActionID] { evaluator.remove(owner: owner) }

    /// Begins to look, anew if it does already; nothing happens without an interval.
    public func start() {
        stop()
        guard let interval else { return }
        let clock = clock
        // Ends with the orchestrator, which it does not keep.
        loop = Task { [weak self] in
            while (try? await clock.sleep(interval)) != nil {
                guard let self, !Task.isCancelled else { return }
                await self.reevaluate()
            }
        }
    }

    /// No further action begins, and the one that runs is asked to end if the timer has begun it. A second call does nothing.
    public func stop() {
        loop?.cancel()
        loop = nil
    }

    public var isRunning: Bool { loop != nil }

    /// Looks now; busy while a look is under way, and without any gate asked in an excluded mode.
    @discardableResult
    public func reevaluate() async -> Evaluation {
        if let currentMode, excludedModes.contains(currentMode) { return Evaluation() }
        return await evaluator.evaluate(context: PipelineContext())
    }

    public var actionIDs: [ActionID] { evaluator.list.actions.map(\.id) }
    public var isProcessing: Bool { progress.isProcessing }
    public var currentActionID: ActionID? { progress.currentActionID }

    private var progress: Evaluator.Progress {
        registrar.access(self, keyPath: \.progress)
        return evaluator.progress
    }
}
