internal import Observation
internal import Relux

/// Runs evaluations of one orchestrator, one at a time: all gates at once, then the eligible actions in their order.
///
/// Design notes. An evaluation works on a snapshot: what is registered meanwhile waits for the next one, what is removed runs all the same,
/// unless its owner is gone. Owners go by registration, not by name: an owner that comes back during a run does not save its earlier actions.
/// A gate or an action that does not come back is given up at its limit and cancelled. An action gets a moment to end then, so that the next
/// one does not run beside it; what runs on is not asked again before it has ended.
@MainActor
final class Evaluator: Observable {
    struct Progress: Sendable, Hashable {
        var isProcessing = false
        var currentActionID: ActionID?
        /// The number of eligible actions of the running or the last evaluation.
        var eligibleCount = 0
        var outcomes: [ActionOutcome] = []
    }

    private(set) var list = ActionList()
    private var state = Progress()
    private let registrar = ObservationRegistrar()
    let settings: OrchestratorSettings
    var onEvent: ((EvaluationEvent) -> Void)?
    private var number: UInt64 = 0
    private var lastMode: String?
    private var running: (task: Task<Evaluation, Never>, snapshot: [RegisteredAction])?
    /// The closures that end the wait for a gate, or for the action that runs; by registration.
    private(set) var waits: [UInt64: () -> Void] = [:]
    /// Registrations of the running evaluation whose owner is gone.
    private var gone: Set<UInt64> = []
    /// Given up and not ended.
    private var outstanding: [ActionID: Int] = [:]

    init(_ settings: OrchestratorSettings) { self.settings = settings }

    var progress: Progress {
        registrar.access(self, keyPath: \.progress)
        return state
    }

    // MARK: The list

    /// False when there is one of that name, which stays; that is warned of.
    @discardableResult
    func register(_ action: RegisteredAction) -> Bool {
        guard let first = list.add(action) else { return true }
        func whose(_ owner: ModuleID?) -> String { owner.map { " of \($0)" } ?? "" }
        settings.warn(
            "an action \(action.id)\(whose(first.owner)) is registered already; the one\(whose(action.owner)) that came later is not taken, rename it")
        return false
    }

    /// Where owners stand in the order of registration.
    func place(_ owners: [ModuleID: UInt64]) { list.place(owners) }

    func remove(id: ActionID) -> Bool { !list.remove { $0.id == id }.isEmpty }
    func removeAll() { _ = list.remove { _ in true } }

    /// The owner is gone with its actions; what of it is asked or runs ends as lost.
    func remove(owner: ModuleID) -> [ActionID] {
        for action in running?.snapshot ?? [] where action.owner == owner {
            gone.insert(action.sequence)
            waits[action.sequence]?()
        }
        return list.remove { $0.owner == owner }
    }

    // MARK: Evaluating

