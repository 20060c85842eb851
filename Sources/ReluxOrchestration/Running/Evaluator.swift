internal import Relux

/// Runs evaluations of one orchestrator, one at a time: all gates at once, then the eligible actions in their order.
///
/// Design notes. An evaluation works on a snapshot: what is registered meanwhile waits for the next one, what is removed runs all the same,
/// unless its owner is gone. A gate or an action that does not come back is given up at its limit, never waited for.
@MainActor
final class Evaluator {
    struct Progress: Sendable, Hashable {
        var isProcessing = false
        var currentActionID: ActionID?
        /// Of the running or the last evaluation.
        var eligibleCount = 0
        var outcomes: [ActionOutcome] = []
    }

    private(set) var list = ActionList()
    private(set) var progress = Progress()
    /// Called before and after each change of ``progress``, for observers.
    var onChange: (() -> Void) -> Void = { $0() }
    let clock: Relux.NodeClock
    let gateLimit: Duration
    let policy: AbortPolicy
    private let warn: @Sendable (String) -> Void
    private var running: Task<Evaluation, Never>?
    private var current: (owner: String, end: Task<ActionResult?, Never>)?
    private var goneOwners: Set<String> = []

    init(clock: Relux.NodeClock, gateLimit: Duration, policy: AbortPolicy, warn: @escaping @Sendable (String) -> Void) {
        self.clock = clock
        self.gateLimit = gateLimit
        self.policy = policy
        self.warn = warn
    }

    // MARK: The list

    func register(_ action: RegisteredAction) {
        goneOwners.remove(action.owner)
        if !list.add(action) {
            let whose = action.owner.isEmpty ? "" : " of \(action.owner)"
            warn("an action \(action.id) is registered already; the one\(whose) that came later is not taken, rename it")
        }
    }

    func remove(id: ActionID) -> Bool { !list.remove { $0.id == id }.isEmpty }
    func removeAll() { _ = list.remove { _ in true } }

    /// The owner is gone with its actions; the one that runs ends as lost.
    func remove(owner: String) -> [ActionID] {
        goneOwners.insert(owner)
        if current?.owner == owner { current?.end.cancel() }
        return list.remove { $0.owner == owner }
    }

    // MARK: Evaluating

    /// Returns at once, and busy, while another evaluation is under way.
    func evaluate(context: PipelineContext) async -> Evaluation {
        guard running == nil else {
            var busy = Evaluation()
            busy.isBusy = true
            return busy
        }
        let snapshot = list.actions
        goneOwners = []
        let task = Task { await self.run(snapshot, context) }
        running = task
        change { $0.isProcessing = true }
        return await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// No further action begins, and the one that runs is asked to end.
    func cancel() { running?.cancel() }

    private func run(_ snapshot: [RegisteredAction], _ context: PipelineContext) async -> Evaluation {
        var evaluation = Evaluation()
        let answers = await gates(of: snapshot)
        var eligible: [RegisteredAction] = []
        for (action, answer) in zip(snapshot, answers) {
            switch answer {
            case true: eligible.append(action)
            case false: evaluation.ineligible.append(action.id)
            case nil:
                evaluation.unanswered.append(action.id)
                if !Task.isCancelled {
                    warn("the gate of \(action.id) gave no answer within \(gateLimit); it does not run this time. Keep shouldRun() cheap")
                }
            }
        }
        change {
            $0.eligibleCount = eligible.count
            $0.outcomes = []
        }
        var isEnded = false
        for action in ActionList.ordered(eligible) {
            guard !isEnded, !Task.isCancelled else {
                evaluation.notStarted.append(action.id)
                continue
            }
            let outcome = await execute(action, context)
            evaluation.outcomes.append(outcome)
            change { $0.outcomes.append(outcome) }
            isEnded = policy.ends(after: outcome)
        }
        running = nil
        change {
            $0.isProcessing = false
            $0.currentActionID = nil
        }
        return evaluation
    }

    /// In the order of the snapshot; all are asked at the same time, and nothing runs before the last has answered or had its time.
    private func gates(of snapshot: [RegisteredAction]) async -> [Bool?] {
        let (clock, limit) = (clock, gateLimit)
        return await withTaskGroup(of: (Int, Bool?).self) { group in
            for (index, action) in snapshot.enumerated() {
                group.addTask { (index, await race(upTo: limit, clock: clock, action.shouldRun)) }
            }
            var answers = [Bool?](repeating: nil, count: snapshot.count)
            for await (index, answer) in group { answers[index] = answer }
            return answers
        }
    }

    private func execute(_ action: RegisteredAction, _ context: PipelineContext) async -> ActionOutcome {
        let clock = clock
        let start = clock.now()
        change { $0.currentActionID = action.id }
        func outcome(_ result: ActionResult) -> ActionOutcome {
            ActionOutcome(
                id: action.id, priority: action.priority, result: result, duration: clock.now() - start, owner: action.owner)
        }
        guard !isGone(action.owner) else { return outcome(.lost(owner: action.owner)) }
        // A task of its own, so that the loss of its owner can end the wait for it.
        let end = Task { await race(upTo: action.timeLimit, clock: clock) { await action.execute(context) } }
        current = (action.owner, end)
        let result = await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            end.cancel()
        }
        current = nil
        if let result { return outcome(result) }
        if isGone(action.owner) { return outcome(.lost(owner: action.owner)) }
        return outcome(Task.isCancelled ? .cancelled : .timedOut)
    }

    private func isGone(_ owner: String) -> Bool { !owner.isEmpty && goneOwners.contains(owner) }

    private func change(_ body: (inout Progress) -> Void) { onChange { body(&progress) } }
}

/// For actions whose `execute` throws.
func result(of body: () async throws -> Void) async -> ActionResult {
    do {
        try await body()
        return .completed
    } catch is CancellationError {
        return .cancelled
    } catch {
        return .failed("\(error)")
    }
}

func printWarning(_ line: String) { printToStandardError("relux: \(line)") }
