public import Relux

/// Looks at its actions again and again, and runs each time what is eligible then.
///
/// The first look comes one interval after `start()`, and the next one interval after the last has ended: looks never overlap.
public final class MonitorOrchestrator: ActionOrchestrator {
    private var loop: Task<Void, Never>?
    /// More than zero; nil: it looks only when it is asked to.
    public let interval: Duration?
    /// The most that is added to each interval, at random, so that many monitors do not look all at once.
    public let jitter: Duration
    /// While one of these is the current mode no gate is asked.
    public var excludedModes: Set<String>

    /// - Parameters:
    ///   - interval: more than zero. Zero or less is refused with a warning, and taken as nil: `start()` begins nothing.
    ///   - jitter: zero or more; less is taken as zero.
    public init(
        interval: Duration? = nil, jitter: Duration = .zero, excludedModes: Set<String> = [],
        _ settings: OrchestratorSettings = OrchestratorSettings()
    ) {
        if let interval, interval <= .zero {
            settings.warn("a monitor's interval of \(interval) is refused, it has to be more than zero; the monitor looks only when it is asked to")
            self.interval = nil
        } else {
            self.interval = interval
        }
        self.jitter = max(.zero, jitter)
        self.excludedModes = excludedModes
        super.init(settings)
    }

    /// - Parameter interval: in seconds, as ForgeOrchestrator has it.
    public convenience init(
        interval: Double, jitter: Duration = .zero, excludedModes: Set<String> = [], _ settings: OrchestratorSettings = OrchestratorSettings()
    ) {
        // More than a billion seconds no duration holds, and no monitor lives. What is no number is refused like zero.
        let seconds = interval > 0 ? min(interval, 1e9) : 0
        self.init(interval: .seconds(seconds), jitter: jitter, excludedModes: excludedModes, settings)
    }

    isolated deinit {
        loop?.cancel()
        evaluator.cancel()
    }

    /// The first of a name stays.
    ///
    /// - Parameter owner: the module that brings it; with it the action goes.
    public func register(_ action: some MonitorAction, owner: ModuleID? = nil) {
        evaluator.register(RegisteredAction(action, owner: owner) { _ in await result { try await action.execute() } })
    }

    public func register(_ actions: [any MonitorAction], owner: ModuleID? = nil) {
        for action in actions { register(action, owner: owner) }
    }

    /// Begins to look, anew if it does already; nothing happens without an interval.
    ///
    /// In a handler: what its actions dispatch is said by the handler's module, and the handler's effect is not its cause: nobody asks for a tick.
    public func start() {
        stop()
        guard let interval else { return }
        let (clock, jitter) = (evaluator.settings.clock, jitter)
        let module = Relux.Scope.current?.module
        weak let node = Relux.Scope.current?.node
        @Sendable func next() -> Duration {
            clock.end(of: interval + (jitter == .zero ? .zero : jitter * Double.random(in: 0...1)))
        }
        let first = next()
        // Ends with the orchestrator, which it does not keep, nor the node, not even during a look.
        loop = Relux.Scope.$current.withValue(nil) {
            Task { [weak self] in
                var due = first
                while true {
                    guard (try? await clock.sleep(until: due)) != nil, !Task.isCancelled else { return }
                    guard let look = self?.prepareLook() else { return }
                    await Self.within(node, module, look)
                    due = next()
                }
            }
        }
    }

    private static func within(_ node: Relux?, _ module: ModuleID?, _ look: () async -> Evaluation) async {
        let scope = node.flatMap { node in module.map { Relux.Scope(node: node, module: $0) } }
        _ = await Relux.Scope.$current.withValue(scope) { await look() }
    }

    /// No further look begins and no further action; the one that runs is asked to end, whoever has begun the look. A second call does nothing.
    public func stop() {
        loop?.cancel()
        loop = nil
        cancel()
    }

    public var isRunning: Bool { loop != nil }

    /// Whether the current mode is one of ``excludedModes``.
    public var isExcluded: Bool { currentMode.map(excludedModes.contains) ?? false }

    /// ForgeOrchestrator's way to set ``excludedModes``.
    public func setExcludedScreens(_ screens: Set<String>) { excludedModes = screens }
    /// ForgeOrchestrator's way to set ``ActionOrchestrator/currentMode``.
    public func updateCurrentScreen(_ screen: String?) { currentMode = screen }

    /// Looks now; busy while a look is under way, and without any gate asked in an excluded mode.
    @discardableResult
    public func reevaluate() async -> Evaluation { await prepareLook()() }

    private func prepareLook() -> () async -> Evaluation {
        let (evaluator, isExcluded, mode) = (evaluator, isExcluded, currentMode)
        return {
            var excluded = Evaluation()
            excluded.isExcluded = true
            return isExcluded ? excluded : await evaluator.evaluate(mode: mode)
        }
    }
}
