internal import Relux

extension FeatureRuntime {
    /// Effects that have not ended, by the names that they were given or the places that they come from.
    package func running(without skipped: Set<UInt64> = []) -> [String] {
        running.filter { !skipped.contains($0.key) }.sorted { $0.key < $1.key }.map(\.value.name)
    }

    /// The numbers of the effects that have not ended.
    package var runningNumbers: Set<UInt64> { Set(running.keys) }

    func perform(_ node: Effect<Action>.Node, _ context: RunningEffect.Context) {
        switch node {
        case .none: break
        case .send(let action): send(action, context)
        case .run(let run): start(run, context)
        case .merge(let nodes): for node in nodes { perform(node, context) }
        case .sequence(let nodes): start(nodes, context)
        case .cancellable(let node, let id, let cancelInFlight):
            let scoped = RunningEffect.ScopedID(id, at: context.path)
            if cancelInFlight { cancel(scoped, because: "another one began under its id") }
            var context = context
            context.ids.insert(scoped)
            perform(node, context)
        case .throttled(let node, let id, let interval, let latest): throttle(node, id, interval, latest: latest, context)
        case .cancel(let id): cancel(RunningEffect.ScopedID(id, at: context.path), because: "its feature cancelled its id")
        case .scoped(let node, let scope):
            var context = context
            context.path.append(scope)
            perform(node, context)
        case .cancelPlace(let place):
            let whole = context.path.map(\.place) + [place]
            cancel(because: place.gone) { $0.context.path.lazy.map(\.place).starts(with: whole) }
        }
    }

    /// Cancels what belongs to a child that the last reduction has taken away, whoever held it.
    func cancelEffectsOfGoneChildren() {
        // Each look boxes the child's state: only where effects of children run.
        for effect in running.values where !effect.context.path.isEmpty && !effect.isCancelled {
            if let why = effect.context.path.firstGone(from: state) { cancel(effect, because: why) }
        }
    }

    // MARK: Beginning and ending

    /// The record of an effect that begins now; nil, and the reason told, when its child was taken away in the very reduction that wanted it.
    private func record(_ context: RunningEffect.Context, name: @autoclosure @escaping () -> String) -> RunningEffect? {
        var context = context
        if let why = context.path.firstGone(from: state) {
            hooks.didCancel(name(), why)
            return nil
        }
        lastRun += 1
        return RunningEffect(number: lastRun, context, name: name())
    }

    func begin(_ effect: RunningEffect) {
        running[effect.number] = effect
        roots.begin(effect.context.root)
        effect.context.sequence?.begin()
    }

    private func ended(_ effect: RunningEffect) {
        running[effect.number] = nil
        finish(effect.context.sequence)
        roots.end(effect.context.root)
        // The next step of a sequence may be an action.
        drain()
        hooks.didEnd()
    }

    /// A part of the sequence has ended.
    func finish(_ sequence: RunningSequence?) {
        if let sequence, !sequence.end() { ended(sequence.rest) }
    }

    /// An action that belongs to a child, to a sequence, or has an id, is cancelled like an effect that runs until it is its turn.
    private func send(_ action: Action, _ context: RunningEffect.Context) {
        guard !context.path.isEmpty || !context.ids.isEmpty || context.sequence != nil else { return follow(action, context.root) }
        if let effect = record(context, name: ".send(\(caseText(action)))") { follow(action, context.root, effect) }
    }

    private func start(_ nodes: [Effect<Action>.Node], _ context: RunningEffect.Context) {
        guard let rest = record(context, name: "what follows in a sequence") else { return }
        begin(rest)
        var left = nodes[...]
        let sequence = RunningSequence(rest: rest) { [weak self] sequence in
            guard let self, let next = left.popFirst() else { return false }
            var inner = rest.context
            inner.sequence = sequence
            withReporter { self.perform(next, inner) }
            return true
        }
        sequence.begin()
        finish(sequence)
    }

