public import Relux
internal import Synchronization

/// A module's contribution to orchestrators that run elsewhere: one of its sagas, which answers for its actions and its signals.
///
/// The module handles ``Orchestration/Business/Request`` and emits ``Orchestration/Business/Answer``. An action runs once at a time, whoever
/// asks for it; it ends with the module's life.
public actor ActionContributor: Relux.Flow {
    private struct Key: Hashable {
        var orchestrator: ModuleID
        var action: ActionID
    }
    /// Somebody who waits for an action's end: a number within a life of whoever has published it.
    private struct Caller {
        var call: String
        var publisher: ModuleID?

        var life: Substring { call[..<(call.lastIndex(of: "-") ?? call.endIndex)] }
    }
    private struct Run {
        var task: Task<ActionResult, Never>
        var context: PipelineContext
        var callers: [Caller]
        /// Ends it at its own limit: whoever has asked may be dead by then.
        var watchdog: Task<Void, Never>?
        var isOverdue = false
    }

    /// How long the orchestrator may take to hear that an action is about to run.
    private static let answerLimit = Duration.seconds(5)
    /// Cancelled before they came; the oldest are forgotten.
    private static let cancelledLimit = 64

    /// The completion signals that others can complete by name.
    public nonisolated let signals: SignalTable
    private let contributions: [ModuleID: [any OrchestratedAction]]
    private let clock: Relux.NodeClock
    private let warn: @Sendable (String) -> Void
    private let life = UInt64.random(in: 1...UInt64(Int64.max))
    private var runs: [Key: Run] = [:]
    /// In which life a publisher has asked the last time; what it had asked for in an earlier one nobody waits for.
    private var lives: [ModuleID?: Substring] = [:]
    private var openGates: Set<Key> = []
    private var cancelled: [String] = []

    /// - Parameters:
    ///   - contributions: the actions, by the module that orchestrates them; a second action of an id is not offered.
    ///   - warn: told what the module's author has to mend; nil writes to standard error.
    public init(
        _ contributions: [ModuleID: [any OrchestratedAction]], signals: SignalTable = SignalTable(), clock: Relux.NodeClock = .continuous,
        warn: (@Sendable (String) -> Void)? = nil
    ) {
        let warn = warn ?? printWarning
        self.signals = signals
        self.clock = clock
        self.warn = warn
        self.contributions = contributions.mapValues { actions in
            var seen: Set<ActionID> = []
            return actions.filter { action in
                if seen.insert(action.id).inserted { return true }
                warn("an action \(action.id) is contributed already; the one that came later is not offered, rename it")
                return false
            }
        }
    }

    deinit {
        for run in runs.values {
            run.watchdog?.cancel()
            run.task.cancel()
        }
    }

    public nonisolated func takes(_ effect: any Relux.Effect) -> Bool { effect is Orchestration.Business.Request }

    public func apply(_ effect: any Relux.Effect) async -> Relux.ActionResult {
        guard let request = effect as? Orchestration.Business.Request, let module = Relux.Scope.current?.module else { return .success }
        switch request {
        case .collect(let orchestrator):
            guard let actions = contributions[orchestrator], !actions.isEmpty else { return .success }
            let node = Relux.Scope.current?.node
            return .success(
                ActionOffers(
                    epoch: node?.epoch(of: module).rawValue ?? 0, life: life, place: node?.place(of: module) ?? 0,
                    actions: actions.map(ActionOffer.init),
                    running: actions.map(\.id).filter { runs[Key(orchestrator: orchestrator, action: $0)] != nil }))
        case .gate(module, let orchestrator, let action, let limit):
            return await ask(Key(orchestrator: orchestrator, action: action), upTo: .milliseconds(Int64(clamping: limit)))
        case .execute(module, let orchestrator, let action, let call, let values):
            return await begin(
                Key(orchestrator: orchestrator, action: action), Caller(call: call, publisher: Relux.handledEffect?.module), values)
        case .cancel(module, let call):
            await cancel(call)
            return .success
        case .signals:
            let states = signals.states
            return states.isEmpty ? .success : .success(states)
        case .complete(let name, let owner) where owner == nil || owner == module:
            return .success(signals.complete(name))
        case .gate, .execute, .cancel, .complete:
            return .success
        }
    }

    private func action(_ key: Key) -> (any OrchestratedAction)? { contributions[key.orchestrator]?.first { $0.id == key.action } }

    // MARK: Gates

    private func ask(_ key: Key, upTo limit: Duration) async -> Relux.ActionResult {
        guard let action = action(key) else { return .failure(unknown(key)) }
        guard openGates.insert(key).inserted else { return .success }
        let raced = await race(until: clock.end(of: limit), clock: clock) { await action.shouldRun() }
        guard let unfinished = raced.unfinished else {
            openGates.remove(key)
            return raced.value.map { .success($0) } ?? .success
        }
        // It is not asked again before it has answered this time.
        Task { [weak self] in
            await unfinished.value
            await self?.closeGate(key)
        }
        return .success
    }

    private func closeGate(_ key: Key) { openGates.remove(key) }

    // MARK: Running

    private func begin(_ key: Key, _ caller: Caller, _ values: [String: CodedValue]) async -> Relux.ActionResult {
        guard let action = action(key) else { return .failure(unknown(key)) }
        let call = caller.call
        lives[caller.publisher] = caller.life
        // Asked first: an action whose end could not be told must not begin.
        let told = await dispatcher.ask(Orchestration.Business.Answer.began(call: call), of: key.orchestrator, upTo: Self.answerLimit)
        if let refusal = Self.refusal(told) { return .failure(refusal) }
        if let place = cancelled.firstIndex(of: call) {
            cancelled.remove(at: place)
            return .failure(Relux.Failure(domain: "orchestration", code: "cancelled", message: "\(key.action) was cancelled before it began"))
        }
        guard isAlive(caller) else {
            return .failure(
                Relux.Failure(domain: "orchestration", code: "cancelled", message: "whoever had asked for \(key.action) has begun another life"))
        }
        if runs[key] != nil {
            // A runner that was started again finds it running.
            runs[key]?.callers.append(caller)
            return .success(true)
        }
        let context = PipelineContext(values: values)
        // A dispatch of the action has this handler's cause, and a deadline of its own: the action may outlive this handler by far.
        let scope = Relux.Scope.current?.unawaited()
        scope?.outlives()
        Relux.Scope.$current.withValue(scope) {
            let task = Task { await Self.perform(action, context) }
            runs[key] = Run(task: task, context: context, callers: [caller], watchdog: action.timeLimit.map { watch(key, task, $0) })
            Task { [weak self] in
                let result = await task.value
                await self?.ended(key, result)
            }
        }
        return .success(true)
    }

    private func watch(_ key: Key, _ task: Task<ActionResult, Never>, _ limit: Duration) -> Task<Void, Never> {
        let end = clock.end(of: limit)
        return Task { [weak self, clock] in
            guard (try? await clock.sleep(until: end)) != nil else { return }
            await self?.expire(key, task)
        }
    }

    private func expire(_ key: Key, _ task: Task<ActionResult, Never>) {
        guard runs[key]?.task == task else { return }
        runs[key]?.isOverdue = true
        task.cancel()
    }

    private static func perform(_ action: any OrchestratedAction, _ context: PipelineContext) async -> ActionResult {
        switch action {
        case let action as any PipelineAction: await action.execute(context: context).tellable
        case let action as any SequenceAction: await result { try await action.execute() }
        case let action as any MonitorAction: await result { try await action.execute() }
        default: .failed("\(action.id) is no SequenceAction, PipelineAction or MonitorAction and cannot be run")
        }
    }

    private func ended(_ key: Key, _ result: ActionResult) async {
        guard let run = runs.removeValue(forKey: key) else { return }
        run.watchdog?.cancel()
        run.context.close()
        let result = run.isOverdue && !result.isSuccess ? .timedOut : result
        let changes = run.context.changes
        for call in run.callers.map(\.call) {
            let answer = Orchestration.Business.Answer.ended(
                call: call, result: result, values: changes.values, removed: changes.removed, left: changes.left)
            if let failure = await tell(answer, key.orchestrator) {
                // Too large, most likely; then the values stay, and the result says so. Nothing of what was refused is in it.
                let why = "\(key.action) has ended\(result.isSuccess ? "" : " without success"), but what it has set could not be sent: \(failure.message)"
                let short = Orchestration.Business.Answer.ended(
                    call: call, result: ActionResult.failed(why).tellable, values: [:], removed: [], left: [:])
                if let failure = await tell(short, key.orchestrator) { warn("the end of \(key.action) could not be told: \(failure.message)") }
            }
        }
    }

    /// Why it was not sent; nil when it was.
    private func tell(_ answer: Orchestration.Business.Answer, _ orchestrator: ModuleID) async -> Relux.Failure? {
        let told = await dispatcher.ask(answer, of: orchestrator, upTo: Self.answerLimit)
        return Self.refusal(told)
    }

    /// Why nobody will hear what was said; nil when it was sent.
    private static func refusal(_ told: Relux.ActionResult) -> Relux.Failure? {
        told.isRefused ? told.failures.first : told.outcomes.first { $0.status == .refused }?.failure
    }

    private func cancel(_ call: String) async {
        guard let (key, run) = runs.first(where: { $0.value.callers.contains { $0.call == call } }) else {
            cancelled.append(call)
            if cancelled.count > Self.cancelledLimit { cancelled.removeFirst() }
            return
        }
        // The last one who is there to wait may end it, whoever waited in an earlier life.
        guard run.callers.contains(where: { $0.call != call && isAlive($0) }) else { return run.task.cancel() }
        runs[key]?.callers.removeAll { $0.call == call }
        _ = await tell(.ended(call: call, result: .cancelled, values: [:], removed: [], left: [:]), key.orchestrator)
    }

    /// How many wait for the end of each action that runs.
    var waiting: [ActionID: Int] { Dictionary(runs.map { ($0.key.action, $0.value.callers.count) }, uniquingKeysWith: +) }

    private func isAlive(_ caller: Caller) -> Bool { lives[caller.publisher] == caller.life }

    private func unknown(_ key: Key) -> Relux.Failure {
        let known = contributions[key.orchestrator]?.map(\.id.rawValue) ?? []
        return Relux.Failure(
            domain: "orchestration", code: "unknownAction",
            message: "no action \(key.action) is contributed to \(key.orchestrator); there are: \(known.joined(separator: ", "))")
    }
}
