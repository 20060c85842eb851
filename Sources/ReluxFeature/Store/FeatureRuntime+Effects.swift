extension FeatureRuntime {
    /// Effects that have not ended, by the names that they were given or the places that they come from.
    package var runningEffects: [String] { running.sorted { $0.key < $1.key }.map(\.value.name) }

    func perform(_ node: Effect<Action>.Node, path: [EffectScope], ids: Set<RunningEffect.ScopedID>, root: UInt64) {
        switch node {
        case .none: break
        case .send(let action): send(action, path: path, ids: ids, root: root)
        case .run(let run): start(run, path: path, ids: ids, root: root)
        case .merge(let nodes): for node in nodes { perform(node, path: path, ids: ids, root: root) }
        case .cancellable(let node, let id, let cancelInFlight):
            let scoped = RunningEffect.ScopedID(path: path.map(\.place), id: id)
            if cancelInFlight { cancel(because: "another one began under its id") { $0.ids.contains(scoped) } }
            perform(node, path: path, ids: ids.union([scoped]), root: root)
        case .cancel(let id):
            let scoped = RunningEffect.ScopedID(path: path.map(\.place), id: id)
            cancel(because: "its feature cancelled its id") { $0.ids.contains(scoped) }
        case .scoped(let node, let scope): perform(node, path: path + [scope], ids: ids, root: root)
        case .cancelPlace(let place):
            let whole = path.map(\.place) + [place]
            cancel(because: place.gone) { $0.path.lazy.map(\.place).starts(with: whole) }
        }
    }

    /// Cancels what belongs to a child that the last reduction has taken away, whoever held it.
    func cancelEffectsOfGoneChildren() {
        // Each look boxes the child's state: only where effects of children run.
        for effect in running.values where !effect.path.isEmpty && !effect.isCancelled {
            if let why = effect.path.firstGone(from: state) { cancel(effect, because: why) }
        }
    }

    /// An action that belongs to a child, or has an id, is cancelled like an effect that runs until it is its turn.
    private func send(_ action: Action, path: [EffectScope], ids: Set<RunningEffect.ScopedID>, root: UInt64) {
        guard !path.isEmpty || !ids.isEmpty else { return follow(action, root) }
        var path = path
        if let why = path.firstGone(from: state) { return didCancel(Self.name(of: action), why) }
        lastRun += 1
        let effect = RunningEffect(number: lastRun, path: path, ids: ids, root: root, name: Self.name(of: action))
        follow(action, root, effect)
    }

    private static func name(of action: Action) -> String { ".send(\(caseText(action)))" }

    private func start(_ run: Effect<Action>.Run, path: [EffectScope], ids: Set<RunningEffect.ScopedID>, root: UInt64) {
        let name = run.name.isEmpty ? "\(run.fileID):\(run.line)" : run.name
        var path = path
        if let why = path.firstGone(from: state) {
            // The parent took the child away in the very reduction that wanted the effect.
            return didCancel(name, why)
        }
        lastRun += 1
        let effect = RunningEffect(number: lastRun, path: path, ids: ids, root: root, name: name)
        let send = Send<Action>(clock: clock) { [weak self] action in self?.received(action, from: effect) }
        running[effect.number] = effect
        roots.begin(root)
        // Unstructured on purpose: it lives as long as the effect, and its record holds it.
        effect.task = Task(priority: run.priority) { [weak self] in
            do {
                try await run.operation(send)
            } catch is CancellationError where Task.isCancelled {
                // What it was asked for. Any other is one of somebody it has waited for.
            } catch {
                if let recovery = run.recovery {
                    await recovery(error, send)
                } else if !Task.isCancelled {
                    self?.report(
                        "the effect \(effect.name) threw \(error); give it a `catch:`, or catch it inside", fileID: run.fileID, line: run.line)
                }
            }
            effect.hasEnded = true
            self?.ended(effect)
        }
    }

    private func received(_ action: Action, from effect: RunningEffect) {
        // Whoever was cancelled may not have noticed.
        guard !effect.isCancelled else { return }
        guard !effect.hasEnded else {
            return report(
                "the effect \(effect.name) has ended and sent \(caseText(action)) all the same; an effect sends only until its closure returns")
        }
        enqueue(action, .effect, effect.root, of: effect, while: "the effect \(effect.name) sent an action to the store")
    }

    private func ended(_ effect: RunningEffect) {
        running[effect.number] = nil
        roots.end(effect.root)
        didEnd()
    }

    func cancel(because why: String, where isMeant: (RunningEffect) -> Bool) {
        for effect in running.values where isMeant(effect) { cancel(effect, because: why) }
    }

    private func cancel(_ effect: RunningEffect, because why: String) {
        if effect.cancel() { didCancel(effect.name, why) }
    }

    package func cancelAll(because why: String = "the store cancelled all") { cancel(because: why) { _ in true } }
}
