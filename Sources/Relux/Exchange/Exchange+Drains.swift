import ReluxWire
import Synchronization

extension Relux.Exchange {
    static let overrunLimit = Duration.milliseconds(1)
    /// How long a drain keeps a waiting thread, in nanoseconds.
    private static let helpLimit: Int64 = 50_000

    func startDrain(_ seat: Relux.Seat) {
        let drain = Relux.DrainTask()
        // A drain that this thread cannot go on with gets a thread that can go on with what follows from it.
        guard Relux.JobCapture.isInstalled else { return makeDrain(drain, of: seat) }
        guard Relux.ThreadRunner.takes(of: seat, isDrain: true) else {
            Task.detached { [self] in Relux.ThreadRunner.pump { makeDrain(drain, of: seat) } }
            return
        }
        Relux.ThreadRunner.leaving { makeDrain(drain, of: seat) }
    }

    private func makeDrain(_ drain: Relux.DrainTask, of seat: Relux.Seat) {
        // Detached: a drain belongs to the recipient and must not inherit the emitter's task-locals.
        drain.started(
            Task.detached { [self] in
                await runDrain(seat, drain)
                drain.ended()
            })
    }

    private func runDrain(_ seat: Relux.Seat, _ drain: Relux.DrainTask) async {
        guard let (first, handler) = firstDelivery(at: seat, drain) else { return }
        var next: Relux.Delivery? = first
        // On the node's clock, and in real time, as all that paces execution. Where one handler ends the next one starts.
        var (startedAt, started) = (clock.now(), pacer.nanoseconds())
        let begun = started
        while let delivery = next {
            let result = await handler.handle(delivery, in: .init(of: delivery, drain: drain))
            delivery.ends()
            let (endedAt, ended) = (clock.now(), pacer.nanoseconds())
            next = finish(delivery, at: seat, result, duration: endedAt - startedAt, took: .nanoseconds(ended - started))
            (startedAt, started) = (endedAt, ended)
            // A thread that runs this while it waits goes on, whatever has come for the module in the meantime.
            if next != nil, ended - begun >= Self.helpLimit, Relux.ThreadRunner.helps { await Task.yield() }
        }
    }

    private func firstDelivery(
        at seat: Relux.Seat, _ drain: Relux.DrainTask
    ) -> (first: Relux.Delivery, handler: any Relux.EffectHandling)? {
        let (taken, isCrowded) = state.withLock { _ in
            seat.isLeft ? (nil, false) : seat.look { party in (party.take(by: drain).map { (first: $0, handler: party.handler) }, party.isCrowded) }
        }
        if taken != nil, isCrowded { pace() }
        return taken
    }

    /// Settles the effect; what the same drain goes on with.
    ///
    /// - Parameters:
    ///   - duration: on the node's clock.
    ///   - took: in real time.
    private func finish(
        _ delivery: Relux.Delivery, at seat: Relux.Seat, _ result: Relux.ActionResult, duration: Duration, took: Duration
    ) -> Relux.Delivery? {
        var finished = Relux.ExchangeState.Finished()
        let isKnown = state.withLock { state in
            seat.quickness.note(took)
            return state.finish(delivery.id, run: delivery.run, at: seat, result, settles: uplink == nil, &finished)
        }
        guard isKnown else { return nil }
        // Without a next one the drain is over.
        if finished.next == nil {
            Relux.ThreadRunner.ending { settle(finished, delivery, at: seat, result, duration: duration) }
        } else {
            settle(finished, delivery, at: seat, result, duration: duration)
        }
        return finished.next
    }

    private func settle(
        _ finished: Relux.ExchangeState.Finished, _ delivery: Relux.Delivery, at seat: Relux.Seat, _ result: Relux.ActionResult, duration: Duration
    ) {
        report(
            delivery, by: seat.id, result, duration: duration, diverged: finished.diverged, keeper: finished.keeper,
            isLast: finished.next == nil, isSettling: finished.isSettling, life: finished.life)
        finished.reports?.end()
        for waiter in finished.unmade { waiter.resume(returning: .ended) }
        resume(finished.resumption)
        for waiter in finished.idle { waiter.resume() }
        if finished.kick { startDrain(seat) }
    }

    /// The handler starts something that it does not wait for.
    func loosens(_ run: UInt64, of id: ModuleID) {
        state.withLock { state in _ = state.parties.update(id) { $0.loosens(run) } }
    }

    /// Queues the module's settlements of these effects: what their handlers have left behind and is said from then on has no cause that a re-run looks for.
    func settling(_ effects: some Sequence<EffectID>, of id: ModuleID, _ queue: () -> Void) {
        state.withLock { state in
            queue()
            _ = state.parties.update(id) { $0.settling.subtract(effects) }
        }
    }

    /// `count` sagas are about to start, each of which calls ``begin(_:of:)``.
    func starts(_ run: UInt64, of id: ModuleID, sagas count: Int) {
        state.withLock { state in _ = state.parties.update(id) { $0.starts(run, sagas: count) } }
    }

    /// One of the handler's several sagas begins; see ``Relux/Party``.
    func begin(_ run: UInt64, of id: ModuleID) {
        let now = pacer.nanoseconds()
        let kick: Relux.Seat? = state.withLock { state in
            guard let seat = state.parties.seat(of: id), seat.party.begin(run, now: now) else { return nil }
            return seat
        }
        if let kick { startDrain(kick) }
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
            for seat in kicks { startDrain(seat) }
            return isCrowded
        }
    }
}