    private func throttle(
        _ node: Effect<Action>.Node, _ id: EffectID, _ interval: Duration, latest: Bool, _ context: RunningEffect.Context
    ) {
        let (now, scoped) = (clock.now(), RunningEffect.ScopedID(id, at: context.path))
        throttled = throttled.filter { $0.value > now }
        guard let end = throttled[scoped] else {
            throttled[scoped] = now + interval
            return perform(node, context)
        }
        guard latest else { return }
        let waiting = RunningEffect.ScopedID(EffectID(WaitingThrottle(id: id)), at: context.path)
        // That very feature's: a child may have one of its own under the same id.
        cancel(because: "a later one waits in its place") { $0.context.ids.contains(waiting) }
        var inner = context
        inner.ids.formUnion([scoped, waiting])
        guard let effect = record(inner, name: "throttle \(id)") else { return }
        begin(effect)
        // Unstructured on purpose: it lives as long as the effect, and its record holds it.
        let task = Task { [weak self, clock] in
            try? await clock.sleep(until: end)
            guard let self else { return }
            if !effect.isCancelled { withReporter { self.throttle(node, id, interval, latest: true, context) } }
            ended(effect)
        }
        effect.stop = { task.cancel() }
    }

    private func start(_ run: Effect<Action>.Run, _ context: RunningEffect.Context) {
        guard let effect = record(context, name: run.name.isEmpty ? "\(run.fileID):\(run.line)" : run.name) else { return }
        let send = Send<Action>(clock: clock) { [weak self] action in self?.received(action, from: effect) }
        begin(effect)
        let work = work(of: effect)
        // Unstructured on purpose: it lives as long as the effect, and its record holds it.
        let task = Task(priority: run.priority) { [weak self, executor] in
            await EffectWork.$current.withValue(work) {
                do {
                    try await withTaskExecutorPreference(executor) { try await run.operation(send) }
                } catch is CancellationError where Task.isCancelled {
                    // The effect was asked to stop. Any other error of that kind is one of somebody it has waited for.
                } catch {
                    if let recovery = run.recovery {
                        await recovery(error, send)
                    } else if !Task.isCancelled {
                        self?.report(
                            "the effect \(effect.name) threw \(error); give it a `catch:`, or catch it inside", fileID: run.fileID, line: run.line)
                    }
                }
            }
            effect.hasEnded = true
            self?.ended(effect)
        }
        effect.stop = { task.cancel() }
    }

    private func work(of effect: RunningEffect) -> EffectWork {
        EffectWork(
            begin: { [weak self] id, cancelInFlight, stop in
                guard let self, !effect.isCancelled else { return nil }
                guard !effect.hasEnded else {
                    report("the effect \(effect.name) has ended and begins a part under the id \(id); a part ends before its effect's closure returns")
                    return nil
                }
                var inner = effect.context
                let scoped = RunningEffect.ScopedID(id, at: inner.path)
                if cancelInFlight { cancel(scoped, because: "another one began under its id") }
                inner.ids.insert(scoped)
                guard let part = record(inner, name: "\(effect.name), \(id)") else { return nil }
                part.stop = stop
                begin(part)
                return part.number
            },
            end: { [weak self] number in
                if let self, let part = running[number] { ended(part) }
            },
            cancel: { [weak self] id in
                self?.cancel(RunningEffect.ScopedID(id, at: effect.context.path), because: "its feature cancelled its id")
            })
    }

    private func received(_ action: Action, from effect: RunningEffect) {
        // A cancelled effect may not have noticed.
        guard !effect.isCancelled, EffectWork.current?.parts.contains(where: { running[$0]?.isCancelled == true }) != true else { return }
        guard !effect.hasEnded else {
            return report(
                "the effect \(effect.name) has ended and sent \(caseText(action)) all the same; an effect sends only until its closure returns")
        }
        enqueue(action, .effect, effect.context.root, of: effect, while: "the effect \(effect.name) sent an action to the store")
    }

    // MARK: Cancelling

    private func cancel(_ id: RunningEffect.ScopedID, because why: String) {
        cancel(because: why) { $0.context.ids.contains { id.reaches($0) } }
    }

    func cancel(because why: String, where isMeant: (RunningEffect) -> Bool) {
        for effect in running.values where isMeant(effect) { cancel(effect, because: why) }
    }

    private func cancel(_ effect: RunningEffect, because why: String) {
        if effect.cancel() { hooks.didCancel(effect.name, why) }
    }

    package func cancelAll(because why: String = "the store cancelled all") { cancel(because: why) { _ in true } }
}

/// The id of what a throttled effect waits under.
private struct WaitingThrottle: Hashable, Sendable {
    let id: EffectID
}
