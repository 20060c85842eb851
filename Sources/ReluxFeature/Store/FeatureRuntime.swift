/// Runs one feature: its queue of actions, and its effects.
///
/// Design notes. One drain handles actions in the order in which they came; those of `.send` effects are appended and handled in the same
/// drain. Whoever looks on is told of every single reduction. Every running effect has a record with the path of features that it
/// belongs to, its ids and the action that began it all.
@MainActor
package final class FeatureRuntime<State, Action: Sendable> {
    /// Where an action came from.
    package enum Origin: Sendable {
        case sent
        case effect
    }

    private struct Queued {
        var action: Action
        var origin: Origin
        var root: UInt64
    }

    private struct Running {
        var task: Task<Void, Never>
        var path: [EffectScope]
        var ids: Set<ScopedID>
        /// The action sent from outside that it goes back to.
        var root: UInt64
        var name: String
        var isCancelled = false
    }

    private struct ScopedID: Hashable {
        var path: [EffectScope]
        var id: EffectID
    }

    package private(set) var state: State
    /// After each reduction: the action, where it came from, and the state that it left.
    package var didReduce: (Action, Origin, State) -> Void = { _, _, _ in }
    /// After each drain.
    package var didDrain: (State) -> Void = { _ in }

    private let reduce: (inout State, Action) -> Effect<Action>
    private var queue: [Queued] = []
    private var isDraining = false
    private var isReducing = false
    private var running: [UInt64: Running] = [:]
    private var lastRun: UInt64 = 0
    private var lastRoot: UInt64 = 0

    package init(_ state: State, _ reducer: some Reducer<State, Action>) {
        self.state = state
        reduce = { reducer.reduce(into: &$0, action: $1) }
    }

    deinit { for run in running.values { run.task.cancel() } }

    /// Effects that have not ended, by the names that they were given or the places that they come from.
    package var runningEffects: [String] { running.sorted { $0.key < $1.key }.map(\.value.name) }

    /// Handles the action, and what follows from it at once; returns which effects go on.
    @discardableResult
    package func send(_ action: Action, from origin: Origin = .sent) -> StoreTask {
        lastRoot += 1
        let root = lastRoot
        guard !isReducing else {
            FeatureIssue.report(
                "an action was sent to the store while it reduced another one: \(caseText(action)); return .send(…) from the reducer instead."
                    + " It is handled afterwards")
            queue.append(Queued(action: action, origin: origin, root: root))
            return StoreTask(rootTask(root))
        }
        queue.append(Queued(action: action, origin: origin, root: root))
        drain()
        return StoreTask(rootTask(root))
    }

    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        var next = 0
        while next < queue.count {
            let queued = queue[next]
            next += 1
            isReducing = true
            let effect = reduce(&state, queued.action)
            isReducing = false
            didReduce(queued.action, queued.origin, state)
            perform(effect.node, path: [], ids: [], root: queued.root)
        }
        queue = []
        isDraining = false
        didDrain(state)
    }

    private func perform(_ node: Effect<Action>.Node, path: [EffectScope], ids: Set<ScopedID>, root: UInt64) {
        switch node {
        case .none: break
        case .send(let action): queue.append(Queued(action: action, origin: .effect, root: root))
        case .run(let run): start(run, path: path, ids: ids, root: root)
        case .merge(let nodes): for node in nodes { perform(node, path: path, ids: ids, root: root) }
        case .cancellable(let node, let id, let cancelInFlight):
            let scoped = ScopedID(path: path, id: id)
            if cancelInFlight { cancel { $0.ids.contains(scoped) } }
            perform(node, path: path, ids: ids.union([scoped]), root: root)
        case .cancel(let id):
            let scoped = ScopedID(path: path, id: id)
            cancel { $0.ids.contains(scoped) }
        case .scoped(let node, let scope): perform(node, path: path + [scope], ids: ids, root: root)
        case .cancelScope(let scope):
            let whole = path + [scope]
            cancel { $0.path.starts(with: whole) }
        }
    }

    // MARK: Effects that take time

    private func start(_ run: Effect<Action>.Run, path: [EffectScope], ids: Set<ScopedID>, root: UInt64) {
        lastRun += 1
        let number = lastRun
        let name = run.name.isEmpty ? "\(run.fileID):\(run.line)" : run.name
        let send = Send<Action> { [weak self] action in self?.received(action, from: number, root: root, name: name) }
        // Unstructured on purpose: it lives as long as the effect, and its record holds it.
        let task = Task(priority: run.priority) { [weak self] in
            do {
                try await run.operation(send)
            } catch is CancellationError {
                // What it was asked for.
            } catch {
                if let recovery = run.recovery {
                    await recovery(error, send)
                } else if !Task.isCancelled {
                    FeatureIssue.report("the effect \(name) threw \(error); give it a `catch:`, or catch it inside", fileID: run.fileID, line: run.line)
                }
            }
            self?.ended(number)
        }
        running[number] = Running(task: task, path: path, ids: ids, root: root, name: name)
    }

    private func received(_ action: Action, from number: UInt64, root: UInt64, name: String) {
        guard let run = running[number] else {
            FeatureIssue.report(
                "the effect \(name) has ended and sent \(caseText(action)) all the same; an effect sends only until its closure returns")
            return
        }
        guard !run.isCancelled else { return }
        guard !isReducing else {
            FeatureIssue.report("the effect \(name) sent \(caseText(action)) while the store reduced; it is handled afterwards")
            queue.append(Queued(action: action, origin: .effect, root: root))
            return
        }
        queue.append(Queued(action: action, origin: .effect, root: root))
        drain()
    }

    private func ended(_ number: UInt64) {
        running[number] = nil
    }

    private func cancel(where isMeant: (Running) -> Bool) {
        for (number, run) in running where !run.isCancelled && isMeant(run) {
            running[number]?.isCancelled = true
            run.task.cancel()
        }
    }

    private nonisolated func cancelLater(_ root: UInt64) {
        Task { @MainActor [weak self] in self?.cancel { $0.root == root } }
    }

    package func reset(to state: State) {
        cancelAll()
        self.state = state
        didDrain(state)
    }

    package func cancelAll() { cancel { _ in true } }

    /// Returns when no effect runs that goes back to this action.
    private func rootTask(_ root: UInt64) -> Task<Void, Never>? {
        guard running.values.contains(where: { $0.root == root }) else { return nil }
        return Task { [weak self] in
            await withTaskCancellationHandler {
                while let next = self?.running.values.first(where: { $0.root == root })?.task { await next.value }
            } onCancel: { [weak self] in
                self?.cancelLater(root)
            }
        }
    }
}