    /// Returns at once, and busy, while another evaluation is under way.
    func evaluate(mode: String?, upTo least: ActionPriority = .low) async -> Evaluation {
        var evaluation = Evaluation()
        guard running == nil else {
            evaluation.isBusy = true
            return evaluation
        }
        number += 1
        evaluation.number = number
        let snapshot = list.actions.filter { $0.priority <= least }
        let task = Task { [evaluation] in await self.run(evaluation, snapshot, mode, upTo: least) }
        running = (task, snapshot)
        change { $0.isProcessing = true }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// No further action begins, and the one that runs is asked to end.
    func cancel() { running?.task.cancel() }

    /// The mode, if none of the registered actions excludes it and some exclude others.
    func unknown(_ mode: String?) -> Relux.StartBarrier.UnknownMode? {
        let known = list.actions.reduce(into: Set<String>()) { $0.formUnion($1.excludedModes) }
        guard let mode, !known.isEmpty, !known.contains(mode) else { return nil }
        return Relux.StartBarrier.UnknownMode(mode: mode, known: known)
    }

    /// Warns once of each unknown mode: a misspelt mode excludes nothing, and nothing else shows it.
    private func warn(of mode: String, _ actions: [RegisteredAction]) {
        let known = actions.reduce(into: Set<String>()) { $0.formUnion($1.excludedModes) }
        defer { lastMode = mode }
        guard mode != lastMode, !known.isEmpty, !known.contains(mode) else { return }
        settings.warn("the mode '\(mode)' excludes none of the \(actions.count) actions; what some of them exclude: \(known.sorted().joined(separator: ", "))")
    }

    private func run(_ begun: Evaluation, _ snapshot: [RegisteredAction], _ mode: String?, upTo least: ActionPriority) async -> Evaluation {
        var evaluation = begun
        let isExcluded = { (action: RegisteredAction) in mode.map(action.excludedModes.contains) ?? false }
        evaluation.excluded = snapshot.filter(isExcluded).map(\.id)
        if let mode, least == .low { warn(of: mode, snapshot) }
        let asked = snapshot.filter { !isExcluded($0) }
        // Equals stay in the order of their registration.
        let answers = zip(asked, await gates(of: asked)).enumerated()
            .sorted { ($0.element.0.priority, $0.offset) < ($1.element.0.priority, $1.offset) }.map(\.element)
        var due: [(action: RegisteredAction, isSilent: Bool)] = []
        for (action, answer) in answers {
            switch answer {
            case .due(false): evaluation.ineligible.append(action.id)
            case .due(true): due.append((action, false))
            // It ends as lost in its turn; or the evaluation has ended.
            case .failed where gone.contains(action.sequence) || Task.isCancelled: due.append((action, false))
            case .failed(let why):
                evaluation.unanswered.append(action.id)
                evaluation.gateFailures[action.id] = why
                due.append((action, true))
            }
        }
        let eligible = due.filter { !$0.isSilent }.map(\.action.id)
        change {
            $0.eligibleCount = eligible.count
            $0.outcomes = []
        }
        onEvent?(.began(evaluation, eligible: eligible))
        let context = PipelineContext(entries: ContextEntries(warn: settings.warn))
        var passed = PassedPriorities()
        for (action, isSilent) in due {
            if !Task.isCancelled, evaluation.endedBy == nil, let priority = passed.before(action.priority) { onEvent?(.passed(priority)) }
            guard evaluation.endedBy == nil, !Task.isCancelled else {
                if !isSilent { evaluation.notStarted.append(action.id) }
                continue
            }
            var isFailure = isSilent
            if !isSilent {
                let outcome = await execute(action, context)
                evaluation.outcomes.append(outcome)
                change { $0.outcomes.append(outcome) }
                onEvent?(.actionEnded(outcome))
                isFailure = !outcome.result.isSuccess
            }
            if isFailure, settings.policy.endsAfterFailure(of: action.priority) { evaluation.endedBy = action.id }
        }
        evaluation.isCancelled = Task.isCancelled && (!evaluation.notStarted.isEmpty || evaluation.outcomes.last?.result == .cancelled)
        if evaluation.isCancelled { evaluation.endedBy = nil }
        if !evaluation.isCancelled, evaluation.endedBy == nil, let priority = passed.rest(upTo: least) { onEvent?(.passed(priority)) }
        running = nil
        gone = []
        change {
            $0.isProcessing = false
            $0.currentActionID = nil
        }
        onEvent?(.ended(evaluation))
        return evaluation
    }

    // MARK: Gates

    /// In the given order; all are asked at the same time, and nothing runs before the last has answered or had its time.
    private func gates(of actions: [RegisteredAction]) async -> [GateAnswer] {
        let tasks = actions.map { action in Task { await self.gate(of: action) } }
        return await withTaskCancellationHandler {
            var answers: [GateAnswer] = []
            for task in tasks { answers.append(await task.value) }
            return answers
        } onCancel: {
            for task in tasks { task.cancel() }
        }
    }

    private func gate(of action: RegisteredAction) async -> GateAnswer {
        guard outstanding[action.id] == nil else {
            return failed(action, "it was given up and still runs; it is not asked again before it has ended")
        }
        let answer = await wait(for: action, upTo: settings.gateLimit) { await action.shouldRun() }
        if let unfinished = answer.unfinished { keep(unfinished, of: action.id) }
        switch answer.value ?? .silent(settings.gateLimit) {
        case .due(let isDue): return .due(isDue)
        case .failed(let why): return failed(action, why)
        }
    }

    /// Nobody is warned of what ends with its owner, or with the evaluation.
    private func failed(_ action: RegisteredAction, _ why: String) -> GateAnswer {
        if !Task.isCancelled, !gone.contains(action.sequence) { settings.warn("\(action.id) does not run this time: \(why)") }
        return .failed(why: why)
    }

    // MARK: Actions

    private func execute(_ action: RegisteredAction, _ context: PipelineContext) async -> ActionOutcome {
        let start = settings.clock.now()
        func outcome(_ result: ActionResult, after duration: Duration) -> ActionOutcome {
            ActionOutcome(id: action.id, priority: action.priority, result: result, duration: duration, owner: action.owner)
        }
        if let owner = action.owner, gone.contains(action.sequence) { return outcome(.lost(owner: owner), after: .zero) }
        change { $0.currentActionID = action.id }
        onEvent?(.actionBegan(action.id, owner: action.owner))
        let handle = context.handle()
        let end = await wait(for: action, upTo: action.timeLimit) { await action.execute(handle) }
        handle.close()
        let duration = settings.clock.now() - start
        if let result = end.value { return outcome(result, after: duration) }
        let isCancelled = Task.isCancelled
        if let unfinished = end.unfinished, !(await ends(unfinished, within: settings.grace, clock: settings.clock)) {
            keep(unfinished, of: action.id)
        }
        if let owner = action.owner, gone.contains(action.sequence) { return outcome(.lost(owner: owner), after: duration) }
        return outcome(isCancelled ? .cancelled : .timedOut, after: duration)
    }

    /// A race that the loss of the action's owner ends too.
    private func wait<Value: Sendable>(
        for action: RegisteredAction, upTo limit: Duration?, _ body: @escaping @Sendable () async -> Value
    ) async -> Raced<Value> {
        let clock = settings.clock
        let end = limit.map { clock.end(of: $0) }
        // A task of its own, which the loss cancels and not the evaluation.
        let wait = Task { await race(until: end, clock: clock, body) }
        waits[action.sequence] = { wait.cancel() }
        if gone.contains(action.sequence) { wait.cancel() }
        let raced = await withTaskCancellationHandler { await wait.value } onCancel: { wait.cancel() }
        waits[action.sequence] = nil
        return raced
    }

    private func keep(_ unfinished: Task<Void, Never>, of id: ActionID) {
        outstanding[id, default: 0] += 1
        Task {
            await unfinished.value
            outstanding[id] = outstanding[id].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    private func change(_ body: (inout Progress) -> Void) { registrar.withMutation(of: self, keyPath: \.progress) { body(&state) } }
}

/// The priorities that an evaluation has left behind it. Pure.
private struct PassedPriorities {
    private var last: ActionPriority?

    /// The least important priority that is behind an evaluation which is about to run an action of this one; nil when that was said.
    mutating func before(_ next: ActionPriority) -> ActionPriority? {
        guard let reached = ActionPriority.allCases.last(where: { $0 < next }), last.map({ $0 < reached }) ?? true else { return nil }
        last = reached
        return reached
    }

    /// When nothing is left to run; nil when that was said.
    func rest(upTo least: ActionPriority) -> ActionPriority? { last == least ? nil : least }
}

/// For actions whose `execute` throws.
func result(of body: () async throws -> Void) async -> ActionResult {
    do {
        try await body()
        return .completed
    } catch is CancellationError where Task.isCancelled {
        return .cancelled
    } catch {
        return ActionResult.failed("\(error)").tellable
    }
}

func printWarning(_ line: String) { printToStandardError("relux: \(line)") }
