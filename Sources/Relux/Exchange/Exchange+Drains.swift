import ReluxWire
import Synchronization

extension Relux.Exchange {
    static let overrunLimit = Duration.milliseconds(1)

    func startDrain(_ id: ModuleID) {
        // Detached: a drain belongs to the recipient and must not inherit the emitter's task-locals.
        guard uplink != nil else {
            Task.detached { [self] in await runDrain(id, nil) }
            return
        }
        let drain = Relux.DrainTask()
        drain.started(
            Task.detached { [self] in
                await runDrain(id, drain)
                drain.ended()
            })
    }

    /// - Parameter drain: the task's own handle, where somebody may have to cancel it.
    private func runDrain(_ id: ModuleID, _ drain: Relux.DrainTask?) async {
        guard let (first, handler) = firstDelivery(for: id, drain) else { return }
        var next: (delivery: Relux.Delivery, run: UInt64)? = first
        while let (delivery, run) = next {
            let started = clock.now()
            let result = await handler.handle(
                delivery,
                in: .init(
                    run: run, effect: delivery.id, ancestry: delivery.ancestry, awaitDepth: delivery.awaitDepth,
                    deadline: delivery.deadline, isAwaited: true, isTransient: delivery.durability == .transient))
            next = finish(delivery, run: run, by: id, result, duration: clock.now() - started)
        }
    }

    private func firstDelivery(
        for id: ModuleID, _ drain: Relux.DrainTask?
    ) -> (first: (delivery: Relux.Delivery, run: UInt64), handler: any Relux.EffectHandling)? {
        let taken = state.withLock { state in
            state.parties.update(id) { party in party.take(by: drain).map { (first: $0, handler: party.handler, isCrowded: party.isCrowded) } }
        }
        guard let taken, let taken else { return nil }
        if taken.isCrowded { pace() }
        return (taken.first, taken.handler)
    }

    /// Settles the effect; what the same drain goes on with.
    private func finish(
        _ delivery: Relux.Delivery, run: UInt64, by id: ModuleID, _ result: Relux.ActionResult, duration: Duration
    ) -> (delivery: Relux.Delivery, run: UInt64)? {
        guard let finished = state.withLock({ $0.finish(delivery.id, run: run, by: id, result, settles: uplink == nil) }) else {
            return nil
        }
        report(
            delivery, by: id, result, duration: duration, diverged: finished.diverged, keeper: finished.keeper,
            isLast: finished.next == nil, life: finished.life)
        finished.reports?.end()
        for waiter in finished.unmade { waiter.resume(returning: .ended) }
        resume(finished.resumption)
        for waiter in finished.idle { waiter.resume() }
        if finished.kick { startDrain(id) }
        return finished.next
    }

    /// So many sagas are about to start, each of which calls ``begin(_:of:)``.
    func starts(_ run: UInt64, of id: ModuleID, sagas count: Int) {
        state.withLock { state in _ = state.parties.update(id) { $0.starts(run, sagas: count) } }
    }

    /// The handler's saga begins, or one of them; see ``Relux/Party``.
    func begin(_ run: UInt64, of id: ModuleID) {
        let now = pacer.now()
        if state.withLock({ state in state.parties.update(id) { $0.begin(run, now: now) } ?? false }) { startDrain(id) }
    }

    /// Ends the waiting of everything whose deadline has passed.
    func expire() {
        let (expired, next) = state.withLock { $0.expire(now: clock.now()) }
        for resumption in expired { resume(resumption) }
        if let next { wake(at: next) }
    }

    /// Looks for expired waiting at the deadline, unless it looks before.
    func wake(at deadline: Duration) {
        watch.note(deadline) { { [weak self] in self?.expire() } }
    }

    /// Keeps a look at handlers that run long while others wait, for as long as there are any.
    func pace() {
        pacer.run(every: Self.overrunLimit) { [weak self] now in
            guard let self else { return false }
            let (kicks, isCrowded) = state.withLock { $0.overruns(now: now, limit: Self.overrunLimit) }
            kicks.forEach(startDrain)
            return isCrowded
        }
    }
}
